"""Where in time a date without a year stands: in a longer time named beside it, or as the sentence tells."""

from __future__ import annotations

import re
from collections.abc import Callable

from streetai_core.text.dates.reader import Found, Reader
from streetai_core.text.dates.scanning import BREAK
from streetai_core.text.dates.spans import TimeSpan

FRAMES = frozenset({"in", "on", "from", "between", "side", "of", "early", "edge", "to"})
"""Kinds of words that a date stands behind."""

_LONG = 28
"""Days of the shortest time in which a month or a date is looked for."""


_FUNCTION_WORD = re.compile(
    r"a(?:t|nd|s|lso|bout|ccording|round|gain|re)|b(?:ut|y|ecause|efore)|after|or|so|since|wh(?:en|ere|ich)|i[fstn]?"
    r"|instead"
    r"|w(?:e|as|ere|ill|ith|orks?|ould)|you|s?he|the(?:y|n|re)|here|th(?:at|is)|f(?:or|rom|ree|ine)|too?|un(?:til|less)"
    r"|till|my|our|c(?:an|ould)|should|not|ok(?:ay)?|please"
)
"""Behind "the 12th" they show that no noun follows, as one would in "the 12th floor"."""


MADE_FOR_A_TIME = frozenset(
    {"goals", "goal", "plans", "plan", "resolutions", "budget", "targets", "taxes", "return", "forecast", "numbers"}
    | {"bill", "bills", "rent", "report", "invoice", "figures", "statement", "schedule", "payslip", "sales", "results"}
    | {"earnings", "roadmap"}
)
"""What stands before "for June" and "for 2019", and behind "Q3"."""

NUMBERED_THINGS = frozenset(
    {"floor", "street", "st", "avenue", "ave", "road", "grade", "century", "edition", "anniversary", "birthday"}
    | {"hole", "row", "chapter", "attempt", "try", "time", "place", "round", "page", "level", "lap", "mile"}
    | {"amendment", "step", "slide", "position", "tier", "episode", "one", "track", "question", "line", "draft"}
    | {"version", "game", "match", "stop", "exit", "block", "seat", "house", "door", "bar", "fret", "green", "tee"}
    | {"ring", "rep", "set", "item", "person", "man", "woman", "child", "caller", "customer", "visit", "date", "order"}
    | {"call", "email", "message"}
)
"""What else than a day is "on the 12th"."""


def stands_alone(reader: Reader, index: int) -> bool:
    """Whether no noun follows: nothing, a mark, or a word that begins something new."""
    if reader.kind(index) in {"unit", "part", "season", "holiday", "month", "decade", "weekday"}:
        return False
    word = reader.word(index)
    return reader.kind(index) != BREAK or not word[:1].isalnum() or _FUNCTION_WORD.fullmatch(word) is not None


def in_frame(reader: Reader, index: int, behind: int, of_year: Callable[[int], TimeSpan]) -> Found:
    """The span in the longer time that follows ("last year", "two years ago"), or else in the year meant."""
    at_outer = reader.skip(behind, "of", "in", "comma")
    outer = longer_time(reader, at_outer)
    if outer is not None:
        for year in (outer.span.start.year, outer.span.end.year):
            span = of_year(year)
            if span.overlaps(outer.span):
                return Found(span, outer.end)
    return Found(reader.occurrence(index, of_year), behind, fixed=False)


def longer_time(reader: Reader, index: int) -> Found | None:
    """The time of a month or more that begins at a token and is told from today: "last year", "two years ago"."""
    if reader.kind(index) not in {"shift", "cardinal", "article", "number", "vague", "the"}:
        return None
    found = reader.expression(index)
    return found if found is not None and found.fixed and found.span.days >= _LONG else None
