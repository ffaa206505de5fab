"""Feasts that the moon tells: known days, and what their calendars allow."""

from datetime import date, datetime
from itertools import pairwise

import pytest

from streetai_core.text.dates import mentioned_dates
from streetai_core.text.dates.moon import FEASTS, jewish_new_year

TABLED = range(2001, 2036)
SATURDAY_TO_THURSDAY = {5, 0, 1, 3}
"""Weekdays on which the Jewish year may begin: Saturday, Monday, Tuesday, Thursday."""


@pytest.mark.parametrize(
    ("name", "year", "start", "end"),
    [
        ("rosh hashanah", 2023, "2023-09-16", "2023-09-17"),
        ("rosh hashanah", 2024, "2024-10-03", "2024-10-04"),
        ("yom kippur", 2025, "2025-10-02", "2025-10-02"),
        ("passover", 2024, "2024-04-23", "2024-04-30"),
        ("purim", 2024, "2024-03-24", "2024-03-24"),
        ("hanukkah", 2023, "2023-12-07", "2023-12-15"),
        ("hanukkah", 2024, "2024-12-25", "2025-01-02"),
        ("ramadan", 2023, "2023-03-23", "2023-04-21"),
        ("eid al-fitr", 2023, "2023-04-21", "2023-04-21"),
        ("eid al-adha", 2024, "2024-06-16", "2024-06-16"),
        ("lunar new year", 2024, "2024-02-10", "2024-02-10"),
        ("diwali", 2022, "2022-10-24", "2022-10-24"),
        ("holi", 2023, "2023-03-08", "2023-03-08"),
    ],
)
def test_known_days(name, year, start, end):
    """Days that were kept so."""
    span = FEASTS[name](year)
    assert (span.start, span.end) == (date.fromisoformat(start), date.fromisoformat(end))


def test_the_jewish_year_begins_and_lasts_as_its_calendar_allows():
    """A slip in the formula would give years of other lengths, or a fast beside a sabbath."""
    starts = [jewish_new_year(year) for year in range(1900, 2100)]
    assert {start.weekday() for start in starts} == SATURDAY_TO_THURSDAY
    lengths = {(later - earlier).days for earlier, later in pairwise(starts)}
    assert lengths == {353, 354, 355, 383, 384, 385}


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [("lunar new year", (1, 21), (2, 20)), ("holi", (2, 28), (3, 29)), ("diwali", (10, 14), (11, 15))],
)
def test_feasts_of_the_sun_and_the_moon_stay_in_their_season(name, first, last):
    """A number that was typed wrong would leave it."""
    days = [FEASTS[name](year).start for year in TABLED]
    assert all(first <= (day.month, day.day) <= last for day in days)
    assert {(later - earlier).days for earlier, later in pairwise(days)} <= {354, 355, 383, 384, 385}


@pytest.mark.parametrize("name", ["ramadan", "eid al-fitr", "eid al-adha"])
def test_muslim_feasts_come_a_lunar_year_later(name):
    """The tables have one a year; in the year in which two fall one is missing."""
    days = [FEASTS[name](year).start for year in TABLED if year < TABLED[-1]]
    apart = [(later - earlier).days for earlier, later in pairwise(days)]
    assert sorted(set(apart)) in ([354, 355], [354, 355, 708], [354, 355, 709])
    assert sum(days > 355 for days in apart) <= 1


def test_ramadan_leads_to_the_feast():
    """A month has 29 or 30 days, and two tables agree on it; the feast of early 2033 is the one that is missing."""
    for year in (*range(2001, 2032), 2034, 2035):
        last = FEASTS["ramadan"](year).end
        assert any(
            0 <= (last - FEASTS["eid al-fitr"](feast).end).days + 1 <= 1 for feast in (year, year + 1) if feast < 2036
        )


@pytest.mark.parametrize("year", [1999, 2060])
def test_where_the_tables_end_the_day_is_not_known(year):
    """Better no day than a wrong one."""
    assert mentioned_dates(f"We were in Delhi for Diwali {year}.", datetime(2024, 1, 1, 9, 0)) == []  # noqa: DTZ001 - a wall clock
