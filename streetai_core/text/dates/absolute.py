"""Rules for days and months of the calendar: numeric dates, days of a month, weekdays."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, timedelta

from streetai_core.text.dates.calendars import (
    DAYS_IN_WEEK,
    MONTHS_IN_YEAR,
    month_of,
    weekday_after,
    weekday_before,
)
from streetai_core.text.dates.names import is_name
from streetai_core.text.dates.placing import FRAMES, in_frame, longer_time, stands_alone
from streetai_core.text.dates.reader import Found, Reader
from streetai_core.text.dates.scanning import full_year
from streetai_core.text.dates.spans import TimeSpan, one_day
from streetai_core.text.dates.verbs import CLEAR
from streetai_core.text.dates.vocabulary import DOUBTFUL_MONTHS, SHORT

_LAST_DAY = 31

_MOVED = frozenset({"moved", "pushed", "shifted", "changed", "postponed", "delayed", "rescheduled"})

_MEASURES = frozenset({"inch", "inches", "cup", "cups", "mile", "miles", "points", "wrench", "drill", "bolt", "scale"})
"""Behind these kinds of words 3/16 is a fraction."""

_SUITS = frozenset({"works", "suits", "doesn"})
_LINKS = frozenset({"is", "looks", "sounds"})
_SUITING = frozenset(
    {"ok", "okay", "fine", "good", "great", "perfect", "best", "better", "free", "possible", "available", "doable"}
    | {"work", "suit", "alright", "still", "too"}
)
_BEFORE_SUITING = {"be": 1, "at": 2}
"""Words before it, and how far: "would 10/21 be better", "does 10/21 at noon work"."""

_ASKING_IF = frozenset({"is", "does", "would", "will"})
_OPENING = frozenset({"so", "and", "or", "but", "think", "maybe", "if", "yes", "yeah", "ok", "okay", "hey", "then"})
"""What stands round a day that is proposed: "is 10/21 ok", "so 10/21 works"."""

_MOST_PROPOSED = 3
"""Days that are proposed at once: "does 10/21 or 10/22 work"."""

_MOST_MONTHS = 40
"""How far to look for a "Friday the 13th": it comes within 14 months, a "Friday the 31st" may take years."""

_NUMBERED = frozenset({"number", "nth", "ordinal"})

_MONTH_FRAMES = FRAMES - {"on"}
_MONTH_FRAME_WORDS = frozenset({"by", "since", "during", "around", "over", "throughout"})
_CLEAR_FRAMES = frozenset({"in", "during", "since", "by", "between", "until", "early", "mid", "late"})
"""Words behind which even "may" and "march" in small letters are months."""

_AMBIGUOUS_DAYS = frozenset({"sat", "sun", "wed", "mon"})
"""Short weekdays that are other words where nobody wrote a capital."""


def numeric(reader: Reader, index: int) -> Found | None:
    """2023-03-03, 2023/3/3, 03/03/2023, 3.3.2023, 3/3/23; the day comes first unless only the month can."""
    text = reader.word(index)
    separator = next(mark for mark in text if not mark.isdigit())
    first, second, third = map(int, text.split(separator))
    if reader.kind(index) == "iso":
        return Found(one_day(date(first, second, third)), index + 1)
    if second > MONTHS_IN_YEAR:
        first, second = second, first
    year = full_year(third) if third < 100 else third  # noqa: PLR2004 - two digits
    return Found(one_day(date(year, second, first)), index + 1)


def slashed(reader: Reader, index: int) -> Found | None:
    """3/14 and 25/12, which leave only one order, behind a word that days stand behind; no fraction."""
    before = index - 1
    while reader.kind(before) in {"comma", "to", "dash", "and"} and reader.kind(before - 1) == "slashed":
        before -= 2
    framed = reader.kind(before) in {"on", "from", "side", "between", "weekday", "day"}
    framed = framed or reader.word(before) in {"until", "till"} or reader.word(before - 1) in _MOVED
    framed = framed or (reader.kind(before) == "comma" and reader.kind(before - 1) == "weekday")
    proposed = not framed and _is_proposed(reader, before, index + 1)
    if not (framed or proposed) or reader.kind(index + 1) in {"of", "unit"} or reader.word(index + 1) in _MEASURES:
        return None
    day, month = sorted(map(int, reader.word(index).split("/")), reverse=True)

    def of_year(year: int) -> TimeSpan:
        return one_day(date(year, month, day))

    ahead = proposed and reader.direction(index, CLEAR) >= 0
    span = (
        reader.nearest(of_year, lambda span: span.end >= reader.anchor) if ahead else reader.occurrence(index, of_year)
    )
    return Found(span, index + 1, fixed=False)


def _is_proposed(reader: Reader, before: int, behind: int) -> bool:
    """Whether it is asked or said whether a day suits: "can you do 10/21", "how about 10/21", "is 10/21 ok"."""
    for _ in range(_MOST_PROPOSED):
        if reader.kind(behind) in {"comma", "to", "dash", "and"} and reader.kind(behind + 1) == "slashed":
            behind += 2
    word, following = reader.word(before), reader.word(behind)
    if word == "do" or (word == "about" and reader.word(before - 1) in {"how", "what"}):
        return following == "instead" or stands_alone(reader, behind)
    if word in _ASKING_IF:
        following = reader.word(behind + _BEFORE_SUITING.get(following, 0))
        return following in _SUITING and _opens(reader, before - 1)
    suits = following in _SUITS or (following in _LINKS and reader.word(behind + 1) in _SUITING)
    return suits and _opens(reader, before)


def _opens(reader: Reader, index: int) -> bool:
    """Whether what follows on a token may begin a sentence, so that no score stands there."""
    word = reader.word(index)
    return not word.isalpha() or word in _OPENING


def day_month(reader: Reader, index: int) -> Found | None:
    """3 March, 3rd of March 2023, the third of March, 3 to 5 March; the year may follow."""
    first, behind = reader.number(index), index + 1
    last = first
    if reader.kind(behind) in {"to", "dash"} and reader.kind(at_last := reader.skip(behind + 1, "the")) in _NUMBERED:
        last, behind = reader.number(at_last), at_last + 1
    joined = reader.skip(behind, "of") if reader.word(behind) != "-" else behind + 1
    if reader.kind(joined) != "month" or not first <= last <= _LAST_DAY or _has_own_day(reader, joined):
        return None
    if reader.kind(index) == "ordinal" and reader.kind(behind) != "of":
        return None
    certain = reader.kind(index) != "number" or reader.kind(behind) == "of"
    return _dated(reader, joined, (first, last), joined + 1, certain=certain)


def _has_own_day(reader: Reader, month: int) -> bool:
    """Whether a day follows the month, so that a number before it is no day of it: "June 16 - July 15"."""
    behind = reader.kind(month + 1)
    return behind in {"number", "nth"} and 1 <= reader.number(month + 1) <= _LAST_DAY


def month_first(reader: Reader, index: int) -> Found | None:
    """March 3, March 3rd 2023, March the 3rd, March 3 to 5, March 2023, March '23, March of last year."""
    behind = reader.skip(index + 1, "dash", "the")
    if reader.kind(behind) in _NUMBERED and 1 <= reader.number(behind) <= _LAST_DAY:
        first = last = reader.number(behind)
        certain = reader.kind(behind) == "nth"
        behind += 1
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
        or (kind == "on" and longer_time(reader, index + 1) is not None)
    )


def the_nth(reader: Reader, index: int) -> Found | None:
    """A day of a month that is not named: "the 12th", "on the 3rd"."""
    number = reader.number(index)
    framed = reader.kind(index - 1) == "the" and reader.kind(index - 2) != "in"
    framed = framed and (reader.word(index - 2) != "for" or reader.direction(index, CLEAR) > 0)
    if not framed or not 1 <= number <= _LAST_DAY or not stands_alone(reader, index + 1):
        return None
    return _day_of_some_month(reader, index, range(DAYS_IN_WEEK))


def _day_of_some_month(reader: Reader, index: int, weekdays: Collection[int]) -> Found | None:
    """The last or the coming day with the number at `index` that is one of the `weekdays`."""
    sign = reader.direction(index)
    if sign or len(weekdays) > 1:
        return _search_months(reader, index, weekdays, sign or 1)
    both = [found for sign in (-1, 1) if (found := _search_months(reader, index, weekdays, sign))]
    return min(both, key=lambda found: abs(found.span.start - reader.anchor), default=None)


def _search_months(reader: Reader, index: int, weekdays: Collection[int], sign: int) -> Found | None:
    number, today = reader.number(index), reader.anchor
    month = today.replace(day=1)
    for _ in range(_MOST_MONTHS):
        span = month_of(month.year, month.month)
        if number <= span.days:
            day = month.replace(day=number)
            if (day == today or (day < today) == (sign < 0)) and day.weekday() in weekdays:
                return Found(one_day(day), index + 1, fixed=False)
        month = span.end + timedelta(1) if sign > 0 else (span.start - timedelta(1)).replace(day=1)
    return None


def weekday(reader: Reader, index: int) -> Found | None:
    """Friday, Friday night, Friday week, Friday last week, Friday the 13th, Friday, 12 May 2023."""
    if not _weekday_is_meant(reader, index):
        return None
    behind = reader.skip(index + 1, "comma")
    behind = reader.skip(behind, "the")
    if reader.kind(behind) == "nth" and reader.kind(reader.skip(behind + 1, "of")) != "month":
        return _day_of_some_month(reader, behind, {reader.number(index)})
    dated = _date_behind(reader, behind)
    if dated is not None:
        return _on_weekday(reader, dated, reader.number(index))
    number = reader.number(index)
    behind = reader.skip(index + 1, "part")
    outer = _week_behind(reader, reader.skip(behind, "of", "in", "comma"))
    if outer is not None:
        day = weekday_after(outer.span.start - timedelta(1), number)
        return Found(one_day(day), outer.end, outer.fixed)
    if reader.word(behind) == "week" and reader.kind(behind + 1) != "number" and reader.direction(index) >= 0:
        return Found(one_day(weekday_after(reader.anchor, number) + timedelta(DAYS_IN_WEEK)), behind + 1)
    nearest = weekday_before if reader.direction(index) < 0 else weekday_after
    return Found(one_day(nearest(reader.anchor, number)), behind, fixed=False)


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
    if token.word not in SHORT:
        return reader.word(index - 1) not in {"following", "preceding"}  # of a day that the story is at
    framed = reader.kind(index - 1) in FRAMES or reader.kind(index + 1) in {"part", "number", "nth"}
    return (token.titled or token.word not in _AMBIGUOUS_DAYS) and (framed or reader.kind(index + 1) == "comma")


def _date_behind(reader: Reader, index: int) -> Found | None:
    kind = reader.kind(index)
    if kind in {"number", "nth"} and reader.number(index) <= _LAST_DAY:
        return day_month(reader, index)
    if kind == "month":
        return month_first(reader, index)
    if kind == "slashed":
        return slashed(reader, index)
    return numeric(reader, index) if kind in {"iso", "numeric"} else None


def _week_behind(reader: Reader, index: int) -> Found | None:
    if reader.kind(index) not in {"shift", "cardinal", "article", "number", "the"}:
        return None
    found = reader.expression(index)
    return found if found is not None and 1 < found.span.days <= 7 else None  # noqa: PLR2004 - a week
