"""Rules for dates told from the day of speaking: "yesterday", "last week", "two years ago"."""

from __future__ import annotations

from datetime import date, timedelta

from streetai_core.text.dates.amounts import (
    CLOCK_UNITS,
    WEEKS,
    Amount,
    amount,
    away,
    count,
    from_now,
    moved,
    rolling,
    weeks_from,
)
from streetai_core.text.dates.calendars import (
    DAYS_IN_WEEK,
    MONTHS_IN_YEAR,
    add_months,
    month_of_day,
    season_of,
    week_of,
    weekday_after,
    weekday_before,
    weekend_of,
)
from streetai_core.text.dates.numbers import ONE
from streetai_core.text.dates.reader import Found, Reader
from streetai_core.text.dates.spans import TimeSpan, one_day
from streetai_core.text.dates.vocabulary import DOUBTFUL_MONTHS, UNTIL

_MIDWEEK = 3
"""From Monday until the day before Thursday, "this weekend" in a sentence about the past is the last one."""

_SATURDAY = 5

_AMBIGUOUS_DAYS = frozenset({"sat", "sun", "wed"})
"""Weekdays that are other words where nobody wrote a capital."""

_LONG_UNITS = frozenset({"week", "month", "year", "decade"})
"""Units with which "three years now" tells when something began."""

_EXACT_MONTHS = {"month": 1, "year": MONTHS_IN_YEAR}
"""Months of the units that keep the day of the month: "a year ago today"."""

_OTHER_DAYS = {"day": 1, "night": 1, "evening": 1, "morning": 1}
_OTHER_WEEKS = 3


def day_word(reader: Reader, index: int) -> Found | None:
    """A day named from today ("yesterday evening")."""
    day = reader.today + timedelta(reader.number(index))
    return Found(one_day(day), reader.skip(index + 1, "part"))


def other_day(reader: Reader, index: int) -> Found | None:
    """The days before today that "the other day" and its kin leave open: one week, three for "the other week".

    "The other Saturday" is one of the last two.
    """
    if reader.kind(index) != "the" or reader.kind(index + 1) != "other":
        return None
    word = reader.word(index + 2)
    yesterday = reader.today - timedelta(1)
    if word in _OTHER_DAYS:
        return Found(TimeSpan(reader.today - timedelta(DAYS_IN_WEEK), yesterday), index + 3)
    if word in {"week", "weekend"}:
        monday = week_of(reader.today).start
        return Found(TimeSpan(monday - timedelta(DAYS_IN_WEEK * _OTHER_WEEKS), monday - timedelta(1)), index + 3)
    if reader.kind(index + 2) == "weekday":
        last = weekday_before(reader.today, reader.number(index + 2))
        return Found(TimeSpan(last - timedelta(DAYS_IN_WEEK), last), index + 3)
    return None


def shifted(reader: Reader, index: int) -> Found | None:
    """A shift and what it moves: "last Friday", "this past weekend", "next month", "the past two weeks"."""
    word, sign, behind = reader.word(index), reader.number(index), index + 1
    if word == "this" and reader.kind(behind) == "shift":
        word, sign, behind = reader.word(behind), reader.number(behind), behind + 1
    kind = reader.kind(behind)
    if kind == "unit":
        return _shifted_unit(reader, behind, word, sign)
    if kind in {"vague", "cardinal", "number"}:
        return _shifted_amount(reader, behind, sign)
    if kind == "part":
        return _shifted_part(reader, behind, sign)
    if kind == "weekday":
        return _shifted_weekday(reader, behind, word, sign)
    if kind in {"month", "season", "holiday"}:
        return _shifted_in_year(reader, behind, sign)
    return None


def _shifted_unit(reader: Reader, index: int, word: str, sign: int) -> Found | None:
    unit = reader.name(index)
    if unit == "day" or unit in CLOCK_UNITS or (reader.word(index).removesuffix("'s").endswith("s")):
        return None
    if unit == "fortnight" or (unit != "weekend" and _is_rolling(reader, index, word)):
        return Found(rolling(reader.today, ONE, unit, sign or 1), index + 1)
    if unit == "weekend":
        return Found(_weekend(reader, index, word, sign), index + 1)
    if unit == "year" and sign and reader.word(index - 2) == "time" and reader.kind(index - 3) == "shift":
        return Found(month_of_day(add_months(reader.today, sign * MONTHS_IN_YEAR)), index + 1)  # "this time last year"
    return Found(moved(reader.today, unit, sign), index + 1)


def _is_rolling(reader: Reader, index: int, word: str) -> bool:
    """Whether a unit is counted from today and not taken from the calendar: "the past week", "in the last month"."""
    if word == "past":
        return True
    before = reader.kind(index - 2) == "the" and reader.kind(index - 3) in {"in", "on"}
    return before and word in {"last", "next"}


def _weekend(reader: Reader, index: int, word: str, sign: int) -> TimeSpan:
    if word in {"coming", "upcoming"}:
        sign = 1 if reader.today.weekday() >= _SATURDAY else 0
    if not sign and reader.today.weekday() < _MIDWEEK and reader.direction(index) < 0:
        sign = -1
    return moved(reader.today, "weekend", sign)


def _shifted_amount(reader: Reader, index: int, sign: int) -> Found | None:
    read = amount(reader, index)
    if read is None or not sign:
        return None
    return Found(rolling(reader.today, read.count, read.unit, sign), read.end)


def _shifted_part(reader: Reader, index: int, sign: int) -> Found | None:
    if sign > 0 or (sign < 0 and reader.name(index) not in {"night", "evening"}):
        return None
    return Found(one_day(reader.today + timedelta(sign)), index + 1)


def _shifted_weekday(reader: Reader, index: int, word: str, sign: int) -> Found | None:
    token, weekday = reader.token(index), reader.number(index)
    if word == "this" and token.word in _AMBIGUOUS_DAYS and not token.titled:
        return None
    today = reader.today
    if word in {"coming", "upcoming"}:
        day = weekday_after(today, weekday)
        if reader.word(index + 1) == "week":  # "she's coming Friday week"
            return Found(one_day(day + timedelta(DAYS_IN_WEEK)), index + 2)
    elif sign > 0:
        day = week_of(today).end + timedelta(weekday + 1)
    elif sign < 0:
        day = weekday_before(today, weekday)
    elif reader.direction(index) < 0:
        day = weekday_before(today + timedelta(1), weekday)
    else:
        day = weekday_after(today - timedelta(1), weekday)
    return Found(one_day(day), reader.skip(index + 1, "part"))


def _shifted_in_year(reader: Reader, index: int, sign: int) -> Found | None:
    """The last, this or next month, season or holiday of a name."""
    token, today = reader.token(index), reader.today
    if token.word in DOUBTFUL_MONTHS and not token.titled:
        return None
    of_year, behind = reader.yearly(index), index + 1
    if token.kind == "month" and reader.kind(behind) in {"number", "nth"} and not reader.year(behind):
        month, day = reader.number(index), reader.number(behind)
        of_year, behind = (lambda year: one_day(date(year, month, day))), behind + 1
    if sign < 0:
        span = reader.nearest(of_year, lambda span: span.end < today)
    elif sign > 0:
        span = reader.nearest(of_year, lambda span: span.start > today)
    elif token.kind == "month" or (token.kind == "season" and reader.direction(index) == 0 and token.value != "winter"):
        span = of_year(today.year)
    else:
        span = reader.occurrence(index, of_year)
    return Found(span, behind)


def counted(reader: Reader, index: int) -> Found | None:
    """An amount and where it is counted from: "two weeks ago", "a day before Christmas", "three days from now"."""
    read = amount(reader, index)
    if read is None:
        return None
    kind = reader.kind(read.end)
    found = _ago(reader, read) if kind == "ago" else _before_last(reader, read)
    if found is not None or kind == "ago":
        return found
    if read.bare or kind not in {"from", "side"}:
        return None
    if kind == "from" and reader.word(read.end + 1) == "now":
        if read.unit in WEEKS:  # as of "a week from today"
            return Found(weeks_from(reader.today, read), read.end + 2)
        return Found(from_now(reader.now, read, 1), read.end + 2)
    return _counted_from(reader, read)


def _before_last(reader: Reader, read: Amount) -> Found | None:
    """So many weeks before a day: "three weeks last Thursday"."""
    if read.unit not in WEEKS or reader.word(read.end) != "last" or reader.kind(read.end + 1) != "weekday":
        return None
    day = weekday_before(reader.today, reader.number(read.end + 1))
    return Found(one_day(day - timedelta(WEEKS[read.unit]) * read.count.low), read.end + 2)


def _ago(reader: Reader, read: Amount) -> Found | None:
    """So long ago; "three years now" began three years ago."""
    if reader.word(read.end) == "now" and (read.bare or read.unit not in _LONG_UNITS):
        return None
    behind = read.end + 1
    return _exactly_ago(reader, read, behind) or Found(from_now(reader.now, read, -1), behind)


def to_the_day(reader: Reader, index: int) -> Found | None:
    """The very day: "exactly a month ago", "eight weeks ago to the day"."""
    read = amount(reader, index)
    if read is None or read.bare or reader.word(read.end) != "ago":
        return None
    behind = read.end + 1
    if (reader.word(behind), reader.word(behind + 1), reader.word(behind + 2)) == ("to", "the", "day"):
        behind += 3
    elif reader.word(behind) == "exactly":
        behind += 1
    elif reader.word(index - 1) != "exactly" or reader.kind(behind) == "day":
        return None
    if read.unit in WEEKS:
        return Found(one_day(reader.today - timedelta(int(read.count.low * WEEKS[read.unit]))), behind)
    if read.unit in _EXACT_MONTHS:
        return Found(one_day(add_months(reader.today, -int(read.count.low * _EXACT_MONTHS[read.unit]))), behind)
    return None


def _counted_from(reader: Reader, read: Amount) -> Found | None:
    """So long before or after another time; "a week from Friday" is a Friday."""
    origin = None
    if reader.kind(read.end) == "from" and reader.kind(read.end + 1) == "weekday" and read.unit in WEEKS:
        # Whatever the sentence tells: "I got an appointment a week from Monday".
        origin = reader.expression_from(read.end + 1, reader.today, 1)
    elif read.unit not in CLOCK_UNITS:
        origin = reader.expression(read.end + 1)
    if origin is None or reader.kind(origin.end) == "to":  # "22 days from 3 May to 24 May"
        return None
    sign = reader.number(read.end)
    if reader.kind(read.end) == "from" and origin.span.days == 1 and read.unit in WEEKS:
        return Found(weeks_from(origin.span.start, read), origin.end, origin.fixed)
    months = _EXACT_MONTHS.get(read.unit, 0)
    if months and reader.kind(read.end) == "from" and reader.kind(read.end + 1) == "day":
        day = add_months(origin.span.start, int(read.count.low * months))
        return Found(one_day(day), origin.end)
    anchor = origin.span.start if sign < 0 else origin.span.end
    return Found(away(anchor, read.count, read.unit, sign), origin.end, origin.fixed)


def _exactly_ago(reader: Reader, read: Amount, index: int) -> Found | None:
    """A day so long before a day: "a year ago today", "two weeks ago yesterday"; or "a year ago this week"."""
    months = _EXACT_MONTHS.get(read.unit, 0)
    if months and reader.word(index) == "this" and reader.word(index + 1) in {"week", "month"}:
        day = add_months(reader.today, -int(read.count.low * months))
        return Found(moved(day, reader.word(index + 1), 0), index + 2)
    if reader.kind(index) != "day" or not (months or read.unit == "week"):
        return None
    day = reader.today + timedelta(reader.number(index))
    if months:
        return Found(one_day(add_months(day, -int(read.count.low * months))), index + 1)
    return Found(one_day(day - timedelta(int(read.count.low * DAYS_IN_WEEK))), index + 1)


def recurring(reader: Reader, index: int) -> Found | None:
    """So many weekdays or seasons away: "two Fridays ago", "three summers ago", "two Sundays from now"."""
    counted_from = count(reader, index)
    if counted_from is None:
        return None
    number, behind = counted_from
    times = int(number.low) - 1
    hence = reader.kind(behind + 1) == "from" and reader.word(behind + 2) in {"now", "today"}
    if hence and times >= 0 and reader.kind(behind) == "weekdays":
        day = weekday_after(reader.today, reader.number(behind)) + timedelta(DAYS_IN_WEEK * times)
        return Found(one_day(day), behind + 3)
    if reader.word(behind + 1) not in {"ago", "back"} or times < 0:
        return None
    if reader.kind(behind) == "weekdays":
        day = weekday_before(reader.today, reader.number(behind)) - timedelta(DAYS_IN_WEEK * times)
        return Found(one_day(day), behind + 2)
    if reader.kind(behind) == "seasons":
        name = reader.name(behind)
        last = reader.nearest(lambda year: season_of(year, name), lambda span: span.end < reader.today)
        return Found(season_of(last.start.year - times, name), behind + 2)
    return None


def weekend(reader: Reader, index: int) -> Found | None:
    """The weekend on, at, over or by which something happens; the sentence tells which one."""
    if reader.word(index).removesuffix("'s") != "weekend":
        return None
    start = index - 1 if reader.kind(index - 1) == "the" else index
    before = reader.word(start - 1)
    if start == index or before == "around" or (reader.kind(start - 1) != "on" and before not in UNTIL):
        return None
    past = reader.direction(index) < 0 or (not reader.direction(index) and reader.today.weekday() < _MIDWEEK)
    if past and reader.today.weekday() < _SATURDAY:
        return Found(moved(reader.today, "weekend", -1), index + 1)
    return Found(weekend_of(reader.today), index + 1)
