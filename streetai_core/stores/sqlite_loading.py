"""A whole memory from SQLite as columns: from packs, and the rows that are in none.

Rows are fetched in blocks, and checked a column at a time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from streetai_core.stores.checksums import Integers, blobs, checksums, reals, texts, vectors, wholes
from streetai_core.stores.columns import Coded, Floats, SignalArrays, StackArrays, WeightArrays, WordsArrays
from streetai_core.stores.packs import SPAN, Column, is_pack, unpacked
from streetai_core.stores.rows import HALF, SINGLE, Row
from streetai_core.stores.words_rows import COUNTS, DAYS, TERMS
from streetai_core.types import KeptMatrix

Blocks: TypeAlias = Callable[..., Iterator[list[Row]]]
"""Executes a query with its values and gives its rows in blocks, none of them empty."""

Columns: TypeAlias = Mapping[str, Any]
"""Columns of a table by name, each a `Column`."""

_SIGNALS = """
SELECT signal_key, sequence, chunk_index, kind, start, "end", block_start, block_end, version
FROM signals WHERE memory_key = ? AND signal_key BETWEEN ? AND ? ORDER BY signal_key
"""
_SIGNAL_COLUMNS = (*("key", "sequence", "chunk_index", "kind", "start", "end", "block_start", "block_end", "version"),)
_VECTORS = "SELECT signal_key, vector, crc FROM vectors WHERE memory_key = ? ORDER BY signal_key"
_SOME = """
SELECT signals.signal_key, sequence, chunk_index, kind, start, "end", block_start, block_end, version, vector, crc
FROM json_each(?) AS wanted
CROSS JOIN signals ON signals.memory_key = ? AND signals.signal_key = wanted.value
CROSS JOIN vectors ON vectors.memory_key = signals.memory_key AND vectors.signal_key = signals.signal_key
"""
_WEIGHTS = """
SELECT signal_key, base_weight, last_used_turn, uses, stack_key, version, crc
FROM weights WHERE memory_key = ? AND signal_key BETWEEN ? AND ? ORDER BY signal_key
"""
_CHANGED = """
SELECT weights.signal_key, base_weight, last_used_turn, uses, stack_key, version, crc
FROM changed_weights CROSS JOIN weights
ON weights.memory_key = changed_weights.memory_key AND weights.signal_key = changed_weights.signal_key
WHERE changed_weights.memory_key = ?
"""
_WEIGHT_COLUMNS = ("key", "base_weight", "last_used_turn", "uses", "stack", "version")
_STACKS = "SELECT stack_key, size, dim, version, total, crc FROM stacks WHERE memory_key = ? ORDER BY stack_key"
_WORDS = """
SELECT sequence, version, conversation_id, name, role, day, characters, question, source, trust, writer, fingerprint,
       rules, terms, counts, days, replaces, crc
FROM words WHERE memory_key = ? AND sequence BETWEEN ? AND ? ORDER BY sequence
"""
_WORDS_COLUMNS = (
    *("sequence", "version", "conversation_id", "name", "role", "day", "characters", "question", "source", "trust"),
    *("writer", "fingerprint", "rules", "terms", "counts", "days", "replaces", "crc"),
)
"""In the order in which the checksum counts them."""
_WHOLE = ("sequence", "version", "day", "characters", "question", "fingerprint", "rules")
_TEXTS = ("conversation_id", "name", "role", "source", "writer", "replaces")
_ARRAYS: dict[str, tuple[np.dtype[Any], int]] = {"terms": (TERMS, 1), "counts": (COUNTS, 1), "days": (DAYS, 2)}
"""What they are made of, and how many of it are one; a span of days has a first and a last one."""

_EACH = "{} of each"
"""The column that says how many elements of an array each row has."""

PACKS = "SELECT part, data, crc FROM packs WHERE memory_key = ? AND kind = ? ORDER BY part"

_LAST = (1 << 63) - 1
"""Above all keys that there can be. The first one is 0: a row that damage has moved below it is missed by its count."""

_SPARE = 8
"""Room for an eighth more vectors than there are: as much as `SignalColumns.fill` gives its columns, so that it
need not copy them."""

_NONE_REPLACED = "[]"
"""Of a message that replaces no other: nearly all."""

_PAIR = 2
"""The first and the last day of a span."""

ILL_FORMED = (TypeError, ValueError, OverflowError)
"""What loading raises for a row that does not fit its checksum, or a value that does not fit its column. Which row it
is, reading row by row tells."""


def ascending(keys: Integers) -> bool:
    """Whether each key is above the one before it: rows are read in this order, and each is there once."""
    return bool(np.all(keys[1:] > keys[:-1]))


@dataclass(frozen=True, slots=True)
class Packable:
    """A table whose rows can be packed."""

    kind: str
    """As `packs` calls it."""
    select: str
    """Rows of one memory from one key to another, by key."""
    names: frozenset[str]
    """Of the columns."""
    decode: Callable[[int, list[Row]], Columns]
    """The columns of some rows of the memory with this number. Raises what is `ILL_FORMED`."""

    def rows(self, blocks: Blocks, memory_key: int, first: int, last: int) -> Iterator[Columns]:
        """The columns of the rows with these keys, in pieces."""
        for block in blocks(self.select, memory_key, first, last):
            yield self.decode(memory_key, block)

    def all(self, blocks: Blocks, memory_key: int) -> Iterator[Columns]:
        """The columns of all rows, in pieces: those of packs, and of the rows that are in none."""
        following = 0
        for part, columns in self._packs(blocks, memory_key):
            first, last = span(part)
            if following < first:
                yield from self.rows(blocks, memory_key, following, first - 1)
            if columns:
                yield columns
            following = last + 1
        yield from self.rows(blocks, memory_key, following, _LAST)

    def _packs(self, blocks: Blocks, memory_key: int) -> list[tuple[int, Columns]]:
        """All packs that are as they were written: the rows are there for the others."""
        rows = (row for block in blocks(PACKS, memory_key, self.kind) for row in block)
        found = [(row[0], unpacked(row[1])) for row in rows if is_pack(memory_key, self.kind, row)]
        return [(part, columns) for part, columns in found if not columns or columns.keys() == self.names]


def _signal_columns(_memory_key: int, block: list[Row]) -> Columns:
    """Columns of signals. They are under one checksum with the vectors, and checked together with them."""
    columns = dict(zip(_SIGNAL_COLUMNS, _turned(block), strict=True))
    return {name: Coded.of(column) if name == "kind" else wholes(column) for name, column in columns.items()}


def _words_columns(memory_key: int, block: list[Row]) -> Columns:
    """Columns of words rows, checked."""
    columns = dict(zip(_WORDS_COLUMNS, _turned(block), strict=True))
    numbers: dict[str, Integers] = {name: wholes(columns[name]) for name in _WHOLE}
    found: dict[str, Column] = dict(numbers)
    found["trust"], numbers["trust"] = reals(columns["trust"])
    for name in _TEXTS:
        coded = found[name] = Coded.of(columns[name])
        numbers[name] = texts(coded.values, coded.codes)
    for name, (kind, each) in _ARRAYS.items():
        lengths, numbers[name] = blobs(columns[name])
        found[_EACH.format(name)] = lengths // (kind.itemsize * each)
        found[name] = np.frombuffer(b"".join(columns[name]), dtype=kind)
    _check([memory_key, *(numbers[name] for name in _WORDS_COLUMNS[:-1])], columns["crc"])
    return found


def _weight_columns(memory_key: int, block: list[Row]) -> Columns:
    """Columns of weights, checked."""
    columns = dict(zip((*_WEIGHT_COLUMNS, "crc"), _turned(block), strict=True))
    base, bits = reals(columns["base_weight"])
    found = {name: wholes(columns[name]) for name in _WEIGHT_COLUMNS if name != "base_weight"}
    numbers = {**found, "base_weight": bits}
    _check([memory_key, *(numbers[name] for name in _WEIGHT_COLUMNS)], columns["crc"])
    return {**found, "base_weight": base}


SIGNALS = Packable("signals", _SIGNALS, frozenset(_SIGNAL_COLUMNS), _signal_columns)
WEIGHTS = Packable("weights", _WEIGHTS, frozenset(_WEIGHT_COLUMNS), _weight_columns)
WORDS = Packable(
    "words", _WORDS, frozenset((*_WORDS_COLUMNS[:-1], *(_EACH.format(name) for name in _ARRAYS))), _words_columns
)


PACKABLE = (SIGNALS, WEIGHTS, WORDS)
"""All tables that are packed."""


def span(part: int) -> tuple[int, int]:
    """The first and the last key of a part."""
    return part * SPAN, (part + 1) * SPAN - 1


def load_signals(blocks: Blocks, memory_key: int, dim: int) -> tuple[SignalArrays, Integers]:
    """All signals of a memory, each with a vector of `dim` numbers; and the version that wrote each.

    Raises:
        ValueError: as for all that is `ILL_FORMED`.
    """
    pieces = list(SIGNALS.all(blocks, memory_key))
    whole = {name: _whole(pieces, name) for name in _SIGNAL_COLUMNS if name != "kind"}
    kind = _coded(pieces, "kind")
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
        vectors=_vectors(blocks, memory_key, [numbers[name] for name in _SIGNAL_COLUMNS], dim),
    )
    return found, whole["version"]


def _vectors(blocks: Blocks, memory_key: int, signals: Sequence[Integers], dim: int) -> KeptMatrix:
    """The vectors of the signals of which these are the numbers, each under the checksum of the whole signal.

    They are halves if all are kept so.
    """
    keys = signals[0]
    room: KeptMatrix | None = None
    first = 0
    for block in blocks(_VECTORS, memory_key):
        key, data, crc = _turned(block)
        rows = slice(first, first + len(block))
        first += len(block)
        if first > len(keys) or not np.array_equal(wholes(key), keys[rows]):
            raise ValueError("a signal without a vector, or a vector without a signal")
        stored, numbers = _vectors_of(data, dim)
        _check([memory_key, *(column[rows] for column in signals), numbers], crc)
        if room is None or (stored.dtype == SINGLE and room.dtype == np.float16):
            before, room = room, np.empty((len(keys) + len(keys) // _SPARE, dim), stored.dtype.newbyteorder("="))
            if before is not None:
                room[: rows.start] = before[: rows.start]
        room[rows] = stored
    if first != len(keys):
        raise ValueError("a signal without a vector")
    return np.zeros((0, dim), dtype=np.float32) if room is None else room[: len(keys)]


def load_vectors(blocks: Blocks, memory_key: int, keys: Integers, dim: int) -> KeptMatrix:
    """The vectors of some signals, shape (len(keys), dim), each under the checksum of the whole signal.

    Raises:
        ValueError: as for all that is `ILL_FORMED`.
    """
    found: list[KeptMatrix] = [np.zeros((0, dim), dtype=np.float16)]
    first = 0
    for block in blocks(_SOME, json.dumps(keys.tolist()), memory_key):
        *own, data, crc = _turned(block)
        columns = dict(zip(_SIGNAL_COLUMNS, own, strict=True))
        kind = Coded.of(columns["kind"])
        numbers = {name: wholes(column) for name, column in columns.items() if name != "kind"}
        numbers["kind"] = texts(kind.values, kind.codes)
        stored, last = _vectors_of(data, dim)
        _check([memory_key, *(numbers[name] for name in _SIGNAL_COLUMNS), last], crc)
        if not np.array_equal(numbers["key"], keys[first : first + len(block)]):
            raise ValueError("a signal without a vector")
        found.append(stored)
        first += len(block)
    if first != len(keys):
        raise ValueError("a signal without a vector")
    return np.concatenate(found)


def load_weights(blocks: Blocks, memory_key: int) -> tuple[WeightArrays, Integers]:
    """All weights of a memory, and the version that wrote each.

    Raises:
        ValueError: as for all that is `ILL_FORMED`.
    """
    pieces = list(WEIGHTS.all(blocks, memory_key))
    whole = {name: _whole(pieces, name) for name in _WEIGHT_COLUMNS if name != "base_weight"}
    base_weight = _real(pieces, "base_weight")
    for block in blocks(_CHANGED, memory_key):
        changed = _weight_columns(memory_key, block)
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
        *others, data, crc = _turned(block)
        own = [wholes(column) for column in others]
        _check([memory_key, *own, blobs(data)[1]], crc)
        numbers.append(own)
        totals.append(_stored(data, SINGLE, dim))
    key, size, _, version = _concatenated(numbers, 4)
    return StackArrays(key=key, size=size, totals=np.concatenate(totals)), version


def load_words(blocks: Blocks, memory_key: int) -> tuple[WordsArrays, Integers]:
    """All words rows of a memory, and the version that wrote each.

    Raises:
        ValueError: as for all that is `ILL_FORMED`.
    """
    pieces = list(WORDS.all(blocks, memory_key))
    replaces = _coded(pieces, "replaces")
    replaced = [() if text == _NONE_REPLACED else tuple(json.loads(text or "")) for text in replaces.values]
    found = WordsArrays(
        sequence=_whole(pieces, "sequence"),
        conversation_id=_coded(pieces, "conversation_id"),
        name=_coded(pieces, "name"),
        role=_coded(pieces, "role"),
        day=_whole(pieces, "day"),
        characters=_whole(pieces, "characters"),
        question=_whole(pieces, "question"),
        source=_coded(pieces, "source"),
        trust=_real(pieces, "trust"),
        writer=_coded(pieces, "writer"),
        fingerprint=_whole(pieces, "fingerprint"),
        rules=_whole(pieces, "rules"),
        term_counts=_whole(pieces, _EACH.format("terms")),
        terms=_array(pieces, "terms", np.uint32),
        counts=_array(pieces, "counts", np.uint16),
        day_counts=_whole(pieces, _EACH.format("days")),
        days=_array(pieces, "days", np.int32).reshape(-1, _PAIR),
        replaces=list(map(replaced.__getitem__, replaces.codes.tolist())),
    )
    return found, _whole(pieces, "version")


def put_together(pieces: Sequence[Columns]) -> dict[str, Column]:
    """All pieces in one; no columns if there are none."""
    if not pieces:
        return {}
    return {
        name: Coded.joined([piece[name] for piece in pieces])
        if isinstance(first, Coded)
        else np.concatenate([piece[name] for piece in pieces])
        for name, first in pieces[0].items()
    }


def _whole(pieces: Sequence[Columns], name: str) -> Integers:
    """A column of whole numbers of all pieces, shape (n,)."""
    found: Integers = _array(pieces, name, np.int64)
    return found


def _real(pieces: Sequence[Columns], name: str) -> Floats:
    """A column of real numbers of all pieces, shape (n,)."""
    found: Floats = _array(pieces, name, np.float64)
    return found


def _array(pieces: Sequence[Columns], name: str, kind: type[np.generic]) -> Any:
    """A column of all pieces in one array of this type."""
    return np.concatenate([np.zeros(0, kind), *(piece[name] for piece in pieces)], dtype=kind, casting="unsafe")


def _coded(pieces: Sequence[Columns], name: str) -> Coded:
    """A column of texts of all pieces."""
    return Coded.joined([piece[name] for piece in pieces])


def _turned(block: Sequence[Row]) -> list[tuple[Any, ...]]:
    """The rows of a block turned round: its columns."""
    return list(zip(*block, strict=True))


def _concatenated(blocks: Iterable[Sequence[Integers]], count: int) -> list[Integers]:
    """The `count` columns of all blocks, each in one array."""
    columns = list(zip(*blocks, strict=True)) or [(np.zeros(0, dtype=np.int64),)] * count
    return [np.concatenate(column) for column in columns]


def _vectors_of(data: Sequence[bytes], dim: int) -> tuple[npt.NDArray[Any], Integers]:
    """The vectors of a block as they are kept, shape (n, dim), and what stands for them in the checksum.

    Where some are halves and others not, all become singles.
    """
    sizes = set(map(len, data))
    for kind in (SINGLE, HALF):
        if sizes == {kind.itemsize * dim}:
            stored = _stored(data, kind, dim)
            return stored, vectors(stored)
    mixed = np.empty((len(data), dim), dtype=SINGLE)
    numbers = np.empty(len(data), dtype=np.int64)
    halves = np.array([len(one) == HALF.itemsize * dim for one in data], dtype=np.bool_)
    for kind, rows in ((SINGLE, np.flatnonzero(~halves)), (HALF, np.flatnonzero(halves))):
        stored = _stored([data[row] for row in rows.tolist()], kind, dim)
        mixed[rows], numbers[rows] = stored, vectors(stored)
    return mixed, numbers


def _stored(data: Sequence[bytes], kind: np.dtype[Any], dim: int) -> npt.NDArray[Any]:
    """Vectors of one kind, shape (n, dim)."""
    if set(map(len, data)) != {kind.itemsize * dim}:
        raise ValueError("a vector of another dimension")
    return np.frombuffer(b"".join(data), dtype=kind).reshape(-1, dim)


def _check(numbers: Sequence[Integers | int], crc: Sequence[Any]) -> None:
    """Compare the numbers of a block's rows with their checksums."""
    if not np.array_equal(checksums(numbers), wholes(crc)):
        raise ValueError("a row does not fit its checksum")
