"""What counts as evidence that was sent, and the arithmetic of rankings and intervals."""

import math

import pytest

from streetai_core.evaluation.intervals import mean_interval, paired_difference
from streetai_core.evaluation.metrics import SentText, auroc, recall_at, reciprocal_rank

LONG = "The marina in the north is dredged every spring, and the ferry leaves from there at noon on weekdays."


@pytest.mark.parametrize(
    "sent",
    [
        LONG,
        f"Ben: {LONG}",
        f"2026-03-02 Ben (assistant):\n> {LONG}\n[end]",
        f"before {LONG.replace(' and ', chr(10) + '> and ')} after",
        LONG.replace(" ", "  "),
        f">> {LONG}",
    ],
)
def test_a_whole_message_is_found_however_it_is_quoted(sent):
    """If it fails, a memory is said to miss what it sent."""
    assert 1.0 == SentText(sent).share_of(LONG)


def test_lines_of_a_message_may_be_quoted_one_by_one():
    """If it fails, messages with several lines, and quotes of their own, are said to be missed."""
    message = "First line of a list\n> with a quote in it\r\n\n- and a third line"
    sent = "Mara:\n> First line of a list\n> > with a quote in it\n> \n> - and a third line\n"
    assert 1.0 == SentText(sent).share_of(message)


def test_half_of_a_message_counts_and_less_does_not():
    """If it fails, a fragment passes for evidence, or a message that was cut at its end does not."""
    half = len(LONG) // 2
    assert SentText(f"[...] {LONG[: half + 2]} [...]").holds(LONG)
    assert not SentText(f"[...] {LONG[: half - 8]} [...]").holds(LONG)


def test_parts_add_up():
    """If it fails, a long message of which two parts were sent counts as missed."""
    sent = f"> {LONG[:34]} [...] {LONG[-34:]}"
    assert pytest.approx(68 / len(LONG), abs=0.03) == SentText(sent).share_of(LONG)


def test_small_words_of_other_messages_do_not_add_up():
    """If it fails, any long text contains every message."""
    others = (
        "in the north we saw it. It is dredged. The ferry leaves. At noon, on weekdays, and every spring from there."
    )
    assert not SentText(others).holds(LONG)


@pytest.mark.parametrize(
    ("sent", "there"),
    [
        ("Mara: Yes, gladly!", True),
        ("> Yes, gladly!", True),
        ("2026-03-02 Mara (user): Yes, gladly!", True),
        ("2026-03-02 10:04 Mara: Yes, gladly!", True),
        ("Yes, gladly! And more of another message", False),
        ("She said: oh Yes, gladly!", False),
        ("", False),
    ],
)
def test_short_messages_have_to_stand_alone(sent, there):
    """If it fails, a message of two words is found inside of any other that has them."""
    assert there == SentText(sent).holds("Yes, gladly!")


def test_typographic_quotes_make_no_difference():
    """If it fails, a memory that keeps text as it is loses against one that changes it."""
    assert SentText("Mara said \u201cwe don\u2019t need the big anchor today\u201d").holds(
        "said \"we don't need the big anchor"
    )


def test_ranking_by_hand():
    """If it fails, published figures are wrong."""
    ranked = ["c", "a", "x", "b"]
    assert [0.0, 0.5, 0.5, 1.0] == [recall_at(ranked, ["a", "b"], k) for k in (1, 2, 3, 4)]
    assert 0.5 == reciprocal_rank(ranked, ["a", "b"])
    assert 0.0 == reciprocal_rank(ranked, ["z"])


@pytest.mark.parametrize(
    ("scores", "positive", "area"),
    [
        ([3, 2, 1], [1, 0, 0], 1.0),
        ([1, 2, 3], [1, 0, 0], 0.0),
        ([1, 1, 1, 1], [1, 0, 1, 0], 0.5),
        ([4, 3, 3, 1], [0, 1, 0, 0], 0.5),  # above one, below one, level with one
        ([5, 4, 3, 2, 1], [1, 0, 1, 0, 0], 5 / 6),
    ],
)
def test_auroc_by_hand(scores, positive, area):
    """If it fails, learning is said to tell evidence apart when it does not."""
    assert pytest.approx(area) == auroc(scores, positive)


def test_auroc_needs_both_kinds():
    """If it fails, a made-up number stands where nothing was measured."""
    assert math.isnan(auroc([1, 2], [True, True]))
    assert math.isnan(auroc([], []))


def test_intervals_hold_the_mean_and_are_the_same_again():
    """If it fails, two runs on the same data publish different intervals."""
    values = [0.0] * 30 + [1.0] * 70
    estimate = mean_interval(values)
    assert (0.7, 100) == (estimate.mean, estimate.count)
    # 1.96 * sqrt(.7 * .3 / 100) = .09
    assert pytest.approx(0.61, abs=0.015) == estimate.low
    assert pytest.approx(0.79, abs=0.015) == estimate.high
    assert estimate == mean_interval(values)


def test_pairs_are_compared_question_by_question():
    """If it fails, two systems that differ everywhere by the same are said to differ by chance."""
    hard, easy = [0.0, 0.1] * 20, [0.8, 0.9] * 20
    values = [*hard, *easy]
    difference = paired_difference([one + 0.1 for one in values], values)
    assert pytest.approx((0.1, 0.1, 0.1)) == (difference.mean, difference.low, difference.high)
    with pytest.raises(ValueError, match="shorter"):
        paired_difference([1.0, 0.5], [1.0])
