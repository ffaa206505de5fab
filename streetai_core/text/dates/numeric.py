"""Rules for dates in numbers: 2023-03-03, 3.3.2023, 3/14."""

from __future__ import annotations

from datetime import date

from streetai_core.text.dates.calendars import MONTHS_IN_YEAR, month_of
from streetai_core.text.dates.placing import FRAMES, stands_alone
from streetai_core.text.dates.reader import Found, Reader
from streetai_core.text.dates.scanning import full_year
from streetai_core.text.dates.spans import TimeSpan, one_day
from streetai_core.text.dates.verbs import CLEAR
from streetai_core.text.dates.vocabulary import UNTIL

_MOVED = frozenset({"moved", "pushed", "shifted", "changed", "postponed", "delayed", "rescheduled"})

_MEASURES = frozenset({"inch", "inches", "cup", "cups", "mile", "miles", "points", "wrench", "drill", "bolt", "scale"})
"""Behind these kinds of words 3/16 is a fraction."""

_DATED = frozenset({"due", "dated", "starts", "started", "ends", "ended", "expires", "expired", "closes", "opens"})
_DATES = frozenset(
    {"date", "dates", "deadline", "birthday", "cutoff", "day", "flight", "appointment", "appt", "wedding", "party"}
    | {"exam", "interview", "meeting", "concert", "trip", "surgery", "graduation"}
)
_WORDS_OF_SUBJECT = 6
"""Words behind which 12/19 is a day."""

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


def month_of_year(reader: Reader, index: int) -> Found | None:
    """03/2025, behind a word that months stand behind, or as an answer."""
    if reader.kind(index - 1) not in FRAMES | {"on"} and not reader.is_all(index, index + 1):
        return None
    month, year = map(int, reader.word(index).split("/"))
    return Found(month_of(year, month), index + 1)


def slashed(reader: Reader, index: int) -> Found | None:
    """3/14 and 25/12, which leave only one order, behind a word that days stand behind; no fraction."""
    before = index - 1
    while reader.kind(before) in {"comma", "to", "dash", "and"} and reader.kind(before - 1) == "slashed":
        before -= 2
    framed = reader.kind(before) in {"on", "from", "side", "between", "weekday", "day"}
    framed = framed or reader.word(before) in UNTIL or reader.word(before - 1) in _MOVED
    framed = framed or (reader.kind(before) == "comma" and reader.kind(before - 1) == "weekday")
    framed = framed or reader.word(before) in _DATED or _is_of_date(reader, before)
    framed = framed or (reader.word(before) == "off" and reader.word(before - 1) in {"kick", "kicks", "kicked"})
    framed = framed or reader.is_all(index, index + 1)
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


def _is_of_date(reader: Reader, index: int) -> bool:
    """Whether it is said what a date is: "closing date is 12/19", "date's 12/19"."""
    if reader.word(index) in {"is", "was"} or reader.word(index).startswith(":"):
        before = range(max(0, index - _WORDS_OF_SUBJECT), index)
        return any(reader.word(at) in _DATES or reader.word(at - 1) == "cut" for at in before)
    return reader.word(index).removesuffix("'s") in _DATES


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
