"""Values as rows of the SQLite tables and back, every row under a checksum.

SQLite does not notice a flipped bit inside a value, so each row carries a CRC-32 of all its columns; a row that does
not fit it is reported, never used. The functions that read take rows whose columns are in the order of the constants
in `selects`.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np

from streetai_core.errors import DamagedFileError
from streetai_core.quick_values import quickly
from streetai_core.stores.checksums import row_checksum, vectors
from streetai_core.stores.metadata import metadata_from, metadata_text
from streetai_core.stores.provenance import Quarantine
from streetai_core.stores.seals import new_salt, seal
from streetai_core.stores.types import CreditRow, CueRow, Head, SignalRow, StackRow, WeightRow
from streetai_core.types import KeptVector, Message

Row = tuple[Any, ...]
"""Values of the columns of one row."""

key_of_row = itemgetter(1)
"""All tables have the memory's key first and the row's own second."""

HEAD_FIELDS = (
    "memory_id",
    "token",
    "generation",
    "version",
    "deletion_version",
    "next_turn",
    "next_sequence",
    "next_signal",
    "next_stack",
    "message_count",
    "history_tokens",
    "encoder",
    "dim",
)
"""Fields of `Head` in the order of the columns of `memories`."""

_head_cells = attrgetter(*HEAD_FIELDS)
_made_message = quickly(Message)

SINGLE, HALF = np.dtype("<f4"), np.dtype("<f2")
"""How vectors are kept, whatever the machine: little-endian float32 or float16. Length and dimension tell which."""


def checksum(cells: Row, data: bytes = b"") -> int:
    """CRC-32 of the columns of a row, and of one large column as bytes."""
    # `ascii` spells numbers and texts the same on every version of Python; `repr` does not.
    return zlib.crc32(data, zlib.crc32(ascii(cells).encode()))


@dataclass(frozen=True, slots=True)
class Origin:
    """Where rows come from, for the error about a damaged one."""

    path: str
    memory_id: str

    def damaged(self, what: str, key: object) -> DamagedFileError:
        """The error for one row."""
        return DamagedFileError(
            f"{what} {key} of memory {self.memory_id!r} in {self.path} is damaged: its checksum does not fit. "
            "Restore the file from a backup, or save what is whole with: streetai salvage."
        )

    def incomplete(self, what: str, found: int, expected: int) -> DamagedFileError:
        """The error for rows that cannot be found any more."""
        return DamagedFileError(
            f"memory {self.memory_id!r} in {self.path} is damaged: it has {expected} {what}, and {found} can be read. "
            "Restore the file from a backup."
        )

    def orphaned(self, what: str, other: str, number: int) -> DamagedFileError:
        """The error for rows that belong to one which is not there."""
        return DamagedFileError(
            f"memory {self.memory_id!r} in {self.path} is damaged: it has {what} of {other} number {number}, which is "
            "not there. Restore the file from a backup."
        )


def time_text(moment: datetime) -> str:
    """A time as ISO 8601 text with microseconds and its distance from UTC."""
    return moment.isoformat(timespec="microseconds")


def head_row(head: Head, created_at: str) -> Row:
    """Columns of `memories`, but for the key."""
    cells = (*_head_cells(head), created_at)
    return (*cells, checksum(cells))


def head_from(row: Row, origin: Origin) -> tuple[Head, str]:
    """The head, and when the memory was made."""
    if checksum(row[:-1]) != row[-1]:
        raise origin.damaged("the row", "of counters")
    return Head(**dict(zip(HEAD_FIELDS, row, strict=False))), row[-2]


def message_row(message: Message, memory_key: int) -> Row:
    """Columns of `messages`."""
    cells = (
        memory_key,
        message.sequence,
        message.message_id,
        message.turn,
        message.conversation_id,
        message.role,
        message.name,
        time_text(message.created_at),
        metadata_text(message.metadata),
        int(message.sanitised),
        message.source,
        real(message.trust),
        message.writer,
    )
    salt = new_salt()
    sealed = (*cells, salt, seal(salt, cells, message.content))
    return (*sealed, checksum(sealed, message.content.encode()), message.content)


def message_from(row: Row, origin: Origin) -> Message:
    """The message of a row."""
    content = row[-1]
    if not isinstance(content, str) or checksum(row[:-2], content.encode()) != row[-2]:
        raise origin.damaged("message", row[1])
    return _made_message(
        sequence=row[1],
        message_id=row[2],
        turn=row[3],
        conversation_id=row[4],
        role=row[5],
        name=row[6],
        created_at=datetime.fromisoformat(row[7]),
        metadata=metadata_from(row[8]),
        sanitised=bool(row[9]),
        source=row[10],
        trust=row[11],
        writer=row[12],
        content=content,
    )


def signal_row(signal: SignalRow, memory_key: int, version: int) -> Row:
    """Columns of `signals`."""
    return (
        memory_key,
        int(signal.key),
        int(signal.sequence),
        int(signal.chunk_index),
        signal.kind,
        int(signal.start),
        int(signal.end),
        int(signal.block_start),
        int(signal.block_end),
        version,
    )


def vector_row(signal: Row, vector: KeptVector) -> Row:
    """Columns of `vectors`; the checksum is that of the signal as a whole."""
    data = vector_bytes(vector)
    return (signal[0], signal[1], len(vector), data, row_checksum((*signal, _number_of(data, len(vector)))))


def signal_from(row: Row, origin: Origin) -> SignalRow:
    """The signal of the columns of `signals`, the dimension, the vector and its checksum."""
    dim, data, crc = row[10:]
    if not _is_vector(data, dim) or row_checksum((*row[:10], _number_of(data, dim))) != crc:
        raise origin.damaged("signal", row[1])
    return SignalRow(
        key=row[1],
        sequence=row[2],
        chunk_index=row[3],
        kind=row[4],
        start=row[5],
        end=row[6],
        block_start=row[7],
        block_end=row[8],
        vector=_vector(data, dim),
    )


def weight_row(weight: WeightRow, memory_key: int, version: int) -> Row:
    """Columns of `weights`."""
    cells = (
        memory_key,
        int(weight.key),
        real(weight.base_weight),
        int(weight.last_used_turn),
        int(weight.uses),
        int(weight.stack),
        version,
    )
    return (*cells, row_checksum(cells))


def weight_from(row: Row, origin: Origin) -> WeightRow:
    """The weight of a signal."""
    if row_checksum(row[:7]) != row[7]:
        raise origin.damaged("weight of signal", row[1])
    return WeightRow(key=row[1], base_weight=row[2], last_used_turn=row[3], uses=row[4], stack=row[5])


def stack_row(stack: StackRow, memory_key: int, version: int) -> Row:
    """Columns of `stacks`."""
    cells = (memory_key, int(stack.key), int(stack.size), len(stack.total), version)
    data = vector_bytes(stack.total)
    return (*cells, data, row_checksum((*cells, data)))


def stack_from(row: Row, origin: Origin) -> StackRow:
    """The stack of a row."""
    data, crc = row[5], row[6]
    if not isinstance(data, bytes) or row_checksum(row[:6]) != crc:
        raise origin.damaged("stack", row[1])
    return StackRow(key=row[1], size=row[2], total=np.frombuffer(data, dtype=SINGLE).astype(np.float32, copy=False))


def cue_row(cue: CueRow, memory_key: int, version: int) -> Row:
    """Columns of `cues`; `version` is that of the transaction."""
    cells = (memory_key, int(cue.key), int(cue.question), int(cue.version) or version, len(cue.vector))
    data = vector_bytes(cue.vector)
    return (*cells, data, row_checksum((*cells, data)))


def cue_from(row: Row, origin: Origin) -> CueRow:
    """The cue of a row."""
    dim, data, crc = row[4:]
    if not _is_vector(data, dim) or row_checksum(row[:6]) != crc:
        raise origin.damaged("cue of signal", row[1])
    return CueRow(key=row[1], question=row[2], version=row[3], vector=_vector(data, dim))


def credit_row(credit: CreditRow, memory_key: int, version: int, position: int) -> Row:
    """Columns of `credits`; `position` counts the steps of one transaction."""
    cells = (
        memory_key,
        version,
        position,
        int(credit.key),
        int(credit.turn),
        credit.action,
        real(credit.contribution),
        real(credit.old_weight),
        real(credit.new_weight),
        time_text(credit.created_at),
        int(credit.old_last_used_turn),
        int(credit.old_uses),
        int(credit.conversation),
    )
    return (*cells, checksum(cells))


def credit_from(row: Row, origin: Origin) -> CreditRow:
    """The log entry of a row."""
    if checksum(row[:13]) != row[13]:
        raise origin.damaged("learning step of signal", row[3])
    return CreditRow(
        key=row[3],
        turn=row[4],
        action=row[5],
        contribution=row[6],
        old_weight=row[7],
        new_weight=row[8],
        created_at=datetime.fromisoformat(row[9]),
        old_last_used_turn=row[10],
        old_uses=row[11],
        conversation=row[12],
        version=row[1],
    )


def quarantine_row(rule: Quarantine, memory_key: int) -> Row:
    """Columns of `quarantines`."""
    value = rule.value if rule.salted_hash is None else {"salted_hash": rule.salted_hash}
    cells = (memory_key, rule.field, json.dumps(value))
    return (*cells, checksum(cells))


def quarantine_from(row: Row, origin: Origin) -> Quarantine:
    """The rule of a row."""
    if checksum(row[:3]) != row[3]:
        raise origin.damaged("rule of quarantine", row[1])
    value = json.loads(row[2])
    if isinstance(value, dict):
        return Quarantine(field=row[1], value=None, salted_hash=value["salted_hash"])
    return Quarantine(field=row[1], value=value)


def real(value: float) -> float:
    """The number as SQLite gives it back: always a float, and without the sign of zero."""
    return float(value) + 0.0


def vector_bytes(vector: KeptVector) -> bytes:
    """A vector as it is kept."""
    return vector.astype(HALF if vector.dtype == np.float16 else SINGLE, copy=False).tobytes()


def _is_vector(data: object, dim: object) -> bool:
    """Whether these are the bytes of a vector of this dimension, right or wrong."""
    if not isinstance(data, bytes) or not isinstance(dim, int) or dim < 1:
        return False
    return len(data) in (SINGLE.itemsize * dim, HALF.itemsize * dim)


def _kind(data: bytes, dim: int) -> np.dtype[np.float32] | np.dtype[np.float16]:
    """What the numbers of a vector are kept in."""
    return HALF if len(data) == HALF.itemsize * dim else SINGLE


def _number_of(data: bytes, dim: int) -> int:
    """What stands for a vector in the checksum."""
    return int(vectors(np.frombuffer(data, dtype=_kind(data, dim)).reshape(1, -1))[0])


def _vector(data: bytes, dim: int) -> KeptVector:
    """A vector of shape (dim,), read-only; on little-endian machines without a copy."""
    numbers = np.frombuffer(data, dtype=_kind(data, dim))
    found: KeptVector = numbers.astype(numbers.dtype.newbyteorder("="), copy=False)
    return found
