"""The token limit: no chunk is longer than what the encoder reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

from streetai_core.text.cutting import code_cut, code_lines, code_parts, part_of, prose_cut
from streetai_core.types import Chunk

TokenCounts: TypeAlias = Callable[[Sequence[str]], list[int]]
"""Tokens of each text, special tokens included, as `Encoder.count_tokens` gives them."""

_BATCH_CHARS = 65_536
"""Characters counted in one call: enough to keep a tokenizer busy, little to throw away when the cap is reached."""

_COUNTED_CHARS = 65_536
_COUNTED_CHARS_PER_TOKEN = 16
"""A piece longer than both is over the limit without being counted: no writing has tokens that long."""

_PARTS_PER_WINDOW = 8
"""A line that is too long is cut this fine before packing, so that a window is at least 7/8 full."""

_Counted: TypeAlias = tuple[Chunk, int]
_Measure: TypeAlias = Callable[[Sequence[Chunk]], list[int]]
_Divide: TypeAlias = Callable[[Chunk, int], list[Chunk]]


@dataclass(frozen=True, slots=True)
class TokenLimit:
    """How tokens are counted, and how many a chunk may have (at least 1)."""

    count: TokenCounts
    maximum: int

    def tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, by one call; one over the limit for texts that are not worth counting."""
        longest = max(_COUNTED_CHARS, _COUNTED_CHARS_PER_TOKEN * self.maximum)
        counted = [index for index, text in enumerate(texts) if len(text) <= longest]
        result = [self.maximum + 1] * len(texts)
        if counted:
            counts = self.count([texts[index] for index in counted])
            for index, tokens in zip(counted, counts, strict=True):
                result[index] = tokens
        return result


def within_tokens(text: str, chunks: Iterable[Chunk], limit: TokenLimit, least: int) -> Iterator[Chunk]:
    """`chunks` cut until each has at most `limit.maximum` tokens, lazily; `least` as in `prose_cut`.

    Tokens are counted on the text without the white space at its ends. Only a single character can be over the
    limit. A code fence that is over it comes in windows of lines, see `_windows`.
    """

    def divide(chunk: Chunk, _tokens: int) -> list[Chunk]:
        return [] if chunk.kind == "code" else _halves(chunk, prose_cut(text, chunk.start, chunk.end, least))

    for chunk, tokens in _settled(chunks, _stripped_measure(text, limit), divide, limit.maximum):
        if chunk.kind == "code" and tokens > limit.maximum:
            yield from _windows(text, chunk, limit)
        else:
            yield chunk


def _windows(text: str, fence: Chunk, limit: TokenLimit) -> Iterator[Chunk]:
    """The fence in windows of whole lines, each as long as fits; a line that is too long is cut inside.

    What fits is judged by the sum over the lines, which is exact for tokenizers that cut at white space; then each
    window is counted, and cut again should it be over.
    """

    def measure_lines(lines: Sequence[Chunk]) -> list[int]:
        return limit.tokens([text[line.start : line.end] for line in lines])

    def divide_line(line: Chunk, tokens: int) -> list[Chunk]:
        return code_parts(text, line, -(-_PARTS_PER_WINDOW * tokens // limit.maximum))

    def divide_window(window: Chunk, _tokens: int) -> list[Chunk]:
        return _halves(window, code_cut(text, window.start, window.end))

    lines = _settled(code_lines(text, fence), measure_lines, divide_line, limit.maximum)
    special_tokens = limit.tokens([""])[0]
    windows = _packed(fence, lines, special_tokens, limit.maximum)
    for window, _ in _settled(windows, _stripped_measure(text, limit), divide_window, limit.maximum):
        yield window


def _packed(fence: Chunk, lines: Iterable[_Counted], special_tokens: int, maximum: int) -> Iterator[Chunk]:
    """Neighbouring lines joined while their tokens, with one set of special tokens, sum up to at most `maximum`."""
    start, end, total = fence.start, fence.start, special_tokens
    for line, tokens in lines:
        if start < end and total + tokens - special_tokens > maximum:
            yield part_of(fence, start, end)
            start, total = end, special_tokens
        end = line.end
        total += tokens - special_tokens
    yield part_of(fence, start, end)


def _settled(chunks: Iterable[Chunk], measure: _Measure, divide: _Divide, maximum: int) -> Iterator[_Counted]:
    """Each chunk with its tokens, cut by `divide` until it has at most `maximum` or can be cut no more.

    Lazily, a batch at a time; each round over a batch measures all that is still open in one call.
    """
    for batch in _batches(chunks):
        entries: list[tuple[Chunk, int | None]] = [(chunk, None) for chunk in batch]
        while still_open := [chunk for chunk, tokens in entries if tokens is None]:
            counts = iter(measure(still_open))
            judged = (
                [(chunk, tokens)] if tokens is not None else _judged(chunk, next(counts), divide, maximum)
                for chunk, tokens in entries
            )
            entries = list(chain.from_iterable(judged))
        yield from ((chunk, tokens) for chunk, tokens in entries if tokens is not None)


def _judged(chunk: Chunk, tokens: int, divide: _Divide, maximum: int) -> list[tuple[Chunk, int | None]]:
    """The chunk with its tokens if it stays, else its parts, still to be counted."""
    parts = divide(chunk, tokens) if tokens > maximum else []
    return [(part, None) for part in parts] or [(chunk, tokens)]


def _batches(chunks: Iterable[Chunk]) -> Iterator[list[Chunk]]:
    batch: list[Chunk] = []
    chars = 0
    for chunk in chunks:
        batch.append(chunk)
        chars += chunk.end - chunk.start
        if chars >= _BATCH_CHARS:
            yield batch
            batch, chars = [], 0
    if batch:
        yield batch


def _stripped_measure(text: str, limit: TokenLimit) -> _Measure:
    return lambda chunks: limit.tokens([text[chunk.start : chunk.end].strip() for chunk in chunks])


def _halves(chunk: Chunk, cut: int | None) -> list[Chunk]:
    return [] if cut is None else [part_of(chunk, chunk.start, cut), part_of(chunk, cut, chunk.end)]
