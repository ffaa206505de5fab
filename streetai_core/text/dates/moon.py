"""Feasts whose days the moon tells: the Jewish ones by their calendar's rules, the others from tables."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from streetai_core.text.dates.spans import TimeSpan, one_day

_FIRST_YEAR = 2001
_LONG_YEAR = frozenset({355, 385})
"""Days of the years of the Jewish calendar in which the month before Hanukkah has a day more."""

_TABLES = {
    # The second new moon after the winter solstice, in China.
    "lunar new year": """
        124 212 201 122 209 129 218 207 126 214 203 123 210 131 219 208 128 216 205 125
        212 201 122 210 129 217 206 126 213 203 123 211 131 219 208""",
    # As kept in India.
    "holi": """
        310 329 318 307 326 315 304 322 311 301 320 308 327 317 306 324 313 302 321 310
        329 318 308 325 314 304 322 311 301 320 309 327 316 305 324""",
    "diwali": """
        1114 1104 1025 1112 1101 1021 1109 1028 1017 1105 1026 1113 1103 1023 1111 1030 1019 1107 1027 1114
        1104 1024 1112 1031 1020 1108 1029 1017 1105 1026 1114 1102 1022 1110 1030""",
    # By the calendar of Umm al-Qura; a day earlier or later elsewhere.
    "ramadan": """
        1116 1106 1026 1015 1004 924 913 901 822 811 801 720 709 628 618 606 527 516 506 424
        413 402 323 311 301 218 208 128 116 105 1215 1204 1123 1112 1101""",
    "eid al-fitr": """
        1216 1205 1125 1114 1103 1023 1013 1001 920 910 830 819 808 728 717 706 625 615 604 524
        513 502 421 410 330 320 309 226 214 204 124 114 1223 1212 1201""",
    "eid al-adha": """
        305 222 211 201 121 110 1220 1208 1127 1116 1106 1026 1015 1004 923 911 901 821 811 731
        720 709 628 616 606 527 516 505 424 413 402 322 311 301 218""",
}
"""Month and day in each year from 2001 to 2035, as the package `holidays` 0.109 gives them; of two in one year the one
that continues the row."""


def _row(name: str) -> tuple[tuple[int, int], ...]:
    return tuple(divmod(int(day), 100) for day in _TABLES[name].split())


_ROWS = {name: _row(name) for name in _TABLES}


def _told(name: str, year: int) -> date:
    """The day of a feast of the tables in a year.

    Raises:
        ValueError: the tables have no such year.
    """
    at = year - _FIRST_YEAR
    if not 0 <= at < len(_ROWS[name]):
        raise ValueError(f"no day of {name} is known for {year}")
    return date(year, *_ROWS[name][at])


def _ramadan(year: int) -> TimeSpan:
    """Thirty days; in some years the last one is the feast already."""
    start = _told("ramadan", year)
    return TimeSpan(start, start + timedelta(29))


def jewish_new_year(year: int) -> date:
    """Rosh Hashanah in a year from 1900 to 2099 (Gauss's formula, with the rules that move it)."""
    golden = 12 * (year % 19 + 1) % 19
    # When the new moon of the month comes, in parts of a day counted from the end of August.
    moon = year // 100 - year // 400 - 2 + 765433 / 492480 * golden + year % 4 / 4
    moon -= (313 * year + 89081) / 98496
    day = int(moon)
    part = moon - day
    found = date(year, 9, 1) + timedelta(day - 1)
    weekday = found.weekday()
    if weekday in {6, 2, 4}:  # never on a Sunday, Wednesday or Friday
        return found + timedelta(1)
    if weekday == 0 and part >= 23269 / 25920 and golden > 11:  # noqa: PLR2004 - as in the formula
        return found + timedelta(1)
    if weekday == 1 and part >= 1367 / 2160 and golden > 6:  # noqa: PLR2004 - as in the formula
        return found + timedelta(2)
    return found


def _hanukkah(year: int) -> TimeSpan:
    """From its first evening to its eighth day."""
    first = jewish_new_year(year)
    days = (jewish_new_year(year + 1) - first).days
    evening = first + timedelta(83 if days in _LONG_YEAR else 82)
    return TimeSpan(evening, evening + timedelta(8))


def _from_new_year(days: int, length: int = 1) -> Callable[[int], TimeSpan]:
    def of_year(year: int) -> TimeSpan:
        first = jewish_new_year(year) + timedelta(days)
        return TimeSpan(first, first + timedelta(length - 1))

    return of_year


def _in_table(name: str) -> Callable[[int], TimeSpan]:
    return lambda year: one_day(_told(name, year))


FEASTS: dict[str, Callable[[int], TimeSpan]] = {
    **{name: _in_table(name) for name in _TABLES if name != "ramadan"},
    "ramadan": _ramadan,
    # The year ends half a year after them.
    "purim": _from_new_year(-193),
    "passover": _from_new_year(-163, 8),
    "rosh hashanah": _from_new_year(0, 2),
    "yom kippur": _from_new_year(9),
    "hanukkah": _hanukkah,
}
"""The days of each feast in a year."""
