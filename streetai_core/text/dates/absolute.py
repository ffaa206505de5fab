"""Rules for days and months of the calendar: days of a month, months, weekdays."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, timedelta
from typing import NamedTuple

from streetai_core.text.dates import numeric
from streetai_core.text.dates.calendars import (
    DAYS_IN_WEEK,
    month_of,
    weekday_after,
    weekday_before,
)
from streetai_core.text.dates.names import is_name
from streetai_core.text.dates.placing import (
    FRAMES,
    MADE_FOR_A_TIME,
    NUMBERED_THINGS,
    in_frame,
    longer_time,
    stands_alone,
)
from streetai_core.text.dates.reader import Found, Reader
from streetai_core.text.dates.scanning import BREAK
from streetai_core.text.dates.spans import TimeSpan, one_day
from streetai_core.text.dates.verbs import CLEAR, PRESENT
from streetai_core.text.dates.vocabulary import DOUBTFUL_MONTHS

_LAST_DAY = 31

_MOST_COUNTED = 10
"""Up to the tenth more is counted than days: "he failed on the second"."""

_SUBJECTS = frozenset({"i", "we", "he", "she", "they", "it", "my", "our"})
"""Words behind "On the tenth" that begin what happened then."""

_TENS = (20, 30)
_LARGEST_DIGIT = 9
"""Behind "twenty" and "thirty" an ordinal up to "ninth" is their last digit."""

_MOST_MONTHS = 40
"""How far to look for a "Friday the 13th": it comes within 14 months, a "Friday the 31st" may take years."""

_NUMBERED = frozenset({"number", "nth", "ordinal"})

_MONTH_FRAMES = FRAMES - {"on"}
_MONTH_FRAME_WORDS = frozenset({"by", "since", "during", "around", "over", "throughout"})
_GIVEN_NAMES = frozenset({"jan", "april", "may", "june", "august"})
"""Months for whom something may be."""

_CLEAR_FRAMES = frozenset({"in", "during", "since", "by", "between", "until", "early", "mid", "late"})
"""Words behind which even "may" and "march" in small letters are months."""

_AMBIGUOUS_DAYS = frozenset({"sat", "sun", "wed", "mon"})
"""Short weekdays that are other words too: they count where days stand, with a capital or as "mon"."""


def day_month(reader: Reader, index: int) -> Found | None:
    """3 March, 3rd of March 2023, the third of March, 3 to 5 March; the year may follow."""
    first, behind = reader.number(index), index + 1
    last = first
    at_last = reader.skip(behind + 1, "the")
    both = reader.word(behind) == "and" and reader.number(at_last) == first + 1
    if (both or reader.kind(behind) in {"to", "dash"}) and reader.kind(at_last) in _NUMBERED:
        last, behind = reader.number(at_last), at_last + 1
    joined = reader.skip(behind, "of") if reader.word(behind) != "-" else behind + 1
    if reader.kind(joined) != "month" or not first <= last <= _LAST_DAY or _has_own_day(reader, joined):
        return None
    if reader.kind(index) == "ordinal" and reader.kind(behind) != "of":
        return None
    certain = reader.kind(index) != "number" or reader.kind(behind) == "of"
    certain = certain or (reader.kind(index - 1) in {"to", "on", "weekday"} and stands_alone(reader, joined + 1))
    return _dated(reader, joined, (first, last), joined + 1, certain=certain)


def _has_own_day(reader: Reader, month: int) -> bool:
    """Whether a day follows the month, so that a number before it is no day of it: "June 16 - July 15"."""
    behind = reader.kind(month + 1)
    return behind in {"number", "nth"} and 1 <= reader.number(month + 1) <= _LAST_DAY


def month_first(reader: Reader, index: int) -> Found | None:
    """March 3, March 3rd 2023, March 3 to 5, March 2023, March '23, March of last year, June next year."""
    behind = reader.skip(index + 1, "dash", "the")
    if reader.kind(behind) in _NUMBERED and 1 <= reader.number(behind) <= _LAST_DAY:
        first = last = reader.number(behind)
        certain = reader.kind(behind) == "nth"
        behind += 1
        framed = reader.kind(index - 1) in FRAMES | {"on"} or reader.word(index - 1) in {"is", "was"}
        certain = certain or (framed and (reader.kind(behind) in {"to", "dash"} or stands_alone(reader, behind)))
        at_last = reader.skip(behind + 1, "the")
        joined = reader.kind(behind) in {"to", "dash"} or (
            reader.word(behind) == "and" and reader.kind(at_last) == "nth"
        )
        if joined and _is_day(reader, at_last, first):
            last, behind = reader.number(at_last), at_last + 1
        return _dated(reader, index, (first, last), behind, certain=certain)
    behind = reader.skip(index + 1, "of", "comma", "dash")
    if year := reader.year(behind):
        return Found(month_of(year, reader.number(index)), behind + 1)
    certain = reader.word(index) not in DOUBTFUL_MONTHS or reader.token(index).titled
    if certain and reader.kind(index + 1) == "shift" and reader.word(index + 2) == "year":
        return Found(month_of(reader.anchor.year + reader.number(index + 1), reader.number(index)), index + 3)
    return None


def _is_day(reader: Reader, index: int, first: int) -> bool:
    """Whether a token is the second day of a range in one month: no month of its own may follow."""
    number = reader.number(index)
    return reader.kind(index) in _NUMBERED and first < number <= _LAST_DAY and reader.kind(index + 1) != "month"


def _dated(reader: Reader, month: int, days: tuple[int, int], behind: int, *, certain: bool) -> Found | None:
    """The days of the month at token `month`, in the year that follows at `behind` or else in the one meant."""
    number = reader.number(month)

    def of_year(year: int) -> TimeSpan:
        return TimeSpan(date(year, number, days[0]), date(year, number, days[1]))

    at_year = reader.skip(behind, "comma", "dash", "of")
    if year := reader.year(at_year):
        return Found(of_year(year), at_year + 1)
    token = reader.token(month)
    if not certain and token.word in DOUBTFUL_MONTHS and not token.titled:
        return None
    return in_frame(reader, month, behind, of_year)


def bare_month(reader: Reader, index: int) -> Found | None:
    """A month behind a word that dates stand behind: "in March", "early May", "between June and August"."""
    if not _month_is_meant(reader, index):
        return None
    return in_frame(reader, index, index + 1, reader.yearly(index))


def _month_is_meant(reader: Reader, index: int) -> bool:
    before = index - 1
    if reader.kind(before) in {"dash", "the"} and reader.kind(before - 1) in {"early", "edge"}:
        before -= 1
    kind, word = reader.kind(before), reader.word(before)
    token = reader.token(index)
    if not token.titled and token.word in DOUBTFUL_MONTHS:
        return word in _CLEAR_FRAMES
    if kind == "and" or (kind == "dash" and reader.kind(before - 1) == "month"):
        return reader.kind(before - 1) in {"month", "nth"} or reader.kind(before - 2) == "between"
    return (
        kind in _MONTH_FRAMES
        or word in _MONTH_FRAME_WORDS
        or (reader.kind(index + 1) in {"to", "dash"} and reader.kind(index + 2) == "month")
        or (word == "for" and (token.word not in _GIVEN_NAMES or reader.word(before - 1) in MADE_FOR_A_TIME))
        or (kind == "on" and longer_time(reader, index + 1) is not None)
        or reader.is_all(index, index + 1)
    )


class _Numbered(NamedTuple):
    """A day of a month without the month: the token it begins at, its number, and the token behind it."""

    at: int
    number: int
    end: int


def the_nth(reader: Reader, index: int) -> Found | None:
    """A day of a month that is not named: "the 12th", "on the 3rd"."""
    number = reader.number(index)
    framed = reader.kind(index - 1) == "the" and reader.kind(index - 2) != "in"
    framed = framed and (reader.word(index - 2) != "for" or reader.direction(index, CLEAR) > 0)
    alone = stands_alone(reader, index + 1) or (
        reader.kind(index - 2) == "on"
        and reader.kind(index + 1) == BREAK
        and reader.word(index + 1) not in NUMBERED_THINGS
    )
    if not framed or not 1 <= number <= _LAST_DAY or not alone:
        return None
    return _day_of_some_month(reader, _Numbered(index, number, index + 1), range(DAYS_IN_WEEK))


def the_ordinal(reader: Reader, index: int) -> Found | None:
    """A day of a month that is not named, in words: "until the twenty-first"; low ones only where something is due."""
    day = _in_words(reader, index)
    if day is None or reader.kind(index - 1) != "the" or reader.kind(index - 2) not in {"on", "from", "to"}:
        return None
    certain = day.number > _MOST_COUNTED or reader.direction(index, PRESENT) > 0
    certain = certain or (not reader.word(index - 3).isalnum() and reader.word(day.end) in _SUBJECTS)
    if reader.word(index - 2) == "for" or not certain or not stands_alone(reader, day.end):
        return None
    return _day_of_some_month(reader, day, range(DAYS_IN_WEEK))


def _in_words(reader: Reader, index: int) -> _Numbered | None:
    """The day of a month that is written in words: "third", "thirty-first"."""
    if reader.kind(index) == "ordinal":
        return _Numbered(index, reader.number(index), index + 1)
    behind = reader.skip(index + 1, "dash")
    if reader.kind(index) != "cardinal" or reader.number(index) not in _TENS or reader.kind(behind) != "ordinal":
        return None
    last_digit = reader.number(behind)
    number = reader.number(index) + last_digit
    return _Numbered(index, number, behind + 1) if last_digit <= _LARGEST_DIGIT and number <= _LAST_DAY else None


def _day_of_some_month(reader: Reader, numbered: _Numbered, weekdays: Collection[int]) -> Found | None:
    """The last or the coming day with a number that is one of the `weekdays`."""
    sign = reader.direction(numbered.at)
    if sign or len(weekdays) > 1:
        return _search_months(reader, numbered, weekdays, sign or 1)
    both = [found for sign in (-1, 1) if (found := _search_months(reader, numbered, weekdays, sign))]
    return min(both, key=lambda found: abs(found.span.start - reader.anchor), default=None)


def _search_months(reader: Reader, numbered: _Numbered, weekdays: Collection[int], sign: int) -> Found | None:
    number, today = numbered.number, reader.anchor
    month = today.replace(day=1)
    for _ in range(_MOST_MONTHS):
        span = month_of(month.year, month.month)
        if number <= span.days:
            day = month.replace(day=number)
            if (day == today or (day < today) == (sign < 0)) and day.weekday() in weekdays:
                return Found(one_day(day), numbered.end, fixed=False)
        month = span.end + timedelta(1) if sign > 0 else (span.start - timedelta(1)).replace(day=1)
    return None


def weekday(reader: Reader, index: int) -> Found | None:
    """Friday, Friday night, Friday week, Friday last week, Friday the 13th, Friday, 12 May 2023."""
    if not _weekday_is_meant(reader, index):
        return None
    behind = reader.skip(index + 1, "comma")
    behind = reader.skip(behind, "the")
    numbered = _numbered_behind(reader, behind)
    if numbered is not None:
        return _day_of_some_month(reader, numbered, {reader.number(index)})
    dated = _date_behind(reader, behind)
    if dated is not None:
        return _on_weekday(reader, dated, reader.number(index))
    number = reader.number(index)
    behind = reader.skip(index + 1, "part")
    outer = _week_behind(reader, reader.skip(behind, "of", "in", "comma"))
    if outer is not None:
        day = weekday_after(outer.span.start - timedelta(1), number)
        return Found(one_day(day), outer.end, outer.fixed)
    weeks = {"week": 1, "fortnight": 2}.get(reader.word(behind), 0)
    if weeks and reader.kind(behind + 1) != "number" and reader.direction(index) >= 0:
        return Found(one_day(weekday_after(reader.anchor, number) + timedelta(DAYS_IN_WEEK * weeks)), behind + 1)
    nearest = weekday_before if reader.direction(index) < 0 else weekday_after
    return Found(one_day(nearest(reader.anchor, number)), behind, fixed=False)


def _numbered_behind(reader: Reader, index: int) -> _Numbered | None:
    """The day of a month that follows a weekday, without the month: "Friday the 13th", "Sunday the sixteenth"."""
    if reader.kind(index) == "nth":
        month = reader.kind(reader.skip(index + 1, "of")) == "month"
        counted = reader.kind(index - 1) == "comma" and not stands_alone(reader, index + 1)  # "Thursday, 2nd row"
        return None if month or counted else _Numbered(index, reader.number(index), index + 1)
    spelled = _in_words(reader, index) if reader.kind(index - 1) == "the" else None
    return spelled if spelled is not None and stands_alone(reader, spelled.end) else None


def _on_weekday(reader: Reader, dated: Found, number: int) -> Found:
    """The date, in the nearest year in which it is on the weekday that is named, if the sentence left the year open."""
    day = dated.span.start
    if dated.fixed or dated.span.days > 1 or day.weekday() == number:
        return dated
    try:
        span = reader.nearest(lambda year: one_day(day.replace(year=year)), lambda span: span.start.weekday() == number)
    except ValueError:  # never on that day in the years around
        return dated
    return Found(span, dated.end, fixed=False) if abs(span.start.year - reader.anchor.year) <= 1 else dated


def _weekday_is_meant(reader: Reader, index: int) -> bool:
    token = reader.token(index)
    if is_name(reader, index):
        return False
    if token.word not in _AMBIGUOUS_DAYS:
        return reader.word(index - 1) not in {"following", "preceding"}  # of a day that the story is at
    framed = reader.kind(index - 1) in FRAMES or reader.kind(index + 1) in {"part", "number", "nth", "comma"}
    framed = framed or (reader.kind(index + 1) in {"to", "dash"} and reader.kind(index + 2) == "weekday")
    framed = framed or (reader.kind(index - 1) == "and" and reader.kind(index - 2) == "weekday")
    return framed and (token.titled or token.word == "mon")


def _date_behind(reader: Reader, index: int) -> Found | None:
    kind = reader.kind(index)
    if kind in {"number", "nth"} and reader.number(index) <= _LAST_DAY:
        return day_month(reader, index)
    if kind == "month":
        return month_first(reader, index)
    if kind == "slashed":
        return numeric.slashed(reader, index)
    return numeric.numeric(reader, index) if kind in {"iso", "numeric"} else None


def _week_behind(reader: Reader, index: int) -> Found | None:
    if reader.kind(index) not in {"shift", "cardinal", "article", "number", "the"}:
        return None
    found = reader.expression(index)
    return found if found is not None and 1 < found.span.days <= 7 else None  # noqa: PLR2004 - a week
