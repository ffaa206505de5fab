"""What an image has of a memory in RAM, and the memory that comes of one again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from streetai_core.index.alignment import Alignment
from streetai_core.index.codes import LEAST
from streetai_core.index.columns import SignalColumns
from streetai_core.index.cues import CueIndex
from streetai_core.index.parts import joined, part_of
from streetai_core.index.words import WordIndex
from streetai_core.state import MemoryState
from streetai_core.stores.images import Content, Image
from streetai_core.stores.types import Head

_ALIGNED = ("at", "order", "starts", "sizes", "several", "standing", "silent")
"""What an image has of the alignment of signals with messages."""

_BYTES = "signals.bytes"
"""The codes of an image: nearly all of it, so read to where they stay."""


def content_of(state: MemoryState) -> Content | None:
    """All of a memory but vectors and stacks, which are read when they are asked for.

    `None`: it is no use, or not what the rows alone say: of few signals, after something was deleted or edited, or with
    messages in quarantine.
    """
    columns, index = state.columns, state.words
    if len(columns) < LEAST or state.quarantine or len(index) < index.size or not columns.dim:
        return None
    words, texts = index.image()
    alignment = state.alignment
    parts = {
        "signals": columns.image(),
        "words": words,
        "cues": state.cues.image(),
        "alignment": {name: getattr(alignment, name) for name in _ALIGNED},
    }
    return Content(joined(parts), texts)


def state_of(image: Image, head: Head) -> MemoryState:
    """The state that an image describes, at its version; `head` is that of a later one.

    Raises:
        ValueError: the image is damaged; a `KeyError` or an `OSError` too.
    """
    numbers = {name: image.numbers(name) for name in image.names if name != _BYTES}
    columns, words, cues = SignalColumns(head.dim or 0), WordIndex(), CueIndex(head.dim or 0)
    columns.restore(part_of(numbers, "signals"), lambda room: image.read_into(_BYTES, room))
    words.restore(part_of(numbers, "words"), image.texts)
    cues.restore(part_of(numbers, "cues"))
    aligned = {name: array.astype(np.intp) for name, array in part_of(numbers, "alignment").items()}
    is_whole = int(aligned["at"].min(initial=0)) >= 0
    alignment = Alignment(messages=words.size, is_whole=is_whole, growing=None, **aligned)
    return MemoryState.of_indexes(replace(head, version=image.version), columns, words, cues, alignment)
