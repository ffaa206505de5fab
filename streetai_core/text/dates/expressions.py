"""Times that a text names, as spans of days.

`mentioned_dates` reads English. What the words leave open is read as most people mean it in a chat:

- Weeks run from Monday to Sunday, a weekend is Saturday and Sunday. "Last week" is the Monday to Sunday before this
  one, "last weekend" the weekend of that week, "this weekend" the one of this week (on a Monday to Wednesday, in a
  sentence about the past, the last one), "next weekend" the one of next week.
- "Last Friday" is the most recent one before today, "next Friday" the one of next week, "this Friday" the nearest
  one in the direction of the sentence, today included. "Last June", "last summer", "last Christmas": the most recent
  one that is over. "Next ...": the next one to begin.
- "Friday", "the 12th", "3 March", "in March", "at Easter" without a year: the last or the coming one as the sentence
  tells (`tense`). Where it tells nothing: the coming Friday and 12th, the nearest 3 March, March and Easter. In a
  question about a memory, the last one.
- "Two weeks ago" is the calendar's week that the day is in, "two months ago" its month, "two years ago" its year, "two
  decades ago" the ten years round that year, "a decade ago" the year; "exactly two weeks ago" is the very day, as are
  "two weeks from now", "two weeks from Friday" and "two weeks before Christmas". "A couple" is two, "a few" two to
  five, "several" three to seven, a bare plural ("years ago") two to ten. "The other day" is one of the last seven.
- "The past two weeks", "the last three days", "in the last month" are counted back from today, which is included; so
  is what "has been for two weeks" or "hasn't in ten days". "Within a week", "two weeks left" are counted forward.
- "Early", "mid", "late", "the beginning / middle / end of" are thirds; of a month, 1 to 10, 11 to 20 and the rest; the
  middle of a week is Tuesday to Thursday. Early and late in a year are its first and last quarter; its beginning is
  January, its end December. "The rest of the week" begins today. "The week before" a day is the seven days before
  it; "the month before" a month is the calendar's.
- Seasons are the north's, in whole months; a winter belongs to the year in which it begins. Holidays are the United
  States' where countries differ; those of Jews, Muslims, Hindus and China are known too (`moon`). "The 90s" is the last
  such decade that is over. "The 2010/11 season" is August to May, "the 2010/11 school year" September to June. "Week
  36 of 2024" is that of ISO 8601.
- 03/04/2023 is 3 April: day first, unless only the other order is a date.
- 3/14 and 25/12 are days behind a word that days stand behind, or where they are proposed ("how about 10/21"); 3/4 is
  none.
- "In three working days" counts Mondays to Fridays; feasts are not left out. The financial year begins on 1 April, the
  tax year on 6 April. "A week ago Sunday" is a week before the last one, "by EOD" today.
- "Easter", "Q3" or "4/17" alone, as an answer is, is a time too.
- "Since May" is May until the day on which it was said. "By the end of the month / week / year" is its last day.
- "Between Christmas and New Year" is the days between them. "Christmas was quiet" is the last one, "we're doing
  Christmas at home" the coming one; a feast of which it is said what it is each year is no date.
- "The weekend was quiet" is the weekend just past, on a Sunday this one; "the week was hell" from Friday on this week.
- "The Saturday after" is the one behind the time named before, or else behind the coming Saturday.
- "In two days" in a sentence about the past is how long something took, and "every Friday" is no date: not read.

Times of day are not told apart. An hour or minute count gives the day it falls on, of `said_at` as it stands (no time
zone is applied).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from streetai_core.text.dates import (
    absolute,
    anniversaries,
    coming,
    composed,
    counted,
    numeric,
    others,
    parts,
    periods,
    ranges,
    relative,
    subjects,
)
from streetai_core.text.dates.names import is_title
from streetai_core.text.dates.reader import Found, Reader, Rule
from streetai_core.text.dates.scanning import BREAK, names_time, stretches, tokens_of
from streetai_core.text.dates.spans import Mention, TimeSpan
from streetai_core.text.letter_case import lowered

_COUNTED: tuple[Rule, ...] = (
    coming.weeks_hence,
    coming.left,
    counted.to_the_day,
    composed.narrowed(counted.counted),
    counted.recurring,
)
_NUMBERED: tuple[Rule, ...] = (periods.running_year, absolute.day_month, *_COUNTED, periods.year)

RULES: Mapping[str, tuple[Rule, ...]] = {
    "the": (relative.other_day, anniversaries.same_time, composed.behind_the),
    "day": (relative.day_word,),
    "shift": (
        anniversaries.same_time,
        others.denied,
        composed.several_of,
        composed.nth_of,
        composed.narrowed(relative.shifted),
    ),
    "article": _COUNTED,
    "vague": _COUNTED,
    "half": _COUNTED,
    "cardinal": (absolute.the_ordinal, *_COUNTED),
    "decimal": _COUNTED,
    "number": _NUMBERED,
    "nth": (absolute.day_month, periods.century, composed.nth_of, absolute.the_nth),
    "ordinal": (
        absolute.day_month,
        periods.century,
        composed.nth_quarter,
        composed.several_of,
        composed.nth_of,
        absolute.the_ordinal,
    ),
    "unit": (
        periods.numbered_week,
        parts.week_from,
        parts.to_date,
        parts.just_gone,
        parts.unit_ahead,
        parts.end_of_unit,
        composed.beside,
        others.the_one_after,
        relative.weekend,
        subjects.stretch,
        counted.counted,
    ),
    "part": (composed.beside,),
    "in": (coming.within, coming.ahead),
    "iso": (numeric.numeric,),
    "slashed": (numeric.slashed,),
    "numeric": (numeric.numeric,),
    "monthly": (numeric.month_of_year,),
    "month": (absolute.month_first, composed.beside, absolute.bare_month),
    "year": (periods.year,),
    "years": (periods.running_year,),
    "decade": (periods.decade,),
    "quarter": (periods.quarter,),
    "half-year": (periods.quarter,),
    "season": (composed.beside, periods.season),
    "holiday": (composed.beside, periods.holiday),
    "shorthand": (parts.shorthand,),
    "weekday": (parts.just_gone, others.denied, composed.beside, others.the_one_after, absolute.weekday),
    "early": (parts.thirds,),
    "edge": (parts.thirds,),
    "nearer": (parts.nearer,),
    "on": (coming.going_on,),
    "another": (coming.another,),
    "from": (ranges.spread,),
    "between": (ranges.spread,),
}
"""The rules that may begin at a token of each kind, in the order in which they are tried."""

_NOT_EACH = frozenset({"some", "any", "many", "most", "no"})
"""Of the words of kind "every" those that count things, where a time follows that is told by itself."""

_RANGED = frozenset({"weekday", "month", "number", "nth", "iso", "numeric", "slashed", "year", "day"})
"""What a range may begin with that nothing announces: "Monday to Friday", "June-August", "3 May - 5 June"."""


def mentioned_dates(text: str, said_at: datetime) -> list[Mention]:
    """The times that `text` names, read as said at `said_at`, in the order of the text; they do not overlap.

    Takes time linear in the length of the text, about 10 microseconds for a message that names no time. Whatever
    is no date of the calendar (31 June, the year 12000) is passed over. Never raises.
    """
    return list(_mentions(text, said_at, default=0, onwards=True))


def asked_dates(question: str, asked_at: datetime) -> list[Mention]:
    """The times that a question about what is remembered names, in order: undecided dates are taken from the past."""
    return list(_mentions(question, asked_at, default=-1, onwards=False))


def _mentions(text: str, said_at: datetime, *, default: int, onwards: bool) -> Iterator[Mention]:
    """The mentions; with `onwards`, what has been so since a time is drawn out to the day on which it was said."""
    lower = lowered(text)
    if not names_time(lower):
        return
    for start, end in stretches(lower):
        tokens = tokens_of(text, lower, start, end)
        yield from _read(Reader(lower, tokens, said_at, default, RULES), len(tokens), onwards=onwards)


def _read(reader: Reader, size: int, *, onwards: bool) -> Iterator[Mention]:
    index = 0
    while index < size:
        kind = reader.kind(index)
        if kind == BREAK or kind not in RULES:
            index = _behind_every(reader, index) if kind == "every" else index + 1
            continue
        found = _longest(reader, index)
        if found is None or is_title(reader, index, found.end):
            index = index + 1 if found is None else found.end
            continue
        span = found.span
        if span.start <= reader.today:
            if onwards and reader.goes_on(index, found.end):
                span = TimeSpan(span.start, max(span.end, reader.today))
            elif reader.ends_now(index, found.end):
                span = TimeSpan(span.start, min(span.end, reader.today))
        reader.previous = found.span
        yield Mention(span, reader.token(index).start, reader.token(found.end - 1).end)
        index = found.end


def _longest(reader: Reader, index: int) -> Found | None:
    """The expression at a token, drawn out to a range where one follows."""
    found = reader.expression(index)
    shifted = reader.kind(index) == "shift" and reader.kind(index + 1) == "weekday"  # "next Monday to Friday"
    opens = shifted or reader.kind(index) in _RANGED or ranges.opens_with_day(reader, index)
    if (
        found is not None
        and reader.word(found.end) == "and"
        and reader.kind(index) in {"month", "the", "day", "weekday"}
    ):
        return ranges.both(reader, found) or found
    if found is None or not opens or reader.kind(found.end) not in {"to", "dash"}:
        return found
    try:
        return ranges.extended(reader, index, found) or found
    except (ValueError, OverflowError):
        return found


def _behind_every(reader: Reader, index: int) -> int:
    """The index behind what happens again and again: "every Friday", "each last week of the month"."""
    behind = reader.skip(index + 1, "other")
    if reader.word(index) in {"some", "many"} and _is_amount(reader, behind):  # "some ten days ago"
        return behind
    if reader.word(index) in _NOT_EACH and reader.kind(behind) in {"day", "shift", "the"}:  # "did you buy any today"
        return behind
    found = reader.expression(behind)
    return behind if found is None else found.end


def _is_amount(reader: Reader, index: int) -> bool:
    return reader.kind(index) in {"cardinal", "number"} or (
        reader.kind(index) == "unit" and reader.word(index).endswith("s")
    )
