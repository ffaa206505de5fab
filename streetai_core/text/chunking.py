"""Chunking: a message as spans that are small enough to embed and large enough to mean something."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from streetai_core.config import Config
from streetai_core.errors import InputError
from streetai_core.text.characters import core, words_up_to
from streetai_core.text.clean import is_blank
from streetai_core.text.cutting import prose_cut
from streetai_core.text.fences import blocks
from streetai_core.text.fitting import TokenCounts, TokenLimit, within_tokens
from streetai_core.text.sentences import is_typed_small, prose_spans, sentence_spans
from streetai_core.types import Chunk

__all__ = ["Limits", "sentence_spans", "split"]


@dataclass(frozen=True, slots=True)
class Limits:
    """The sizes of chunks, without the white space round them."""

    min_chars: int
    min_words: int
    """A piece with fewer characters or fewer words than these is merged with its neighbour."""
    max_chars: int
    max_words: int
    """A piece with more characters or more words than these is cut."""
    max_chunks: int
    """Most chunks of one text."""
    small_letters: bool = False
    """Whether a sentence may begin with a small letter in a text in which none begins with a capital."""

    @classmethod
    def of(cls, config: Config) -> Limits:
        """The limits that `config` sets."""
        return cls(
            min_chars=config.min_chunk_chars,
            min_words=config.min_chunk_words,
            max_chars=config.max_chunk_chars,
            max_words=config.max_chunk_words,
            max_chunks=config.max_chunks,
            # The published pipeline ends no sentence before a small letter.
            small_letters=config.ranking != "product",
        )


def split(
    text: str, limits: Limits, *, count_tokens: TokenCounts | None = None, max_tokens: int | None = None
) -> list[Chunk]:
    """The chunks of `text`, in order; none of a blank one.

    They tile the text: each starts where the one before ends, the first at 0, the last ends with the text. White
    space between two belongs to the first. In this order:

    1. Code fences stand alone (kind `code`), whatever their size.
    2. The text between them is cut at blank lines and at the ends of sentences. A sentence begins with a capital, or in
       a script without them; with `limits.small_letters` also with a small letter, if none begins with a capital.
    3. A piece that is too small is joined with the next one, the last with the one before; never over a fence.
    4. A piece that is too large is cut in two: behind the comma or semicolon nearest the middle, else before the
       middle word, else at the middle character; again, until it is not.
    5. With `max_tokens`, what has more tokens is cut on in the same way. A fence is cut at the ends of lines, into
       windows that carry the span of the whole fence as their block.

    Words stand between white space. Chinese, Japanese, Thai and other scripts without spaces are measured in
    characters: for the lower limit each of them counts as a word, for the upper limit in words only white space
    counts.

    Only the first `limits.max_chunks` chunks are returned; the text beyond them is not embedded (the stored message
    keeps it), and hardly any work is done for it.

    Raises:
        InputError: `max_tokens` is below 1 or comes without `count_tokens`.
    """
    if is_blank(text):
        return []
    chunks = _chunks(text, limits)
    if max_tokens is not None:
        if count_tokens is None or max_tokens < 1:
            raise InputError(f"max_tokens must be at least 1 and come with count_tokens, got max_tokens={max_tokens}")
        chunks = within_tokens(text, chunks, TokenLimit(count_tokens, max_tokens), limits.min_chars)
    return list(islice(chunks, limits.max_chunks))


def _chunks(text: str, limits: Limits) -> Iterator[Chunk]:
    """All chunks, lazily, as they are without a limit in tokens."""
    small = limits.small_letters and is_typed_small(text)
    for block in blocks(text):
        if block.kind == "code":
            yield block
            continue
        for start, end in _merged(text, prose_spans(text, block.start, block.end, small=small), limits):
            yield from _cut(text, start, end, limits)


def _merged(text: str, spans: Iterable[tuple[int, int]], limits: Limits) -> Iterator[tuple[int, int]]:
    """The spans, those that are too small joined with the next, the last with the one before."""
    done: tuple[int, int] | None = None
    small: tuple[int, int] | None = None
    first = words = 0
    for start, end in spans:
        left, right = core(text, start, end)
        if small is None:
            small, first, words = (start, end), left, 0
        small = (small[0], end)
        words += words_up_to(text[left:right], limits.min_words)
        if right - first < limits.min_chars or words < limits.min_words:
            continue
        if done is not None:
            yield done
        done, small = small, None
    if small is not None:
        done = small if done is None else (done[0], small[1])
    if done is not None:
        yield done


def _cut(text: str, start: int, end: int, limits: Limits) -> Iterator[Chunk]:
    """The span `[start, end)` in pieces that are not too large, from left to right."""
    waiting = [(start, end)]
    while waiting:
        start, end = waiting.pop()
        cut = prose_cut(text, start, end, limits.min_chars) if _is_too_large(text, start, end, limits) else None
        if cut is None:
            yield Chunk(start, end)
        else:
            waiting += [(cut, end), (start, cut)]


def _is_too_large(text: str, start: int, end: int, limits: Limits) -> bool:
    left, right = core(text, start, end)
    if right - left > limits.max_chars:
        return True
    return len(text[left:right].split(maxsplit=limits.max_words)) > limits.max_words
