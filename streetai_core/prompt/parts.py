"""The parts of a long message that are shown: what says most of what is asked, wherever in it that stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from streetai_core.text.cutting import first_border, last_border

Span = tuple[int, int]

GAP = " [...] "
"""Stands for what is left out between two parts of a message."""

LEAST_PIECES = 4
"""Pieces of a message from which the best of them are shown, in place of the best one and what stands around it. Of
fewer the better half is hardly more than one: with less BEAM loses 1.8 points at 256 tokens."""

_SHORTEST = 24
"""Characters of a piece from which a part of it is shown: a word or two of it say nothing."""

_WHOLE_LINES = 0.75
"""The share of what fits that whole lines have to be, for a part to be cut at the end of one."""


def best_parts(text: str, pieces: Sequence[Span], most: float, count: Callable[[str], int]) -> tuple[Span, ...]:
    """The first pieces that fit together, in the order of the text, and of the next one as much as fits.

    Args:
        text: a message.
        pieces: parts of it, the best first; that is shown in any case.
        most: tokens that there are.
        count: gives the tokens of a text.
    """
    shown = [pieces[0]]
    left = most - count(joined(text, shown))
    for piece in pieces[1:]:
        cost = count(GAP + text[piece[0] : piece[1]])
        if cost > left:
            # Only now, for there may be thousands of pieces; they cost less together than alone.
            left = most - count(joined(text, united(text, shown)))
            before = max((end for _, end in shown if end <= piece[0]), default=None)
            behind = min((start for start, _ in shown if start >= piece[1]), default=None)
            follows = before is not None and nothing_between(text, before, piece[0])
            leads = behind is not None and nothing_between(text, piece[1], behind)
            gap = " " if follows or leads else GAP
            cost = count(gap + text[piece[0] : piece[1]])
            if cost > left:
                part = _cut(text, piece, at_end=leads and not follows, fits=partial(_fits, count, left, gap))
                return united(text, shown if part is None else [*shown, part])
        shown.append(piece)
        left -= cost
    return united(text, shown)


def joined(text: str, spans: Sequence[Span]) -> str:
    """Parts of a text as they are shown."""
    return GAP.join([text[start:end].strip() for start, end in spans])


def united(text: str, spans: Sequence[Span]) -> tuple[Span, ...]:
    """Spans in order, those that touch or overlap made one."""
    together: list[Span] = []
    for start, end in sorted(spans):
        if together and nothing_between(text, together[-1][1], start):
            together[-1] = (together[-1][0], max(together[-1][1], end))
        else:
            together.append((start, end))
    return tuple(together)


def nothing_between(text: str, start: int, end: int) -> bool:
    """Whether there is nothing but white space between two places of a text."""
    return start >= end or not text[start:end].strip()


def _fits(count: Callable[[str], int], left: float, gap: str, part: str) -> bool:
    """Whether there is room for a part behind a gap."""
    return count(gap + part) <= left


def _cut(text: str, piece: Span, *, at_end: bool, fits: Callable[[str], bool]) -> Span | None:
    """The beginning of a piece that fits, or its end: whole lines if these are most of it, else whole words."""
    start, end = piece

    def part(length: int) -> Span:
        return (end - length, end) if at_end else (start, start + length)

    low, high = 0, end - start
    while low < high:
        middle = (low + high + 1) // 2
        first, last = part(middle)
        if fits(text[first:last]):
            low = middle
        else:
            high = middle - 1
    first, last = part(low)
    if at_end:
        line = text.find("\n", first, int(end - _WHOLE_LINES * low))
        begin = first_border(text, first, end) if line < 0 else line + 1
        return (begin, end) if begin >= 0 and end - begin >= _SHORTEST else None
    line = text.rfind("\n", int(start + _WHOLE_LINES * low), last)
    stop = last_border(text, start, last) if line < 0 else line
    return (start, stop) if stop - start >= _SHORTEST else None
