"""A message becomes chunks that tile it, of sizes worth embedding."""
# ruff: noqa: RUF001 - the full-width marks of Chinese and Japanese are what is tested

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.config import Config
from streetai_core.text.chunking import Limits, split
from streetai_core.types import Chunk

PUBLISHED = Limits.of(Config.classic())
SENTENCE = "This one sentence has exactly forty-one c. "
"""41 characters, 7 words, and a space."""


def pieces(text, limits=PUBLISHED):
    """The chunks as text, without the white space round them."""
    return [text[chunk.start : chunk.end].strip() for chunk in split(text, limits)]


def limits(*, min_chars=1, min_words=1, max_chars=1000, max_words=1000, max_chunks=1000):
    """Limits that do nothing but what is asked for."""
    return Limits(min_chars, min_words, max_chars, max_words, max_chunks)


def test_the_limits_come_from_the_settings():
    """The published sizes are those of the published pipeline; our own keep chat messages whole."""
    assert PUBLISHED == Limits(min_chars=30, min_words=5, max_chars=400, max_words=60, max_chunks=2000)
    sizes = {"max_chars": 400, "max_words": 60, "max_chunks": 2000}
    assert Limits.of(Config()) == Limits(min_chars=200, min_words=35, **sizes, small_letters=True)


@pytest.mark.parametrize("text", ["", " ", "\n\r\n\t", "\u3000"])
def test_blank_text_has_no_chunks(text):
    """Nothing to embed."""
    assert split(text, PUBLISHED) == []


@pytest.mark.parametrize("text", ["x", "  Hi there.\n", "I am vegetarian.", "\u4f60"])
def test_a_short_text_is_one_chunk(text):
    """White space round it included, however small it is."""
    assert split(text, PUBLISHED) == [Chunk(0, len(text))]


def test_paragraphs_and_sentences_are_cut():
    """Blank lines and sentence ends cut; a single line feed and a lower-case start do not."""
    text = (
        "My sister lives in Paris and works there\nas a doctor. we see her often in summer. "
        "She has two cats called Mia and Leo.\n\nmy brother lives in Rome with his wife"
    )
    assert pieces(text) == [
        "My sister lives in Paris and works there\nas a doctor. we see her often in summer.",
        "She has two cats called Mia and Leo.",
        "my brother lives in Rome with his wife",
    ]


def test_a_message_in_small_letters_is_cut_at_its_stops():
    """Three remarks that have nothing to do with each other would be one chunk, found by none of them."""
    said = [
        "the tide is high today in the harbour of the old town.",
        "and the boat is out there with my sister now!",
        "i will go to the market before it closes.",
    ]
    text = " ".join(said)
    own = limits(min_chars=30, min_words=5)
    assert pieces(text, own) == [text]
    assert pieces(text, replace(own, small_letters=True)) == said
    assert pieces(text) == [text]
    assert pieces(f"Well, {text}", replace(own, small_letters=True)) == [f"Well, {text}"]


def test_line_ends_of_windows_make_paragraphs_too():
    """A carriage return belongs to its line feed, and to the chunk before."""
    text = "The first paragraph has some words.\r\n\r\nThe second paragraph has more.\r\nIn two lines\r\n"
    assert [text[chunk.start : chunk.end] for chunk in split(text, PUBLISHED)] == [
        "The first paragraph has some words.\r\n\r\n",
        "The second paragraph has more.\r\nIn two lines\r\n",
    ]


@pytest.mark.parametrize(
    ("first", "merged"),
    [
        ("I do see twenty-nine of them.", True),  # 29 characters, 5 words
        ("I do see thirty of them here..", False),  # 30 characters
        ("Four-word sentences are merged-forward.", True),  # 4 words
        ("Five words are a whole-sentence.", False),
    ],
)
def test_a_small_piece_joins_the_next(first, merged):
    """Under 30 characters or under 5 words is too small."""
    text = f"{first} {SENTENCE}"
    assert pieces(text) == ([text.strip()] if merged else [first, SENTENCE.strip()])


def test_small_pieces_keep_their_order():
    """Small ones add up until they are large enough; the last ones join the chunk before."""
    text = f"One. Two. Three. {SENTENCE}{SENTENCE}Four. Five."
    assert pieces(text) == [f"One. Two. Three. {SENTENCE.strip()}", f"{SENTENCE}Four. Five."]


def test_nothing_is_merged_over_a_fence():
    """A small piece between two fences stays alone, and so does a small fence."""
    text = f"{SENTENCE}\n```\na\n```\nand\n```\nb\n```\nok"
    assert [(text[c.start : c.end].strip(), c.kind) for c in split(text, PUBLISHED)] == [
        (SENTENCE.strip(), "chunk"),
        ("```\na\n```", "code"),
        ("and", "chunk"),
        ("```\nb\n```", "code"),
        ("ok", "chunk"),
    ]


def test_a_fence_of_any_size_is_one_chunk():
    """20,000 characters of code with blank lines and sentences in them."""
    code = "```py\n" + "x = 1. Yes\n\n" * 1700 + "```"
    assert split(code, PUBLISHED) == [Chunk(0, len(code), "code", 0, len(code))]


def test_a_piece_of_the_largest_size_is_kept():
    """400 characters and 60 words are not too many; one more is."""
    assert len(pieces("abcd " * 60)) == 1
    assert len(pieces("abcd " * 61)) == 2
    assert len(pieces("abcdefg " * 49 + "abcdefgh")) == 1  # 400 characters
    assert len(pieces("abcdefg " * 49 + "abcdefghi")) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("alpha bravo, charlie delta", ["alpha bravo,", "charlie delta"]),
        ("alpha bravo; charlie, delta echo", ["alpha bravo; charlie,", "delta echo"]),
        ("alpha; bravo charlie, delta echo foxtrot", ["alpha; bravo charlie,", "delta echo foxtrot"]),
        ("甲乙丙丁戊己，庚辛壬癸子丑寅卯辰巳午未申酉", ["甲乙丙丁戊己，", "庚辛壬癸子丑寅卯辰巳午未申酉"]),
        ("甲乙丙丁戊己、庚辛壬癸；子丑寅卯辰巳午未申酉", ["甲乙丙丁戊己、庚辛壬癸；", "子丑寅卯辰巳午未申酉"]),
    ],
)
def test_a_large_piece_is_cut_at_the_pause_nearest_its_middle(text, expected):
    """Comma or semicolon of any script, the mark on the left."""
    assert pieces(text, limits(min_chars=5, max_chars=len(text) - 1)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("alpha bravo charlie delta, echo", ["alpha bravo", "charlie delta, echo"]),
        ("alpha bravo 10,000 charlie", ["alpha bravo", "10,000 charlie"]),
        ("alpha bravo charlie delta echo", ["alpha bravo", "charlie delta echo"]),
    ],
)
def test_without_a_good_pause_it_is_cut_before_the_middle_word(text, expected):
    """A comma too near the end, or inside a number, is none."""
    assert pieces(text, limits(min_chars=5, max_chars=len(text) - 1)) == expected


def test_cutting_goes_on_until_it_fits():
    """Eight words of which two fit."""
    text = "one two three four five six seven eight"
    assert pieces(text, limits(max_words=2)) == ["one two", "three four", "five six", "seven eight"]


def test_a_long_token_is_cut_at_its_middle():
    """5,000 characters without a space: five halvings leave 312 or 313 each."""
    sizes = [len(piece) for piece in pieces("x" * 5000)]
    assert len(sizes) == 16
    assert set(sizes) == {312, 313}


def test_a_long_token_keeps_the_few_words_before_it():
    """A cut before the token would leave next to nothing on the left."""
    chunks = pieces("My key is: " + "k" * 600)
    assert [len(chunk) for chunk in chunks] == [305, 306]
    assert chunks[0].startswith("My key is: kkk")


def test_japanese_is_cut_by_characters():
    """1,800 characters without any mark or space: three halvings."""
    assert [len(piece) for piece in pieces("日本語" * 600)] == [225] * 8


def test_japanese_sentences_are_cut_without_spaces():
    """30 characters are enough for a chunk; words do not count."""
    long = "私は先週の日曜日に東京駅の近くで古い友人と会って昼食を食べました。"
    assert pieces(long + "楽しかった。" + long + "またね！") == [long, "楽しかった。" + long + "またね！"]


def test_chinese_text_of_400_characters_is_not_too_large():
    """The limit in words counts white space only."""
    text = "汉" * 400
    assert pieces(text) == [text]
    assert pieces(text + "字") == ["汉" * 200, "汉" * 200 + "字"]


def test_thai_is_cut_at_spaces():
    """Thai has spaces between phrases and no other mark."""
    phrase = "ผมอยากไปเที่ยวทะเลกับครอบครัวในช่วงวันหยุด"
    text = " ".join([phrase] * 12)
    assert len(text) > 400
    assert pieces(text) == [" ".join([phrase] * 6)] * 2


@pytest.mark.parametrize(
    "cluster",
    [
        "e\u0301",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\U0001f1e9\U0001f1ea",
        "\U0001f44d\U0001f3fd",
        "\u2764\ufe0f",
        "\u1112\u1161\u11ab",
        "\ud83d\ude00",
        "\u0e17\u0e35\u0e48",
        "\u0915\u093f",
    ],
)
@pytest.mark.parametrize("count", [6, 7])
def test_a_cut_leaves_characters_whole(cluster, count):
    """Combining marks, joined emoji, flags, skin tones, Hangul parts, surrogate pairs, vowel signs."""
    parts = pieces(cluster * count, limits(max_chars=3 * len(cluster)))
    assert "".join(parts) == cluster * count
    assert all(part == cluster * (len(part) // len(cluster)) for part in parts)


def test_a_cluster_larger_than_the_limit_is_cut():
    """The limit holds even for a letter with 1,000 accents."""
    assert max(map(len, pieces("e" + "\u0301" * 1000))) <= 400


def test_only_the_first_chunks_up_to_the_cap_are_returned():
    """The rest of the text has none."""
    text = SENTENCE * 10
    assert split(text, limits(min_chars=30, max_chunks=3)) == split(text, limits(min_chars=30))[:3]


FRAGMENTS = st.sampled_from(
    [
        *("```", "~~~", "\n", "\n\n", "\r\n", "   ", " ", ". ", "! Yes", ", ", "; ", "，", "。", "…", '"', "1,2"),
        *("a", "Word", "longerword ", "x" * 40, "中文字", "ไทย", "e\u0301", "\U0001f1e9\U0001f1ea", "\u200d", "\u2029"),
        "! yes",
    ]
)
TEXTS = st.lists(FRAGMENTS, max_size=60).map("".join) | st.text(max_size=80)
LIMITS = st.builds(
    Limits,
    min_chars=st.integers(0, 20),
    min_words=st.integers(0, 4),
    max_chars=st.integers(1, 60),
    max_words=st.integers(1, 10),
    max_chunks=st.just(10_000),
    small_letters=st.booleans(),
)


@given(TEXTS, LIMITS)
def test_chunks_tile_any_text(text, sizes):
    """Joined, the chunks give back the text to the byte; none is blank, and each takes the white space behind it."""
    chunks = split(text, sizes)
    if not text.strip():
        assert chunks == []
        return
    assert "".join(text[chunk.start : chunk.end] for chunk in chunks) == text
    assert [chunk.start for chunk in chunks] == [0, *(chunk.end for chunk in chunks[:-1])]
    assert not any(text[chunk.start].isspace() for chunk in chunks[1:])
    assert all((chunk.block_start, chunk.block_end) == (chunk.start, chunk.end) for chunk in chunks)


@given(TEXTS, LIMITS)
def test_no_text_chunk_is_too_large(text, sizes):
    """Neither in characters nor in words, white space at the ends not counted."""
    for chunk in split(text, sizes):
        piece = text[chunk.start : chunk.end].strip()
        assert chunk.kind == "code" or (len(piece) <= sizes.max_chars and len(piece.split()) <= sizes.max_words)


@given(TEXTS)
def test_a_small_chunk_stands_alone(text):
    """Where nothing has to be cut, only a piece without text on either side is small."""
    chunks = split(text, limits(min_chars=20, min_words=3, max_chars=10**6, max_words=10**6))
    for before, after in pairwise(chunks):
        if before.kind == after.kind == "chunk":
            assert all(len(text[chunk.start : chunk.end].strip()) >= 20 for chunk in (before, after))


@given(TEXTS, LIMITS, st.integers(1, 5))
def test_the_cap_changes_nothing_before_it(text, sizes, cap):
    """The first chunks are the same with and without a cap."""
    capped = Limits(sizes.min_chars, sizes.min_words, sizes.max_chars, sizes.max_words, cap, sizes.small_letters)
    assert split(text, capped) == split(text, sizes)[:cap]
