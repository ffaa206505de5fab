"""Sentences end where a reader would say so, in any script, and their spans tile the text."""
# ruff: noqa: RUF001 - the full-width marks of Chinese and Japanese are what is tested

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.text.sentences import is_typed_small, prose_spans, sentence_spans


def sentences(text):
    """The sentences of `text`, without the white space round them."""
    return [text[start:end].strip() for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One here. Two there! Three? Four", ["One here.", "Two there!", "Three?", "Four"]),
        ("Not here. because lower case", ["Not here. because lower case"]),
        ("Version 3.5 of it. 7 is a digit", ["Version 3.5 of it. 7 is a digit"]),
        ('He said "Go." Then left.', ['He said "Go."', "Then left."]),
        ("Stop. (Really.) [Yes.] End", ["Stop.", "(Really.)", "[Yes.]", "End"]),
        (
            "Stop. \u201cWhy?\u201d \u00abDa.\u00bb \u00bfQu\u00e9?",
            ["Stop.", "\u201cWhy?\u201d", "\u00abDa.\u00bb", "\u00bfQu\u00e9?"],
        ),
        ("What?! Yes... No", ["What?!", "Yes...", "No"]),
        ("Done. **Note:** this. *Ok.* Fine", ["Done.", "**Note:** this.", "*Ok.*", "Fine"]),
        (
            "\u00c7a va. \u00c9tienne part. \u0416\u0434\u0438. \u042d\u0442\u043e",
            ["\u00c7a va.", "\u00c9tienne part.", "\u0416\u0434\u0438.", "\u042d\u0442\u043e"],
        ),
    ],
)
def test_marks_before_a_capital_quote_or_bracket_end_a_sentence(text, expected):
    """A full stop needs white space and an opening character behind it."""
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("你好。我在北京！你呢？好", ["你好。", "我在北京！", "你呢？", "好"]),
        ("「はい。」彼は言った｡そう．", ["「はい。」", "彼は言った｡", "そう．"]),
        ("真的吗?是的!好", ["真的吗?", "是的!", "好"]),
        ("圆周率是３．１４吗", ["圆周率是３．１４吗"]),
        ("Wait… maybe… Yes", ["Wait… maybe…", "Yes"]),
        ("مرحبا؟كيف حالك. أنا بخير", ["مرحبا؟", "كيف حالك.", "أنا بخير"]),
        ("राम आया। सीता गई॥ठीक", ["राम आया।", "सीता गई॥", "ठीक"]),
    ],
)
def test_other_scripts_have_their_own_marks(text, expected):
    """Marks that need no space behind them, and letters that have no capitals."""
    assert sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one\ntwo\r\nthree\rfour\n\n\nfive", ["one", "two", "three", "four", "five"]),
        (
            "1. First item. More\n2. Second\n- dash\n  * star",
            ["1. First item.", "More", "2. Second", "- dash", "* star"],
        ),
        ("a. Alpha\nb. Beta", ["a. Alpha", "b. Beta"]),
        ("It was 1. Then 2", ["It was 1.", "Then 2"]),
        ("In 12345678901234567890. Then", ["In 12345678901234567890.", "Then"]),
    ],
)
def test_lines_and_list_items_are_sentences(text, expected):
    """A line ends a sentence; the number of a list item does not."""
    assert sentences(text) == expected


def test_white_space_belongs_to_the_sentence_before():
    """Leading white space goes to the first span, all other to the span before it."""
    assert sentence_spans("  One.  Two. \n ") == [(0, 8), (8, 15)]


def test_only_the_given_part_is_cut():
    """`start` and `end` bound the spans; an empty part has none, a blank one has one."""
    text = "One. Two. Three."
    assert sentence_spans(text, 5, 14) == [(5, 10), (10, 14)]
    assert sentence_spans(text, 5, 5) == []
    assert sentence_spans(text, 4, 5) == [(4, 5)]
    assert sentence_spans("") == []


def test_prose_keeps_lines_together():
    """Within a paragraph a line feed is white space; a blank line ends the span, with any kind of line end."""
    text = "one\ntwo\n \nthree\r\nfour\r\n\r\nfive\r\rsix"
    assert [text[start:end] for start, end in prose_spans(text, 0, len(text))] == [
        "one\ntwo\n \n",
        "three\r\nfour\r\n\r\n",
        "five\r\r",
        "six",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "the tide is high. and the boat is out! i will go? yes",
            ["the tide is high.", "and the boat is out!", "i will go?", "yes"],
        ),
        ("c'est bon. \u00e9tienne part. on y va", ["c'est bon.", "\u00e9tienne part.", "on y va"]),
        ("take rope, e.g. the blue one, i.e. not the red one", None),
        ("bring approx. 5 of them, no. 5 too, and approx. six of dr. smith, etc. and so on", None),
        ("it was at 7 p.m. at the quay in st. ives", None),
        ("well... maybe it is.. fine", None),
        ('he said "stop." and "why?" and left', None),
        ("1. rope\n2. a lamp", None),
        ("see main.py and example.com for it", None),
        ("it is 3.5 m. 7 is a digit", None),
        ("真的吗?是的! ok. fine", ["真的吗?", "是的!", "ok.", "fine"]),
    ],
)
def test_a_stop_ends_a_sentence_also_before_a_small_letter(text, expected):
    """Whoever types no capitals would have one sentence a message; short forms and pauses still end none."""
    spans = prose_spans(text, 0, len(text), small=True)
    assert [text[start:end].strip() for start, end in spans] == (expected or [text])


@pytest.mark.parametrize(
    ("text", "typed_small"),
    [
        ("the tide is high. i will go", True),
        ("mara has the Kestrel. it is at berth 31, says Ilse", True),
        ("the tide is high. I will go", False),
        ("The tide is high. and so on", False),
        ('"The tide is high." she said', False),
        ("first line\n- Second line", False),
        ("你好。我在北京！", True),
        ("", True),
    ],
)
def test_it_is_told_how_a_text_is_typed(text, typed_small):
    """One sentence with a capital shows that a small letter behind a stop is no new sentence."""
    assert is_typed_small(text) is typed_small


TEXTS = st.text(st.sampled_from("aB1.!?。…．।\"')*( \n\r\t\u2029中ไ\u0301"), max_size=60) | st.text(max_size=60)


@given(TEXTS, st.data())
def test_spans_tile_any_part_of_any_text(text, data):
    """Joined, the spans give back exactly the part that was asked for, and none of several is blank."""
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    prose = [list(prose_spans(text, start, end, small=small)) for small in (False, True)]
    for spans in (sentence_spans(text, start, end), *prose):
        edges = [start, *(stop for _, stop in spans)]
        assert spans == list(pairwise(edges))
        assert edges[-1] == end
        assert len(spans) < 2 or all(text[left:right].strip() for left, right in spans)
