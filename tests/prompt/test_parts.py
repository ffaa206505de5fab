"""Which parts of a long message are shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.prompt.parts import GAP, best_parts, joined, united

NUMBERS = ("One", "Two", "Three", "Four", "Five")
TEXT = "".join(f"{number} is what was said of it in the long hall of the house. " for number in NUMBERS)
BEGINS = [TEXT.index(number) for number in NUMBERS]
ONE, TWO, THREE, FOUR, FIVE = zip(BEGINS, [*BEGINS[1:], len(TEXT)], strict=True)
SAID = "is what was said of it in the long hall of the house."


def shown(*pieces, most):
    """What is shown of the text in so many characters, with a dash for what is said of each number."""
    return joined(TEXT, best_parts(TEXT, pieces, most, len)).replace(SAID, "-")


@pytest.mark.parametrize(
    ("pieces", "most", "text"),
    [
        ((TWO, FIVE, ONE), 130, "Two - [...] Five -"),
        ((TWO, THREE, FIVE), 125, "Two - Three -"),
        ((TWO, FOUR, ONE), 100, "Two - [...] Four is what was said of it in the"),
        ((TWO, FOUR, ONE), 80, "Two -"),
        ((THREE, FIVE, TWO), 80, "Three -"),
        ((THREE, TWO, FIVE), 100, "of it in the long hall of the house. Three -"),
        ((ONE, THREE, TWO), 165, "One - Two is what was said of it in the long [...] Three -"),
        ((FOUR, FIVE), 5, "Four -"),
        ((FIVE,), 100, "Five -"),
    ],
)
def test_the_best_that_fit_are_shown_in_the_order_of_the_text(pieces, most, text):
    """The first in any case; of the one that does not fit whole words, its end where what follows is shown."""
    assert shown(*pieces, most=most) == text


def test_a_part_is_cut_at_a_line_where_that_leaves_most_of_it():
    """Half a line of a list is worth little, and three quarters of a paragraph more than nothing."""
    text = "Head.\n" + "".join(f"- item {number}, so many euros\n" for number in range(8))
    pieces = [(0, 6), (6, len(text))]
    cut = joined(text, best_parts(text, pieces, 140, len))
    assert cut.endswith("- item 4, so many euros")
    text = "Head.\nshort\n" + "word " * 60
    cut = joined(text, best_parts(text, [(0, 6), (6, len(text))], 150, len))
    assert cut.endswith("word")
    assert len(cut) > 140


def test_what_is_written_without_spaces_is_cut_behind_its_marks():
    """Nothing else tells there where a word ends."""
    clause = "\u4ed6\u5011\u5728\u6e2f\u53e3\u8cb7\u4e86\u4e00\u8258\u820a\u8239\uff0c"
    text = clause * 12
    size = len(clause)
    first, second, third = (0, 4 * size), (4 * size, 8 * size), (8 * size, 12 * size)
    assert best_parts(text, (first, second, third), 7 * size, len) == ((0, 6 * size),)
    assert best_parts(text, (third, second, first), 7 * size, len) == ((6 * size, 12 * size),)
    assert best_parts(text, (first, third), 7 * size, len) == (first, (8 * size, 10 * size))
    whole = text.replace("\uff0c", "\u8239")
    assert best_parts(whole, (first, second, third), 7 * size, len) == (first,)


@given(st.permutations([ONE, TWO, THREE, FIVE, FOUR]), st.integers(65, 400))
def test_what_is_shown_fits_and_stands_in_the_text(pieces, most):
    """Whatever the order and the room."""
    parts = best_parts(TEXT, pieces, most, len)
    assert parts == united(TEXT, parts)
    assert parts[0][0] <= pieces[0][0]
    assert any(start <= pieces[0][0] and pieces[0][1] <= end for start, end in parts)
    assert len(joined(TEXT, parts)) <= most
    assert all(part in TEXT for part in joined(TEXT, parts).split(GAP))


def test_thousands_of_pieces_are_not_counted_together_again_and_again():
    """Half of a file of ten million characters may be shown where nothing limits it."""
    text = "A line of a file. " * 4000
    pieces = [(18 * number, 18 * number + 18) for number in range(4000)]
    counted = []

    def count(part):
        counted.append(len(part))
        return len(part)

    parts = best_parts(text, pieces, len(text) / 2, count)
    assert 0.49 * len(text) < len(joined(text, parts)) <= len(text) / 2
    assert sum(counted) < 10 * len(text)
