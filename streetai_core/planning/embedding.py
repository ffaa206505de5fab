"""Plans that give signals other vectors: all of them those of another encoder, or some of them their first ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from streetai_core.arrays import RowNumbers
from streetai_core.config import Config
from streetai_core.encoders.base import Encoder
from streetai_core.placement import Placement
from streetai_core.planning.linking import Linking
from streetai_core.planning.replacing import Replacing
from streetai_core.planning.words import Reader
from streetai_core.state import MemoryState
from streetai_core.stores.types import Changes, SignalRow, WeightRow
from streetai_core.types import KeptVector, Matrix, Message
from streetai_core.vectors import kept


def plan_reencode(
    state: MemoryState, keys: Sequence[int], vectors: Matrix, *, encoder: Encoder, config: Config
) -> Changes:
    """Give all signals (`keys`, in the order they were said) vectors of another encoder, and form the stacks anew.

    Weights, texts and clocks stay; cues go.
    """
    head = replace(state.head, encoder=encoder.fingerprint, dim=encoder.dim)
    empty = MemoryState(head)
    placement = Placement(empty, vectors, config)
    rows = state.columns.rows(keys)
    return Changes(
        head=replace(head, next_stack=placement.next_stack),
        signals=_moved(state, rows, vectors, config),
        weights=_gathered(state, rows, placement),
        stacks=placement.stack_rows,
        deleted_stacks=list(state.stacks.keys),
        # Their texts are not kept, so they cannot be embedded anew.
        deleted_cues=list(state.cues),
        event="reencode",
    )


def plan_embedding(
    state: MemoryState,
    keys: Sequence[int],
    vectors: Matrix,
    *,
    messages: Mapping[int, Message],
    replacing: Replacing,
    words: Reader,
    config: Config,
) -> Changes:
    """Give signals the vectors that they could not get when they were stored, and see what their messages replace.

    Weights, texts and clocks stay.

    Args:
        state: the memory.
        keys: of the signals, which are there.
        vectors: theirs, shape (len(keys), dim).
        messages: that they are pieces of, by sequence.
        replacing: finds what messages replace.
        words: reads words rows.
        config: the settings.
    """
    rows = state.columns.rows(keys)
    placement = Placement(state, vectors, config, without=keys)
    linking = Linking(replacing, words)
    linking.embed([(messages[one], _vectors_of(state, one, rows, vectors)) for one in sorted(messages)])
    return Changes(
        head=replace(state.head, next_stack=placement.next_stack),
        words=linking.rows,
        signals=_moved(state, rows, vectors, config),
        weights=_gathered(state, rows, placement),
        stacks=placement.stack_rows,
        deleted_stacks=placement.deleted_stacks,
    )


def _vectors_of(state: MemoryState, sequence: int, rows: RowNumbers, vectors: Matrix) -> Matrix:
    """The vectors of a message in the order of its chunks, where signals in `rows` get these `vectors`."""
    own = state.rows_of_message(sequence)
    own = own[np.argsort(state.columns.column("chunk_index")[own])]
    fresh = dict(zip(rows.tolist(), vectors, strict=True))
    before = state.columns.vectors_of(own)
    return np.stack([fresh.get(row, vector) for row, vector in zip(own.tolist(), before, strict=True)])


def _gathered(state: MemoryState, rows: RowNumbers, placement: Placement) -> list[WeightRow]:
    """The weights of signals in their new stacks."""
    columns = state.columns
    return [
        WeightRow(
            key=int(columns.keys[row]),
            base_weight=float(columns.base[row]),
            last_used_turn=int(columns.column("last_used_turn")[row]),
            uses=int(columns.column("uses")[row]),
            stack=stack,
        )
        for row, stack in zip(rows.tolist(), placement.assignment.stack_of, strict=True)
    ]


def _moved(state: MemoryState, rows: RowNumbers, vectors: Matrix, config: Config) -> list[SignalRow]:
    """Signals with other vectors."""
    return [
        _signal(state, row, vector)
        for row, vector in zip(rows.tolist(), kept(vectors, config.vector_precision), strict=True)
    ]


def _signal(state: MemoryState, row: int, vector: KeptVector) -> SignalRow:
    """A signal with another vector."""
    columns = state.columns
    return SignalRow(
        key=int(columns.keys[row]),
        sequence=int(columns.column("sequence")[row]),
        chunk_index=int(columns.column("chunk_index")[row]),
        kind="code" if columns.column("code")[row] else "chunk",
        start=int(columns.column("start")[row]),
        end=int(columns.column("end")[row]),
        block_start=int(columns.column("block_start")[row]),
        block_end=int(columns.column("block_end")[row]),
        vector=vector,
    )
