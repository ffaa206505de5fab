"""The calendar: weeks, months, seasons, quarters, decades, holidays, and the early and late parts of a span.

Weeks run from Monday to Sunday. Seasons are those of the north in whole months (spring = March to May); a winter is
named after the year in which it begins. Everything raises `ValueError` or `OverflowError` where the calendar ends
(years 1 to 9999).
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta
from typing import Literal

from streetai_core.text.dates.moon import FEASTS
from streetai_core.text.dates.spans import TimeSpan, one_day

DAYS_IN_WEEK = 7
MONTHS_IN_YEAR = 12
YEARS_IN_DECADE = 10
YEARS_IN_CENTURY = 100
_WORKDAYS_IN_WEEK = 5
_SATURDAY = 5
_FRIDAY = 4
_THURSDAY = 3
_SUNDAY = 6

Third = Literal["early", "mid", "late"]
"""A part of a span, roughly a third of it."""

_PARTS_OF_MONTH: dict[Third, tuple[int, int]] = {"early": (0, 10), "mid": (10, 20), "late": (20, 31)}
"""The days of a month before each part, and before what follows it."""

_PARTS_OF_WEEK: dict[Third, tuple[int, int]] = {"early": (0, 3), "mid": (1, 4), "late": (4, 7)}
"""The days of a week before each part, and before what follows it: the middle is Wednesday and a day on either side."""

_PARTS_OF_YEAR: dict[Third, tuple[int, int]] = {"early": (0, 3), "mid": (4, 8), "late": (9, 12)}
"""The months of a year before each part, and before what follows it: nobody who says "late 2019" means September."""

_APRIL = 4
_TAX_YEAR_LATER = 5
"""Days from 1 April to the beginning of a tax year."""

SEASON_STARTS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
"""The month in which each season begins."""


def week_of(day: date) -> TimeSpan:
    """Monday to Sunday round `day`."""
    monday = day - timedelta(day.weekday())
    return TimeSpan(monday, monday + timedelta(DAYS_IN_WEEK - 1))


def weekend_of(day: date) -> TimeSpan:
    """Saturday and Sunday of the week of `day`."""
    saturday = day + timedelta(_SATURDAY - day.weekday())
    return TimeSpan(saturday, saturday + timedelta(1))


def month_of(year: int, month: int) -> TimeSpan:
    """A calendar month."""
    return months_from(year, month, 1)


def months_from(year: int, month: int, count: int) -> TimeSpan:
    """`count` whole months from the first day of `month` (1 to 12)."""
    first = date(year, month, 1)
    return TimeSpan(first, add_months(first, count) - timedelta(1))


def year_of(year: int) -> TimeSpan:
    """A calendar year."""
    return TimeSpan(date(year, 1, 1), date(year, MONTHS_IN_YEAR, 31))


def decade_of(year: int) -> TimeSpan:
    """The ten years whose first three digits are those of `year`."""
    first = year - year % YEARS_IN_DECADE
    return TimeSpan(date(first, 1, 1), date(first + YEARS_IN_DECADE - 1, MONTHS_IN_YEAR, 31))


def century_of(year: int) -> TimeSpan:
    """The hundred years whose first two digits are those of `year`."""
    first = year - year % YEARS_IN_CENTURY
    return TimeSpan(date(first, 1, 1), date(first + YEARS_IN_CENTURY - 1, MONTHS_IN_YEAR, 31))


def season_of(year: int, season: str) -> TimeSpan:
    """The three months of a `season` (a key of `SEASON_STARTS`) that begins in `year`."""
    return months_from(year, SEASON_STARTS[season], 3)


def quarter_of(year: int, quarter: int) -> TimeSpan:
    """The three months of a `quarter` (1 to 4)."""
    return months_from(year, 3 * quarter - 2, 3)


def financial_year(day: date) -> TimeSpan:
    """The year from April to March that `day` is in, as most states with such a year have it."""
    return months_from(day.year - (day.month < _APRIL), _APRIL, MONTHS_IN_YEAR)


def tax_year(day: date) -> TimeSpan:
    """The year from 6 April to 5 April that `day` is in: the United Kingdom's, the one that is known by this name."""
    return financial_year(day - timedelta(_TAX_YEAR_LATER)).shifted(_TAX_YEAR_LATER)


def half_of(year: int, half: int) -> TimeSpan:
    """The six months of a `half` (1 or 2) of a year."""
    return months_from(year, 6 * half - 5, 6)


def add_months(day: date, count: int) -> date:
    """The same day of the month `count` months later (negative: earlier), or the month's last day if it is shorter."""
    year, month = divmod(day.year * MONTHS_IN_YEAR + day.month - 1 + count, MONTHS_IN_YEAR)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def weekday_before(day: date, weekday: int) -> date:
    """The nearest `weekday` (Monday is 0) that is strictly before `day`."""
    return day - timedelta((day.weekday() - weekday - 1) % DAYS_IN_WEEK + 1)


def weekday_after(day: date, weekday: int) -> date:
    """The nearest `weekday` (Monday is 0) that is strictly after `day`."""
    return day + timedelta((weekday - day.weekday() - 1) % DAYS_IN_WEEK + 1)


def workday_from(day: date, count: int) -> date:
    """The day from Monday to Friday that is `count` such days behind `day` (negative: before); feasts are not left out.

    Of none (0) it is `day`.
    """
    if not count:
        return day
    if day.weekday() >= _SATURDAY:
        day = weekday_before(day, _FRIDAY) if count > 0 else weekday_after(day, 0)
    sign = 1 if count > 0 else -1
    weeks, rest = divmod(abs(count), _WORKDAYS_IN_WEEK)
    weekends = weeks + (not 0 <= day.weekday() + sign * rest < _WORKDAYS_IN_WEEK)
    return day + timedelta(sign * (abs(count) + 2 * weekends))


def nth_weekday(span: TimeSpan, weekday: int, number: int) -> date:
    """The `number`-th `weekday` of `span`, counted from 1; -1 is the last one. It may lie outside a short span."""
    if number < 0:
        return weekday_before(span.end + timedelta(1), weekday) + timedelta(DAYS_IN_WEEK * (number + 1))
    return weekday_after(span.start - timedelta(1), weekday) + timedelta(DAYS_IN_WEEK * (number - 1))


def easter(year: int) -> date:
    """Easter Sunday of the western churches (the anonymous Gregorian algorithm, Nature 13, 1876, in Meeus's form)."""
    century, in_century = divmod(year, 100)
    leap_centuries, century_rest = divmod(century, 4)
    correction = (century - (century + 8) // 25 + 1) // 3
    golden = year % 19
    epact = (19 * golden + century - leap_centuries - correction + 15) % 30
    leaps, rest = divmod(in_century, 4)
    to_sunday = (32 + 2 * century_rest + 2 * leaps - epact - rest) % DAYS_IN_WEEK
    late = (golden + 11 * epact + 22 * to_sunday) // 451
    month, day = divmod(epact + to_sunday - 7 * late + 114, 31)
    return date(year, month, day + 1)


def _fixed(month: int, day: int) -> Callable[[int], date]:
    return lambda year: date(year, month, day)


def _floating(month: int, weekday: int, number: int, later: int = 0) -> Callable[[int], date]:
    return lambda year: nth_weekday(month_of(year, month), weekday, number) + timedelta(later)


def _from_easter(days: int) -> Callable[[int], date]:
    return lambda year: easter(year) + timedelta(days)


def _election_day(year: int) -> date:
    return nth_weekday(month_of(year, 11), 0, 1) + timedelta(1)


def _kings_day(year: int) -> date:
    day = date(year, 4, 27)
    return day if day.weekday() != _SUNDAY else day - timedelta(1)


HOLIDAYS: dict[str, Callable[[int], date]] = {
    "new year": _fixed(1, 1),
    "valentine": _fixed(2, 14),
    "st patrick": _fixed(3, 17),
    "palm sunday": _from_easter(-7),
    "good friday": _from_easter(-2),
    "easter": _from_easter(0),
    "easter monday": _from_easter(1),
    "shrove tuesday": _from_easter(-47),
    "ash wednesday": _from_easter(-46),
    "maundy thursday": _from_easter(-3),
    "ascension": _from_easter(39),
    "pentecost": _from_easter(49),
    "whit monday": _from_easter(50),
    "corpus christi": _from_easter(60),
    "epiphany": _fixed(1, 6),
    "burns night": _fixed(1, 25),
    "twelfth night": _fixed(1, 5),
    "mlk day": _floating(1, 0, 3),
    "australia day": _fixed(1, 26),
    "groundhog day": _fixed(2, 2),
    "presidents day": _floating(2, 0, 3),
    "leap day": _fixed(2, 29),
    "st david": _fixed(3, 1),
    "women's day": _fixed(3, 8),
    "pi day": _fixed(3, 14),
    "mothering sunday": _from_easter(-21),
    "tax day": _fixed(4, 15),
    "patriots day": _floating(4, 0, 3),
    "earth day": _fixed(4, 22),
    "st george": _fixed(4, 23),
    "king's day": _kings_day,
    "may day": _fixed(5, 1),
    "may bank holiday": _floating(5, 0, 1),
    "cinco de mayo": _fixed(5, 5),
    "ve day": _fixed(5, 8),
    "midsummer": _fixed(6, 24),
    "august bank holiday": _floating(8, 0, -1),
    "columbus day": _floating(10, 0, 2),
    "election day": _election_day,
    "remembrance sunday": _floating(11, _SUNDAY, 2),
    "st andrew": _fixed(11, 30),
    "st nicholas": _fixed(12, 6),
    "anzac day": _fixed(4, 25),
    "canada day": _fixed(7, 1),
    "bastille day": _fixed(7, 14),
    "all saints": _fixed(11, 1),
    "all souls": _fixed(11, 2),
    "bonfire night": _fixed(11, 5),
    "april fools": _fixed(4, 1),
    "mother": _floating(5, _SUNDAY, 2),
    "memorial day": _floating(5, 0, -1),
    "juneteenth": _fixed(6, 19),
    "father": _floating(6, _SUNDAY, 3),
    "independence day": _fixed(7, 4),
    "labor day": _floating(9, 0, 1),
    "halloween": _fixed(10, 31),
    "veterans day": _fixed(11, 11),
    "thanksgiving": _floating(11, _THURSDAY, 4),
    "black friday": _floating(11, _THURSDAY, 4, later=1),
    "cyber monday": _floating(11, _THURSDAY, 4, later=4),
    "advent sunday": lambda year: weekday_before(date(year, 12, 25), _SUNDAY) - timedelta(3 * DAYS_IN_WEEK),
    "christmas eve eve": _fixed(12, 23),
    "christmas eve": _fixed(12, 24),
    "christmas": _fixed(12, 25),
    "boxing day": _fixed(12, 26),
    "new year's eve": _fixed(12, 31),
}
"""The day of each holiday in a year; floating ones as kept in the United States, where most chats name them."""


def third_of(span: TimeSpan, part: Third) -> TimeSpan:
    """The early, middle or late part of a span, in its own units.

    A month is cut behind the 10th and the 20th. Early and late in a year are its first and last quarter. A span of
    whole years is cut at years, another one of whole months at months, any other at days; the part has the number of
    units divided by three, rounded up.
    """
    first, months = span.start, _whole_months(span)
    if months > 1:
        whole_years = months > MONTHS_IN_YEAR and first.month == 1 and months % MONTHS_IN_YEAR == 0
        size = MONTHS_IN_YEAR if whole_years else 1
        start, end = _PARTS_OF_YEAR[part] if months == MONTHS_IN_YEAR else _third(months // size, part)
        return TimeSpan(add_months(first, start * size), add_months(first, end * size) - timedelta(1))
    if span == week_of(first):
        start, end = _PARTS_OF_WEEK[part]
    else:
        start, end = _PARTS_OF_MONTH[part] if months else _third(span.days, part)
    return TimeSpan(first + timedelta(start), first + timedelta(min(end, span.days) - 1))


def edge_of(span: TimeSpan, part: Third) -> TimeSpan:
    """The beginning, middle or end of a span: the first and the last month of a year, the third of any other."""
    if part == "mid" or _whole_months(span) != MONTHS_IN_YEAR:
        return third_of(span, part)
    return month_of_day(span.start if part == "early" else span.end)


def month_of_day(day: date) -> TimeSpan:
    """The calendar month that a day is in."""
    return month_of(day.year, day.month)


def _whole_months(span: TimeSpan) -> int:
    """How many calendar months a span is made of, 0 if it is not."""
    first, last = span.start, span.end + timedelta(1)
    if first.day != 1 or last.day != 1:
        return 0
    return (last.year - first.year) * MONTHS_IN_YEAR + last.month - first.month


def _third(units: int, part: Third) -> tuple[int, int]:
    size = -(-units // 3)
    if part == "early":
        return 0, size
    if part == "late":
        return units - size, units
    margin = min(units // 3, (units - 1) // 2)
    return margin, units - margin


def holiday_of(year: int, name: str) -> TimeSpan:
    """The days of a holiday (a key of `HOLIDAYS` or of `moon.FEASTS`) in `year`."""
    return FEASTS[name](year) if name in FEASTS else one_day(HOLIDAYS[name](year))
