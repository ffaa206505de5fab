"""Rules for longer parts of the calendar and its feasts: years, decades, quarters, seasons, holidays."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from streetai_core.text.dates import subjects
from streetai_core.text.dates.amounts import OF_MONEY, containing
from streetai_core.text.dates.calendars import (
    YEARS_IN_CENTURY,
    century_of,
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
from streetai_core.text.dates.placing import FRAMES, MADE_FOR_A_TIME, in_frame, longer_time
from streetai_core.text.dates.reader import Found, Reader
from streetai_core.text.dates.scanning import BREAK
from streetai_core.text.dates.spans import TimeSpan

_YEAR_FRAMES = frozenset({"in", "from", "between", "side", "early", "edge", "to"})
_YEAR_FRAME_WORDS = frozenset({"by", "since", "during", "around", "throughout", "year"})

_DAY_NAMES = (
    *(" day", " night", " eve", " sunday", " monday", " tuesday", " wednesday", " thursday", " friday"),
    *(" holiday", "nye"),
)
"""Holidays whose names end so are days; of the others ("Christmas") it takes a word before them to tell."""

_WEEKS_IN_YEAR = 53

_IN_EVERY_YEAR = 5
"""A month in which years of money have begun: May."""

_KINDS_OF_THINGS = frozenset(
    {"sale", "sales", "deal", "deals", "card", "cards", "shopping", "football", "movie", "film", "stuffing", "cookies"}
    | {"pudding", "songs", "carols", "recipe", "recipes", "decorations", "ornaments", "sweater", "jumper"}
)
"""What is called after a holiday, whenever it is."""

_LAST_CENTURY = 20
"""What is of the one that is now names no time."""

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
    framed = (
        kind in _YEAR_FRAMES
        or word in _YEAR_FRAME_WORDS
        or (word == "for" and reader.word(before - 1) in MADE_FOR_A_TIME)
    )
    framed = framed or (
        kind == "of" and (_is_whole(reader, before) or reader.character(reader.token(index).start) in "'\u2019")
    )
    framed = framed or (reader.word(index + 1) == "was" and not word.isalnum())  # "2020 was rotten"
    if not number or not framed or (reader.word(index + 1) != "was" and _is_counted(reader, index + 1)):
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
    """The 90s, the 1990s, the nineties; of two digits the last such decade that is over. "1950s-style" is none."""
    if reader.kind(index + 1) == "dash" and reader.character(reader.token(index).end) == "-":
        return None
    number = reader.number(index)
    if number > 100:  # noqa: PLR2004 - written in full
        return Found(decade_of(number), index + 1)
    before = index - 2 if reader.kind(index - 1) == "dash" else index - 1
    if reader.kind(before) not in {"the", "early"} or number % 10:
        return None
    century = reader.today.year // 100 * 100
    first = century + number
    return Found(decade_of(first if first + 10 <= reader.today.year else first - 100), index + 1)


def century(reader: Reader, index: int) -> Found | None:
    """The 19th century, the nineteenth century."""
    number = reader.number(index)
    before_christ = reader.word(index + 2) in {"bc", "bce"}
    if reader.name(index + 1) != "century" or not 1 < number <= _LAST_CENTURY or before_christ:
        return None
    return Found(century_of((number - 1) * YEARS_IN_CENTURY), index + 2)


def quarter(reader: Reader, index: int) -> Found | None:
    """Q3 2024, Q3 of last year, in Q3; H1 2024."""
    number = reader.number(index)
    behind = reader.skip(index + 1, "of", "in", "comma", "dash")
    is_quarter = reader.kind(index) == "quarter"
    if written := reader.year(behind):
        return Found(quarter_of(written, number) if is_quarter else half_of(written, number), behind + 1)
    framed = reader.kind(index - 1) in FRAMES - {"on"} or reader.word(index - 1) in {"by", "since", "during", "for"}
    framed = framed or reader.is_all(index, index + 1) or longer_time(reader, index + 1) is not None
    if not framed and not (is_quarter and reader.word(index + 1) in MADE_FOR_A_TIME):
        return None
    return in_frame(reader, index, index + 1, lambda year: (quarter_of if is_quarter else half_of)(year, number))


def numbered_week(reader: Reader, index: int) -> Found | None:
    """Week 36 of 2024, calendar week 12: a week by its number in ISO 8601."""
    number = reader.number(index + 1)
    if reader.word(index) != "week" or reader.kind(index + 1) != "number" or not 1 <= number <= _WEEKS_IN_YEAR:
        return None
    behind = reader.skip(index + 2, "of", "in", "comma")
    if written := reader.year(behind):
        return Found(week_of(date.fromisocalendar(written, number, 1)), behind + 1)
    outer = longer_time(reader, behind)
    if outer is not None and outer.span == year_of(outer.span.start.year):
        return Found(week_of(date.fromisocalendar(outer.span.start.year, number, 1)), outer.end)
    if reader.word(index - 1) not in {"calendar", "iso"} and not reader.is_all(index, index + 2):
        return None
    span = reader.occurrence(index, lambda year: week_of(date.fromisocalendar(year, number, 1)))
    return Found(span, index + 2, fixed=False)


def running_year(reader: Reader, index: int) -> Found | None:
    """A year that runs over the turn of two: "the 2010/11 season", "the 2019-20 school year", "school year 2019/20"."""
    years = reader.two_years(index)
    if years is None:
        return None
    first, behind = years
    if reader.name(behind) == "winter":
        return Found(season_of(first, "winter"), behind + 1)
    before = reader.word(index - 1)
    if before in OF_MONEY:
        return Found(containing(date(first, _IN_EVERY_YEAR, 1), before), behind)
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
    return _seasonal(reader, index, index + 1, reader.yearly(index))


def holiday(reader: Reader, index: int) -> Found | None:
    """Christmas 2021, at Easter, before Thanksgiving, Labor Day weekend, on Christmas morning."""
    behind = index + 1
    if reader.word(index) == "new year" and (reader.kind(index - 2), reader.kind(index - 1)) == ("in", "the"):
        return in_frame(reader, index, behind, lambda year: month_of(year, 1))
    titled = reader.word(index - 1) == "before" and reader.token(index - 1).titled and reader.token(index - 2).titled
    may_day = reader.word(index) == "may day" and not reader.token(index).titled  # "you may day-dream"
    if titled or may_day or reader.word(behind) in _KINDS_OF_THINGS:  # "Nightmare Before Christmas", "Easter cookies"
        return None
    if (unit := reader.name(behind)) in {"weekend", "week"}:
        day_of = reader.yearly(index)
        return _seasonal(reader, index, behind + 1, lambda year: _round(day_of(year), unit), framed=True)
    framed = reader.kind(behind) == "part"
    framed = framed or reader.word(behind) in {"holiday", "holidays", "break"}
    found = _seasonal(reader, index, reader.skip(behind, "part"), reader.yearly(index), framed=framed)
    return found or subjects.feast(reader, index, behind)


def _seasonal(
    reader: Reader, index: int, behind: int, of_year: Callable[[int], TimeSpan], *, framed: bool = False
) -> Found | None:
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
        or (reader.kind(index) == "season" and reader.word(index - 1) in {"whole", "entire"})
        or reader.word(index).endswith(_DAY_NAMES)
        or reader.is_all(index, behind)
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
