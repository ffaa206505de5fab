"""The parts of a long message that are shown: what says most of what is asked, wherever in it that stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Span = tuple[int, int]

GAP = " [...] "
"""Stands for what is left out between two parts of a message."""

LEAST_PIECES = 4
"""Pieces of a message from which the best of them are shown, in place of the best one and what stands around it. Of
fewer the better half is hardly more than one: with less BEAM loses 1.8 points at 256 tokens."""

_WHOLE_LINES = 0.75
"""The share of what fits that whole lines have to be, for a part to be cut at the end of one."""


def best_parts(text: str, pieces: Sequence[Span], fits: Callable[[str], bool]) -> tuple[Span, ...]:
    """The first pieces that fit together, in the order of the text, and of the next one as much as fits.

    Args:
        text: a message.
        pieces: parts of it, the best first; that is shown in any case.
        fits: whether a text is short enough; none is that is longer than one that is not.
    """
    shown: tuple[Span, ...] = (pieces[0],)

    def fitting(piece: Span) -> bool:
        return fits(joined(text, united(text, (*shown, piece))))

    for piece in pieces[1:]:
        if not fitting(piece):
            part = _cut(text, piece, at_end=_is_before(text, piece, shown), fits=fitting)
            return united(text, (*shown, part)) if part else shown
        shown = united(text, (*shown, piece))
    return shown


def joined(text: str, spans: Sequence[Span]) -> str:
    """Parts of a text as they are shown."""
    return GAP.join([text[start:end].strip() for start, end in spans])


def united(text: str, spans: Sequence[Span]) -> tuple[Span, ...]:
    """Spans in order, those that touch or overlap made one."""
    together: list[Span] = []
    for start, end in sorted(spans):
        if together and is_blank(text, together[-1][1], start):
            together[-1] = (together[-1][0], max(together[-1][1], end))
        else:
            together.append((start, end))
    return tuple(together)


def is_blank(text: str, start: int, end: int) -> bool:
    """Whether there is nothing but white space in a part of a text."""
    return start >= end or not text[start:end].strip()


def _is_before(text: str, piece: Span, shown: Sequence[Span]) -> bool:
    """Whether one of the parts that are shown goes on where a piece ends, and none ends where it begins."""
    if any(end <= piece[0] and is_blank(text, end, piece[0]) for _, end in shown):
        return False
    return any(piece[1] <= start and is_blank(text, piece[1], start) for start, _ in shown)


def _cut(text: str, piece: Span, *, at_end: bool, fits: Callable[[Span], bool]) -> Span | None:
    """The beginning of a piece that fits, or its end: whole lines if these are most of it, else whole words."""
    start, end = piece

    def part(length: int) -> Span:
        return (end - length, end) if at_end else (start, start + length)

    low, high = 0, end - start
    while low < high:
        middle = (low + high + 1) // 2
        if fits(part(middle)):
            low = middle
        else:
            high = middle - 1
    first, last = part(low)
    if at_end:
        places = [text.find("\n", first, int(end - _WHOLE_LINES * low)), text.find(" ", first, end)]
        begin = next((place for place in places if place >= 0), -1)
        return (begin + 1, end) if begin >= 0 else None
    places = [text.rfind("\n", int(start + _WHOLE_LINES * low), last), text.rfind(" ", start, last)]
    stop = next((place for place in places if place >= 0), -1)
    return (start, stop) if stop > start else None
