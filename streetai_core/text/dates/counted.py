"""Rules for amounts and where they are counted from: "two weeks ago", "a day before Christmas", "two Fridays ago"."""

from __future__ import annotations

from datetime import timedelta

from streetai_core.text.dates.amounts import (
    CLOCK_UNITS,
    WEEKS,
    Amount,
    amount,
    away,
    count,
    from_now,
    moved,
    weeks_from,
)
from streetai_core.text.dates.calendars import (
    DAYS_IN_WEEK,
    MONTHS_IN_YEAR,
    add_months,
    holiday_of,
    season_of,
    weekday_after,
    weekday_before,
)
from streetai_core.text.dates.numbers import ONE
from streetai_core.text.dates.reader import Found, Reader
from streetai_core.text.dates.spans import TimeSpan, one_day

_LONG_UNITS = frozenset({"week", "month", "year", "decade"})
"""Units with which "three years now" tells when something began."""

_EXACT_MONTHS = {"month": 1, "year": MONTHS_IN_YEAR}
"""Months of the units that keep the day of the month: "a year ago today"."""


def counted(reader: Reader, index: int) -> Found | None:
    """An amount and where it is counted from: "two weeks ago", "a day before Christmas", "three days from now"."""
    read = amount(reader, index)
    if read is None:
        return None
    kind = reader.kind(read.end)
    found = _ago(reader, read) if kind == "ago" else _before_last(reader, read)
    if found is not None or kind == "ago":
        return found
    if read.bare:
        return None
    if reader.word(read.end) == "and":
        return _two_ago(reader, read)
    if kind not in {"from", "side"}:
        return _hence(reader, read)
    lasting = _lasting_from(reader, read) if reader.word(index - 1) == "for" else None
    return lasting or _hence(reader, read) or _counted_from(reader, read)


def _lasting_from(reader: Reader, read: Amount) -> Found | None:
    """What lasts so long from a day on: "away for two weeks from Monday"."""
    if read.unit not in WEEKS or reader.kind(read.end) != "from":
        return None
    origin = _origin(reader, read)
    if origin is None or origin.span.days > 1:
        return None
    days = int(read.count.high * WEEKS[read.unit])
    last = origin.span.start + timedelta(days - 1)
    return Found(TimeSpan(origin.span.start, last), origin.end, origin.fixed) if days else None


def _two_ago(reader: Reader, read: Amount) -> Found | None:
    """So long and so long ago: "a year and two months ago", "two weeks and a day ago"."""
    more = amount(reader, read.end + 1)
    if more is None or more.bare or reader.word(more.end) != "ago" or {read.unit, more.unit} & CLOCK_UNITS:
        return None
    months = _EXACT_MONTHS.get(read.unit, 0)
    if months:
        day = add_months(reader.today, -int(read.count.low * months))
    elif read.unit in WEEKS:
        day = reader.today - timedelta(int(read.count.low * WEEKS[read.unit]))
    else:
        return None
    return Found(away(day, more.count, more.unit, -1), more.end + 1)


def _hence(reader: Reader, read: Amount) -> Found | None:
    """So far from now on: "three days from now", "ninety days hence"."""
    behind = read.end + 1
    if reader.word(read.end) != "hence":
        if reader.kind(read.end) != "from" or reader.word(behind) != "now":
            return None
        behind += 1
    if read.unit in WEEKS:  # as of "a week from today"
        return Found(weeks_from(reader.today, read), behind)
    return Found(from_now(reader.now, read, 1), behind)


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
    origin = _origin(reader, read)
    if origin is None or reader.kind(origin.end) == "to":  # "22 days from 3 May to 24 May"
        return None
    sign = reader.number(read.end)
    if origin.span.days == 1 and read.unit in WEEKS:
        return Found(weeks_from(origin.span.start, read, -1 if sign < 0 else 1), origin.end, origin.fixed)
    months = _EXACT_MONTHS.get(read.unit, 0)
    if months and reader.kind(read.end) == "from" and origin.span.days == 1:
        day = add_months(origin.span.start, int(read.count.low * months))
        return Found(one_day(day), origin.end)
    anchor = origin.span.start if sign < 0 else origin.span.end
    return Found(away(anchor, read.count, read.unit, sign), origin.end, origin.fixed)


def _origin(reader: Reader, read: Amount) -> Found | None:
    """The time from which an amount is counted."""
    if reader.kind(read.end) == "from" and reader.kind(read.end + 1) == "weekday" and read.unit in WEEKS:
        # Whatever the sentence tells: "I got an appointment a week from Monday".
        return reader.expression_from(read.end + 1, reader.today, 1)
    return None if read.unit in CLOCK_UNITS else reader.expression(read.end + 1)


def _exactly_ago(reader: Reader, read: Amount, index: int) -> Found | None:
    """A day so long before a day: "a year ago today", "two weeks ago yesterday"; or "a year ago this week"."""
    months = _EXACT_MONTHS.get(read.unit, 0)
    if months and reader.word(index) == "this" and reader.word(index + 1) in {"week", "month"}:
        day = add_months(reader.today, -int(read.count.low * months))
        return Found(moved(day, reader.word(index + 1), 0), index + 2)
    weeks = timedelta(int(read.count.low * WEEKS.get(read.unit, 0)))
    if weeks and (counted_from := _weekday_behind(reader, read, index)):
        return Found(one_day(counted_from.span.start - weeks), counted_from.end)
    if reader.kind(index) != "day" or not (months or weeks):
        return None
    day = reader.today + timedelta(reader.number(index))
    return Found(one_day(add_months(day, -int(read.count.low * months)) if months else day - weeks), index + 1)


def _weekday_behind(reader: Reader, read: Amount, index: int) -> Found | None:
    """The last weekday of a name, from which "three weeks ago last Sunday" and "a week ago Sunday" are counted."""
    at_weekday = index + 1 if reader.word(index) == "last" else index
    if reader.kind(at_weekday) != "weekday" or not (at_weekday > index or read.count == ONE):
        return None
    return Found(one_day(weekday_before(reader.today, reader.number(at_weekday))), at_weekday + 1)


def recurring(reader: Reader, index: int) -> Found | None:
    """So many weekdays, seasons or feasts away: "two Fridays ago", "three summers ago", "two Sundays from now"."""
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
    if reader.kind(behind) in {"seasons", "holidays"}:
        name = reader.name(behind)
        of_year = season_of if reader.kind(behind) == "seasons" else holiday_of
        last = reader.nearest(lambda year: of_year(year, name), lambda span: span.end < reader.today)
        return Found(of_year(last.start.year - times, name), behind + 2)
    return None
