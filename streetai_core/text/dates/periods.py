"""Rules for longer parts of the calendar and its feasts: years, decades, quarters, seasons, holidays."""

from __future__ import annotations

from datetime import timedelta

from streetai_core.text.dates import subjects
from streetai_core.text.dates.calendars import (
    decade_of,
    half_of,
    month_of,
    months_from,
    quarter_of,
    season_of,
    week_of,
    weekend_of,
    year_of,
)
from streetai_core.text.dates.placing import FRAMES, in_frame, longer_time
from streetai_core.text.dates.reader import Found, Reader
from streetai_core.text.dates.scanning import BREAK
from streetai_core.text.dates.spans import TimeSpan

_YEAR_FRAMES = frozenset({"in", "from", "between", "side", "early", "edge", "to"})
_YEAR_FRAME_WORDS = frozenset({"by", "since", "during", "around", "throughout", "year"})

_DAY_NAMES = (" day", " eve", " sunday", " monday", " wednesday", " friday", "nye")
"""Holidays whose names end so are days; of the others ("Christmas") it takes a word before them to tell."""

_LEARNING = frozenset({"school", "academic"})
_WORDS_OF_A_SEASON = 4
"""How far to look for the "season" of "the 2010/11 Premier League season"."""

_SINGULARS = frozenset({"was", "is", "this", "as", "has", "does", "his", "its", "us", "yes", "always", "perhaps"})
_COUNTED = frozenset({"people", "men", "women", "children", "percent", "k", "km", "kg", "m", "ms", "bc", "bce", "ad"})
"""Behind a number that looks like a year they show that something was counted."""


def year(reader: Reader, index: int) -> Found | None:
    """A year behind a word that years stand behind: "in 2022", "since 1999", "late 2021"."""
    number = reader.year(index)
    before = index - 1
    if reader.kind(before) in {"dash", "and"} and reader.year(before - 1):  # "in 2019 and 2021"
        before -= 2
    if reader.kind(before) == "dash" and reader.kind(before - 1) == "early":
        before -= 1
    kind, word = reader.kind(before), reader.word(before)
    framed = kind in _YEAR_FRAMES or word in _YEAR_FRAME_WORDS or (kind == "of" and _is_whole(reader, before))
    if not number or not framed or _is_counted(reader, index + 1):
        return None
    return Found(year_of(number), index + 1)


def _is_whole(reader: Reader, index: int) -> bool:
    """Whether the "of" at a token leads from a part of a time to the whole: "the end of 2022", "all of 2022"."""
    return reader.nested or reader.word(index - 1) in {"whole", "all", "most"}


def _is_counted(reader: Reader, index: int) -> bool:
    """Whether the word at a token is a thing that the number before it counts."""
    word = reader.word(index)
    if reader.kind(index) == "unit" or word in _COUNTED:
        return True
    return reader.kind(index) == BREAK and word.isalpha() and word.endswith("s") and word not in _SINGULARS


def decade(reader: Reader, index: int) -> Found | None:
    """The 90s, the 1990s, the nineties; of two digits the last such decade that is over."""
    number = reader.number(index)
    if number > 100:  # noqa: PLR2004 - written in full
        return Found(decade_of(number), index + 1)
    before = index - 2 if reader.kind(index - 1) == "dash" else index - 1
    if reader.kind(before) not in {"the", "early"} or number % 10:
        return None
    century = reader.today.year // 100 * 100
    first = century + number
    return Found(decade_of(first if first + 10 <= reader.today.year else first - 100), index + 1)


def quarter(reader: Reader, index: int) -> Found | None:
    """Q3 2024, Q3 of last year, in Q3; H1 2024."""
    number = reader.number(index)
    behind = reader.skip(index + 1, "of", "in", "comma", "dash")
    is_quarter = reader.kind(index) == "quarter"
    if written := reader.year(behind):
        return Found(quarter_of(written, number) if is_quarter else half_of(written, number), behind + 1)
    framed = reader.kind(index - 1) in FRAMES - {"on"} or reader.word(index - 1) in {"by", "since", "during", "for"}
    if not is_quarter or not framed:
        return None
    return in_frame(reader, index, index + 1, lambda year: quarter_of(year, number))


def running_year(reader: Reader, index: int) -> Found | None:
    """A year that runs over the turn of two: "the 2010/11 season", "the 2019-20 school year", "school year 2019/20"."""
    years = reader.two_years(index)
    if years is None:
        return None
    first, behind = years
    if reader.name(behind) == "winter":
        return Found(season_of(first, "winter"), behind + 1)
    before = reader.word(index - 1)
    if before == "season" or (before == "year" and reader.word(index - 2) in _LEARNING):
        return Found(_running(first, before), behind)
    for at in range(behind, behind + _WORDS_OF_A_SEASON):
        word = reader.word(at)
        if word == "season" or (word == "year" and reader.word(at - 1) in _LEARNING):
            return Found(_running(first, word), at + 1)
        if not word.isalpha():
            break
    return None


def _running(first: int, word: str) -> TimeSpan:
    """The months of a season of sports, or of a year of schools, that begins in the year `first`."""
    return months_from(first, *((8, 10) if word == "season" else (9, 10)))


def season(reader: Reader, index: int) -> Found | None:
    """Spring 2021, the summer of 2019, summer last year, in the fall."""
    return _seasonal(reader, index, index + 1)


def holiday(reader: Reader, index: int) -> Found | None:
    """Christmas 2021, at Easter, before Thanksgiving, Labor Day weekend, on Christmas morning."""
    behind = index + 1
    if reader.word(index) == "new year" and (reader.kind(index - 2), reader.kind(index - 1)) == ("in", "the"):
        return in_frame(reader, index, behind, lambda year: month_of(year, 1))
    if reader.word(index - 1) == "before" and reader.token(index - 1).titled and reader.token(index - 2).titled:
        return None  # "The Nightmare Before Christmas"
    if reader.name(behind) in {"weekend", "week"}:
        found = _seasonal(reader, index, behind + 1, framed=True)
        return None if found is None else Found(_round(found.span, reader.name(behind)), found.end, found.fixed)
    found = _seasonal(reader, index, reader.skip(behind, "part"), framed=reader.kind(behind) == "part")
    return found or subjects.feast(reader, index, behind)


def _seasonal(reader: Reader, index: int, behind: int, *, framed: bool = False) -> Found | None:
    of_year = reader.yearly(index)
    at_year = reader.skip(behind, "of", "in", "comma")
    if reader.name(index) in {"winter", "summer"} and (years := reader.two_years(at_year)):
        return Found(season_of(years[0], "winter"), years[1])  # a summer of two years is one of the south
    if written := reader.year(at_year):
        return Found(of_year(written), at_year + 1)
    before = index - 2 if reader.kind(index - 1) in {"the", "dash"} else index - 1
    framed = (
        framed
        or reader.kind(before) in FRAMES
        or reader.word(before) == "all"
        or reader.word(index).endswith(_DAY_NAMES)
    )
    framed = framed or (reader.kind(before) == "and" and reader.kind(before - 2) == "between")
    if not framed and longer_time(reader, at_year) is None:
        return None
    return in_frame(reader, index, behind, of_year)


def _round(day: TimeSpan, unit: str) -> TimeSpan:
    """The week or the nearest weekend round a holiday, with the holiday itself."""
    if unit == "week":
        return week_of(day.start)
    nearest = day.start + timedelta(-3 if day.start.weekday() <= 1 else 0)  # a Monday belongs to the weekend before
    return weekend_of(nearest).joined(day)
