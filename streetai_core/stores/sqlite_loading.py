"""A whole memory from SQLite as columns, without an object for each row."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import numpy as np

from streetai_core.arrays import Integers
from streetai_core.stores.belonging import Keys, check_belonging
from streetai_core.stores.checksums import blobs, texts, wholes
from streetai_core.stores.columns import Loaded, SignalArrays, StackArrays, WeightArrays, WordsArrays
from streetai_core.stores.completeness import counts_of, message_keys
from streetai_core.stores.index_checks import Select, check_indexes
from streetai_core.stores.rows import SINGLE, Origin, cue_from, quarantine_from
from streetai_core.stores.selects import BY_CUE, CUES, QUARANTINES
from streetai_core.stores.sqlite_columns import (
    Blocks,
    array_in,
    check,
    reals_in,
    texts_in,
    turned,
    wholes_in,
)
from streetai_core.stores.sqlite_packable import (
    EACH,
    SIGNAL_COLUMNS,
    SIGNALS,
    WEIGHT_COLUMNS,
    WEIGHTS,
    WORDS,
    weight_columns,
)
from streetai_core.stores.sqlite_vectors import stored_vectors, vectors_of_all
from streetai_core.stores.types import Head

_CHANGED = """
SELECT weights.signal_key, base_weight, last_used_turn, uses, stack_key, version, crc
FROM changed_weights CROSS JOIN weights
ON weights.memory_key = changed_weights.memory_key AND weights.signal_key = changed_weights.signal_key
WHERE changed_weights.memory_key = ?
"""
_STACKS = "SELECT stack_key, size, dim, version, total, crc FROM stacks WHERE memory_key = ? ORDER BY stack_key"
_NONE_REPLACED = "[]"
"""Of a message that replaces no other: nearly all."""

_PAIR = 2
"""The first and the last day of a span."""


def load(select: Select, blocks: Blocks, key: int, head: Head, origin: Origin) -> Loaded:
    """All rows of a memory.

    Args:
        select: executes a query.
        blocks: executes a query, and gives its rows in blocks.
        key: the memory's number in the database.
        head: the memory's row.
        origin: where the rows are, for errors.

    Raises:
        ValueError: as for all that is `ILL_FORMED`: something does not fit, be it a row or only a pack.
        DamagedFileError: a row of what is read one by one does not fit its checksum, or a row is missing.
    """
    dim = head.dim or 0
    signals, written = _signals(blocks, key, dim)
    weights, weighed = _weights(blocks, key)
    stacks, summed = load_stacks(blocks, key, dim)
    words, told = _words(blocks, key)
    cues = [cue_from(row, origin) for row in select(CUES + BY_CUE, key)]
    rules = frozenset(quarantine_from(row, origin) for row in select(QUARANTINES, key))
    counts = counts_of(select, key)
    counts.check([len(part) for part in (written, weighed, summed, told, rules, cues)], origin)
    keys = Keys(
        messages=message_keys(select, key, counts, origin),
        signals=signals.key,
        said_in=signals.sequence,
        weights=weights.key,
        words=words.sequence,
        cues=wholes([cue.key for cue in cues]),
    )
    check_belonging(keys, origin)
    if not all(_ascending(one) for one in (signals.key, weights.key, stacks.key, words.sequence)):
        raise ValueError("a row is found twice, in place of another one")
    versions = {"signals": written, "weights": weighed, "stacks": summed, "words": told}
    sums = {table: (len(column), int(column.sum())) for table, column in versions.items()}
    check_indexes(select, key, counts.messages, counts.sequences, origin, versions=sums)
    return Loaded(head=head, signals=signals, weights=weights, stacks=stacks, words=words, cues=cues, quarantine=rules)


def _ascending(keys: Integers) -> bool:
    """Whether each key is above the one before it: rows are read in this order, and each is there once."""
    return bool(np.all(keys[1:] > keys[:-1]))


def _signals(blocks: Blocks, memory_key: int, dim: int) -> tuple[SignalArrays, Integers]:
    """All signals of a memory, each with a vector of `dim` numbers; and the version that wrote each.

    Raises:
        ValueError: as for all that is `ILL_FORMED`.
    """
    pieces = list(SIGNALS.all(blocks, memory_key))
    whole = {name: wholes_in(pieces, name) for name in SIGNAL_COLUMNS if name != "kind"}
    kind = texts_in(pieces, "kind")
    numbers = {**whole, "kind": texts(kind.values, kind.codes)}
    found = SignalArrays(
        key=whole["key"],
        sequence=whole["sequence"],
        chunk_index=whole["chunk_index"],
        kind=kind,
        start=whole["start"],
        end=whole["end"],
        block_start=whole["block_start"],
        block_end=whole["block_end"],
        vectors=vectors_of_all(blocks, memory_key, [numbers[name] for name in SIGNAL_COLUMNS], dim),
    )
    return found, whole["version"]


def _weights(blocks: Blocks, memory_key: int) -> tuple[WeightArrays, Integers]:
    """All weights of a memory, and the version that wrote each.

    Raises:
        ValueError: as for all that is `ILL_FORMED`.
    """
    pieces = list(WEIGHTS.all(blocks, memory_key))
    whole = {name: wholes_in(pieces, name) for name in WEIGHT_COLUMNS if name != "base_weight"}
    base_weight = reals_in(pieces, "base_weight")
    for block in blocks(_CHANGED, memory_key):
        changed = weight_columns(memory_key, block)
        if not np.isin(changed["key"], whole["key"]).all():
            raise ValueError("a weight that is in no pack and was not read")
        places = np.searchsorted(whole["key"], changed["key"])
        base_weight[places] = changed["base_weight"]
        for name, column in whole.items():
            column[places] = changed[name]
    weights = WeightArrays(
        key=whole["key"],
        base_weight=base_weight,
        last_used_turn=whole["last_used_turn"],
        uses=whole["uses"],
        stack=whole["stack"],
    )
    return weights, whole["version"]


def load_stacks(blocks: Blocks, memory_key: int, dim: int) -> tuple[StackArrays, Integers]:
    """All stacks of a memory, and the version that wrote each.

    Raises:
        ValueError: as for all that is `ILL_FORMED`.
    """
    numbers: list[list[Integers]] = []
    totals = [np.zeros((0, dim), dtype=np.float32)]
    for block in blocks(_STACKS, memory_key):
        *others, data, crc = turned(block)
        own = [wholes(column) for column in others]
        check([memory_key, *own, blobs(data)[1]], crc)
        numbers.append(own)
        totals.append(stored_vectors(data, SINGLE, dim))
    key, size, _, version = _concatenated(numbers, 4)
    return StackArrays(key=key, size=size, totals=np.concatenate(totals)), version


def _words(blocks: Blocks, memory_key: int) -> tuple[WordsArrays, Integers]:
    """All words rows of a memory, and the version that wrote each.

    Raises:
        ValueError: as for all that is `ILL_FORMED`.
    """
    pieces = list(WORDS.all(blocks, memory_key))
    replaces = texts_in(pieces, "replaces")
    replaced = [() if text == _NONE_REPLACED else tuple(json.loads(text or "")) for text in replaces.values]
    found = WordsArrays(
        sequence=wholes_in(pieces, "sequence"),
        conversation_id=texts_in(pieces, "conversation_id"),
        name=texts_in(pieces, "name"),
        role=texts_in(pieces, "role"),
        day=wholes_in(pieces, "day"),
        characters=wholes_in(pieces, "characters"),
        question=wholes_in(pieces, "question"),
        source=texts_in(pieces, "source"),
        trust=reals_in(pieces, "trust"),
        writer=texts_in(pieces, "writer"),
        fingerprint=wholes_in(pieces, "fingerprint"),
        rules=wholes_in(pieces, "rules"),
        term_counts=wholes_in(pieces, EACH.format("terms")),
        terms=array_in(pieces, "terms", np.uint32),
        counts=array_in(pieces, "counts", np.uint16),
        day_counts=wholes_in(pieces, EACH.format("days")),
        days=array_in(pieces, "days", np.int32).reshape(-1, _PAIR),
        replaces=list(map(replaced.__getitem__, replaces.codes.tolist())),
    )
    return found, wholes_in(pieces, "version")


def _concatenated(blocks: Iterable[Sequence[Integers]], count: int) -> list[Integers]:
    """The `count` columns of all blocks, each in one array."""
    columns = list(zip(*blocks, strict=True)) or [(np.zeros(0, dtype=np.int64),)] * count
    return [np.concatenate(column) for column in columns]
