"""A memory from SQLite row by row: all of it, or what changed since a version."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import TypeVar

from streetai_core.stores.belonging import Keys, check_belonging
from streetai_core.stores.checksums import wholes
from streetai_core.stores.completeness import check_once, counts_of, message_keys
from streetai_core.stores.index_checks import Select, check_indexes
from streetai_core.stores.rows import (
    Origin,
    Row,
    cue_from,
    key_of_row,
    quarantine_from,
    signal_from,
    stack_from,
    weight_from,
)
from streetai_core.stores.selects import (
    BY_CUE,
    BY_SEQUENCE,
    CUES,
    QUARANTINES,
    SIGNALS,
    STACKS,
    WEIGHTS,
    WORDS,
)
from streetai_core.stores.types import Head, Rows
from streetai_core.stores.values import is_complete
from streetai_core.stores.words_rows import words_from

Value = TypeVar("Value")

_SINCE = " AND version > ?"
_BY_SIGNAL = " ORDER BY signals.signal_key"
_BY_WEIGHT = " ORDER BY weights.signal_key"
_BY_STACK = " ORDER BY stack_key"

_key_of_cue = attrgetter("key", "question")


def read_rows(select: Select, key: int, head: Head, since: int | None, origin: Origin) -> Rows:
    """Rows of a memory that were written after version `since`, or all of them.

    Args:
        select: executes a query.
        key: the memory's number in the database.
        head: the memory's row.
        since: a version of the memory; `None`: all rows.
        origin: where the rows are, for errors.

    Raises:
        DamagedFileError: a row does not fit its checksum; or, if all are read, a row or a message is missing.
    """
    complete = is_complete(since, head)

    def changed(sql: str, order: str, decode: Callable[[Row, Origin], Value]) -> list[Value]:
        if complete:
            return [decode(row, origin) for row in select(sql + order, key)]
        # Asked to sort, SQLite would go through all rows of the memory instead of the index of versions.
        return [decode(row, origin) for row in sorted(select(sql + _SINCE, key, since), key=key_of_row)]

    rows = Rows(
        head=head,
        complete=complete,
        signals=changed(SIGNALS, _BY_SIGNAL, signal_from),
        weights=changed(WEIGHTS, _BY_WEIGHT, weight_from),
        stacks=changed(STACKS, _BY_STACK, stack_from),
        words=changed(WORDS, BY_SEQUENCE, words_from),
        cues=sorted(changed(CUES, BY_CUE, cue_from), key=_key_of_cue),
        quarantine=frozenset(quarantine_from(row, origin) for row in select(QUARANTINES, key)),
    )
    if complete:
        _check_whole(rows, select, key, origin)
    return rows


def _check_whole(rows: Rows, select: Select, key: int, origin: Origin) -> None:
    """No row of a memory is missing or there twice, and each belongs to one that is there.

    Raises:
        DamagedFileError: it is not so.
    """
    counts = counts_of(select, key)
    found = (rows.signals, rows.weights, rows.stacks, rows.words, rows.quarantine, rows.cues)
    counts.check([len(part) for part in found], origin)
    keys = Keys(
        messages=message_keys(select, key, counts, origin),
        signals=wholes([row.key for row in rows.signals]),
        said_in=wholes([row.sequence for row in rows.signals]),
        weights=wholes([row.key for row in rows.weights]),
        words=wholes([row.sequence for row in rows.words]),
        cues=wholes([row.key for row in rows.cues]),
    )
    check_belonging(keys, origin)
    check_once("signals", [row.key for row in rows.signals], origin)
    check_once("weights", [row.key for row in rows.weights], origin)
    check_once("stacks", [row.key for row in rows.stacks], origin)
    check_once("words rows", [row.sequence for row in rows.words], origin)
    check_once("cues", [(row.key, row.question) for row in rows.cues], origin)
    check_indexes(select, key, counts.messages, counts.sequences, origin)
