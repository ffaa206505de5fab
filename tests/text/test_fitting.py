"""No chunk has more tokens than the encoder reads; long fences come in windows."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.config import Config
from streetai_core.errors import InputError
from streetai_core.text.chunking import Limits, split
from streetai_core.types import Chunk

PUBLISHED = Limits.of(Config.classic())


def words(texts):
    """A tokenizer that cuts at white space, with two special tokens."""
    return [len(text.split()) + 2 for text in texts]


def characters(texts):
    """A tokenizer of characters."""
    return [len(text) for text in texts]


def parts(text, count, maximum, limits=PUBLISHED):
    """The chunks as text, to the byte."""
    return [text[c.start : c.end] for c in split(text, limits, count_tokens=count, max_tokens=maximum)]


def test_what_fits_is_not_cut():
    """A limit that nothing reaches changes nothing."""
    text = "My sister lives in Paris and works there. She has two cats called Mia and Leo.\n```\na\n```"
    assert split(text, PUBLISHED, count_tokens=words, max_tokens=11) == split(text, PUBLISHED)


def test_text_over_the_limit_is_cut_like_any_other():
    """At a comma with enough on both sides, else before the middle word, else at the middle character."""
    text = "My older sister lives in the city of Paris, her younger husband works in Rome"
    assert parts(text, words, 11) == [text[:44], text[44:]]
    assert text[:44] == "My older sister lives in the city of Paris, "
    assert parts("one two three four", words, 4) == ["one two ", "three four"]
    assert parts("abcdefgh", characters, 4) == ["abcd", "efgh"]


def test_tokens_are_counted_without_the_white_space_at_the_ends():
    """What is embedded is the bare text."""
    assert parts("  abcd \n", characters, 4) == ["  abcd \n"]


def test_a_fence_within_the_limit_is_one_chunk():
    """However many characters it has."""
    code = "```\n" + "x" * 3000 + "\n```"
    assert split(code, PUBLISHED, count_tokens=words, max_tokens=5) == [Chunk(0, len(code), "code")]


def test_a_long_fence_comes_in_windows_of_whole_lines():
    """Packed as full as they can be, and each knows the span of the whole fence."""
    text = "Look:\n```py\na b\nc d\n\n  e f\n```\nok"
    chunks = split(text, PUBLISHED, count_tokens=words, max_tokens=6)
    assert [text[chunk.start : chunk.end] for chunk in chunks] == [
        "Look:\n",
        "```py\na b\n",
        "c d\n\n  e f\n",
        "```\n",
        "ok",
    ]
    windows = chunks[1:4]
    assert all(window.kind == "code" for window in windows)
    assert {(window.block_start, window.block_end) for window in windows} == {(windows[0].start, windows[-1].end)}


def test_a_line_over_the_limit_is_cut_inside():
    """The pieces are nearly as long as they can be, and other lines stay whole."""
    text = "```\nshort\n" + "x" * 400 + "\nlast\n```"
    windows = parts(text, characters, 50)
    assert "".join(windows) == text
    assert max(len(window.strip()) for window in windows) <= 50
    assert len(windows) == 9  # 419 characters
    assert windows[0].startswith("```\nshort\n")
    assert windows[-1].endswith("\nlast\n```")


def test_a_long_line_without_spaces_is_cut_between_characters():
    """Flags are kept whole in code too."""
    flag = "\U0001f1e9\U0001f1ea"
    text = f"```\n{flag * 2000}\n```"
    windows = parts(text, characters, 101)
    assert "".join(windows) == text
    assert all(len(window.strip("`\n")) % 2 == 0 for window in windows)


def test_windows_are_cut_again_when_a_sum_over_lines_was_too_low():
    """A tokenizer for which the whole is more than its parts."""
    text = "```\n" + "line of code\n" * 30 + "```"

    def growing(texts):
        return [len(text) ** 2 // 50 for text in texts]

    windows = parts(text, growing, 100)
    assert "".join(windows) == text
    assert all(count <= 100 for count in growing([window.strip() for window in windows]))
    assert all(window.endswith("\n") for window in windows[:-1])


def test_pieces_are_counted_together():
    """One call for what fits at once, one more for each halving of what does not."""
    calls = []

    def counting(texts):
        calls.append(len(texts))
        return words(texts)

    text = "This sentence has exactly eight words in it. " * 20
    split(text, PUBLISHED, count_tokens=counting, max_tokens=10)
    assert calls == [20]
    calls.clear()
    split(text, PUBLISHED, count_tokens=counting, max_tokens=4)
    assert calls == [20, 40, 80]


@pytest.mark.parametrize("text", ["A sentence of some more words. " * 100_000, "```\n" + "some code\n" * 300_000])
def test_little_is_counted_beyond_the_cap(text):
    """Of 3 million characters no more than a few batches are tokenized for five chunks."""
    counted = []

    def counting(texts):
        counted.extend(map(len, texts))
        return words(texts)

    five = Limits(PUBLISHED.min_chars, PUBLISHED.min_words, PUBLISHED.max_chars, PUBLISHED.max_words, 5)
    assert len(split(text, five, count_tokens=counting, max_tokens=50)) == 5
    assert sum(counted) < 300_000


@pytest.mark.parametrize(("count", "maximum"), [(None, 5), (words, 0)])
def test_a_limit_needs_a_tokenizer_and_room(count, maximum):
    """A limit that cannot be kept is an error."""
    with pytest.raises(InputError, match="max_tokens"):
        split("text", PUBLISHED, count_tokens=count, max_tokens=maximum)


FRAGMENTS = st.sampled_from(
    [
        *("```", "\n```\n", "~~~\n", "\n", "\n\n", "\r\n", "    ", " ", ". ", ", ", "foo(bar)", "x" * 30, "a b c d"),
        *("中文", "e\u0301", "One two three. Four five six seven."),
    ]
)
TEXTS = st.lists(FRAGMENTS, min_size=1, max_size=40).map("".join)
MONOTONE = st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 5), st.integers(1, 4))


def monotone(costs):
    """A counter that never falls when text is added: costs of letters, of white space, special tokens, a divisor."""
    letter, space, special, divisor = costs

    def count(texts):
        return [
            special + -(-sum(space if character.isspace() else letter for character in text) // divisor)
            for text in texts
        ]

    return count


@given(TEXTS, MONOTONE, st.integers(8, 60))
def test_no_chunk_is_over_the_limit(text, costs, maximum):
    """For any counter that grows with the text; and the chunks still tile it."""
    count = monotone(costs)
    chunks = split(text, PUBLISHED, count_tokens=count, max_tokens=maximum)
    if text.strip():
        assert "".join(text[chunk.start : chunk.end] for chunk in chunks) == text
    assert all(tokens <= maximum for tokens in count([text[c.start : c.end].strip() for c in chunks]))
    assert all(text[chunk.start : chunk.end].strip() for chunk in chunks)


@given(TEXTS, MONOTONE, st.integers(8, 60))
def test_a_fence_is_whole_or_in_windows(text, costs, maximum):
    """One chunk if it fits, else windows without a gap that share its span."""
    count = monotone(costs)
    limited = split(text, PUBLISHED, count_tokens=count, max_tokens=maximum)
    for fence in (chunk for chunk in split(text, PUBLISHED) if chunk.kind == "code"):
        windows = [c for c in limited if c.kind == "code" and fence.start <= c.start < fence.end]
        assert {(window.block_start, window.block_end) for window in windows} == {(fence.start, fence.end)}
        assert [window.end for window in windows[:-1]] == [window.start for window in windows[1:]]
        assert (windows[0].start, windows[-1].end) == (fence.start, fence.end)
        fits = count([text[fence.start : fence.end].strip()])[0] <= maximum
        assert (len(windows) == 1) == fits


@given(st.lists(st.lists(st.sampled_from(["a", "bc", "def"]), min_size=1, max_size=6).map(" ".join), max_size=30))
def test_windows_are_as_long_as_fits(lines):
    """With a tokenizer that cuts at white space, no window has room for the next line."""
    text = "\n".join(["```", *lines, "```"])
    windows = parts(text, words, 10)
    for window, following in pairwise(windows):
        assert words([window])[0] <= 10
        assert words([window + following.splitlines()[0]])[0] > 10


@given(TEXTS, st.integers(0, 2**32), st.integers(1, 20))
def test_a_counter_without_sense_loses_no_text(text, seed, maximum):
    """Whatever the numbers, cutting ends and the chunks tile the text."""

    def senseless(texts):
        return [(hash((seed, len(text), text[:1] > "a")) % 40) for text in texts]

    if text.strip():
        assert "".join(parts(text, senseless, maximum)) == text
