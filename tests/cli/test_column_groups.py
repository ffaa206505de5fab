"""Tables of figures: what the screen has no room for goes into a further table, and nothing is broken that can stay."""

import pytest

from streetai_core.cli.column_groups import column_groups, has_room

COLUMNS = ["pair", "at 256", "at 1,500", "times the encoder"]

ROWS = [
    ["streetai over streetai-memory", "+12.3 [+10.1, +14.5]", "+2.0 [-1.1, +5.1]", "1.25"],
    ["streetai over bm25", "-1.0 [-3.1, +1.1]", "-", "11.25"],
]


def test_a_table_that_fits_is_one():
    """If it fails, wide screens show less beside each other than they have room for."""
    widths = (29, 20, 17, 17)
    whole = 1 + sum(widths) + 3 * len(widths)
    (group,) = column_groups(COLUMNS, ROWS, names=1, width=whole)
    assert ((0, 1, 2, 3), widths) == (group.columns, group.widths)


def test_headings_are_broken_between_words_before_a_second_table_is_made():
    """If it fails, a table that would have room in two lines of headings is torn apart."""
    (group,) = column_groups(COLUMNS, ROWS, names=1, width=90)
    assert ((0, 1, 2, 3), (29, 20, 17, 7)) == (group.columns, group.widths)


@pytest.mark.parametrize("width", range(50, 96))
def test_no_figure_is_broken_and_each_table_fits(width):
    """If it fails, "100.0" is read as "10"."""
    groups = column_groups(COLUMNS, ROWS, names=1, width=width)
    assert [1, 2, 3] == [place for group in groups for place in group.columns[1:]]
    for group in groups:
        assert 0 == group.columns[0]
        assert 1 + sum(group.widths) + 3 * len(group.widths) <= width
        for place, room in zip(group.columns[1:], group.widths[1:], strict=True):
            assert room >= max(len(row[place]) for row in ROWS)
            assert room >= max(map(len, COLUMNS[place].split()))


def test_all_that_names_a_row_stands_in_each_table():
    """If it fails, nobody knows which system of a verb the figures of a second table are of."""
    rows = [["retrieve", "streetai", "1.000", "2.000"], ["retrieve", "langchain", "3.000", "4.000"]]
    groups = column_groups(["verb", "system", "CPU", "wall"], rows, names=2, width=36)
    assert [(0, 1, 2), (0, 1, 3)] == [group.columns for group in groups]


def test_long_names_are_broken_between_words_alone():
    """If it fails, a name in an 80 column terminal reads "stree tai"."""
    (group,) = column_groups(["system", "at 256"], [["decay_rate=0.0 recency_turns=12", "1.0"]], names=1, width=40)
    assert (16, 3) == group.widths


@pytest.mark.parametrize("width", [1, 8, 20])
def test_a_screen_without_room_gets_a_table_all_the_same(width):
    """If it fails, a very narrow window ends in a traceback."""
    groups = column_groups(COLUMNS, ROWS, names=1, width=width)
    assert [1, 2, 3] == [place for group in groups for place in group.columns[1:]]
    assert all(room >= 1 for group in groups for room in group.widths)


def test_wide_characters_count_as_two():
    """If it fails, tables about conversations with Chinese names do not fit."""
    (group,) = column_groups(["花园", "turns"], [["花园的谈话", "12"]], names=1, width=80)
    assert (10, 5) == group.widths


@pytest.mark.parametrize(("width", "expected"), [(28, False), (29, True), (400, True)])
def test_a_column_is_shown_with_six_characters_or_whole(width, expected):
    """If it fails, a table has columns of a letter a line, or none at all where it would have room."""
    rows = [["a name of some length", "12", "2026-03-02 18:00", "-"]]
    assert expected == has_room(["memory", "no", "last said", "by"], rows, width=width)
    assert has_room([], [], width=1)
