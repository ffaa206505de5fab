"""The file of a whole memory: JSON Lines, a header, a row a line, and at the end how many there were and their hash.

{"streetai": 1, "memory_id": "ada", "vectors": true, "head": {"next_turn": 2, ...}}
{"messages": {"message_id": "...", "content": "I am vegetarian.", ...}}
{"signals": {...}}
{"end": {"rows": 7, "digest": "..."}}
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from streetai_core.errors import ImportFormatError
from streetai_core.stores.types import Head
from streetai_core.transfer.codec import RowCodec, codec_of
from streetai_core.transfer.digest import digest_of, head_values, row_values
from streetai_core.transfer.files import read_lines, start_of
from streetai_core.transfer.snapshot import COUNTERS, KINDS, MADE_OF_VECTORS, Snapshot
from streetai_core.transfer.values import Watch

VERSION = 1
"""Of the format; a reader refuses what is newer."""

MARK = "streetai"
"""The first key of the first line."""

_START = f'{{"{MARK}":'.encode()
"""How the first line begins, whatever the version."""

_LONGEST_LINE = 1 << 30
"""Characters of a line; a message may be as long as memory allows, a file without line ends may not fill it."""

_STEP = 500
"""Rows between two calls of `progress`."""

_BREAKS = {ord(one): f"\\u{ord(one):04x}" for one in "\x85\u2028\u2029"}
"""What JSON allows inside of a text, and some programs take for the end of a line."""

_NO_VECTOR = np.zeros(0, dtype=np.float32)


def may_be_archive(path: Path) -> bool:
    """Whether a file begins as one of a memory does, or is empty.

    Raises:
        InputError: it cannot be read.
    """
    start = start_of(path, len(_START))
    return start in (b"", _START)


def write_archive(out: IO[str], snapshot: Snapshot, *, vectors: bool, progress: Watch | None = None) -> str:
    """Write a memory to an open text file, and return its digest."""
    kept = [(kind, row) for kind, row in snapshot.counted() if vectors or kind not in MADE_OF_VECTORS]
    header = {
        MARK: VERSION,
        "memory_id": snapshot.head.memory_id,
        "vectors": vectors,
        "head": head_values(snapshot, vectors=vectors),
    }
    out.write(_line(header))
    for number, (kind, row) in enumerate(kept, start=1):
        out.write(_line({kind: row_values(kind, row, vectors=vectors)}))
        if progress is not None and (number % _STEP == 0 or number == len(kept)):
            progress(number, len(kept))
    digest = digest_of(snapshot, vectors=vectors)
    out.write(_line({"end": {"rows": len(kept), "digest": digest}}))
    return digest


def read_archive(source: IO[str]) -> tuple[Snapshot, str]:
    """The memory of a file that `write_archive` wrote, and its digest; whole, or not at all.

    Raises:
        ImportFormatError: it is not one, was written by a newer version, was cut short or changed.
    """
    lines = read_lines(source, _LONGEST_LINE)
    header = next(lines, (1, None))[1]
    memory_id, vectors, head = _header(header)
    rows: dict[str, list[Any]] = {kind: [] for kind in KINDS}
    end = _read_rows(lines, rows, vectors=vectors)
    snapshot = Snapshot(head=Head(memory_id=memory_id, token="", **head), rows=dict(rows), vectors=vectors)
    digest = digest_of(snapshot, vectors=vectors)
    if end.get("rows") != sum(map(len, rows.values())) or end.get("digest") != digest:
        raise ImportFormatError(
            "the file was changed after it was written: its rows do not fit its digest. Export the memory again."
        )
    return snapshot, digest


def _read_rows(lines: Iterator[tuple[int, Any]], rows: dict[str, list[Any]], *, vectors: bool) -> dict[str, Any]:
    """Fill `rows`, and return what the last line says."""
    for number, line in lines:
        if not isinstance(line, dict) or len(line) != 1:
            raise ImportFormatError(f"line {number} must be a JSON object with one key")
        ((kind, values),) = line.items()
        if kind == "end" and isinstance(values, dict):
            if next(lines, None) is not None:
                raise ImportFormatError(f"nothing may follow line {number}, which ends the memory")
            return values
        if kind not in KINDS or (not vectors and kind in MADE_OF_VECTORS):
            raise ImportFormatError(f"line {number} has rows of an unknown kind; it was written by a newer version")
        codec: RowCodec[Any] = codec_of(KINDS[kind])
        defaults = {"vector": _NO_VECTOR} if kind == "signals" and not vectors else None
        rows[kind].append(codec.decode(values, f"line {number}", defaults))
    raise ImportFormatError("the file was cut short: its last line is missing. Export the memory again.")


def _header(line: Any) -> tuple[str, bool, dict[str, Any]]:
    """Id, whether there are vectors, and counters."""
    if not isinstance(line, dict) or MARK not in line:
        raise ImportFormatError("line 1 is not the header of an exported memory")
    if line[MARK] != VERSION:
        raise ImportFormatError(f"the file has version {line[MARK]!r} of the format; this library reads {VERSION}")
    memory_id, vectors, counters = line.get("memory_id"), line.get("vectors"), line.get("head")
    if not isinstance(memory_id, str) or not isinstance(vectors, bool) or not isinstance(counters, dict):
        raise ImportFormatError("the header must have memory_id, vectors and head")
    if set(counters) != set(COUNTERS):
        raise ImportFormatError(f"head of the header must have exactly {', '.join(COUNTERS)}")
    decoded = codec_of(Head).decode({**counters, "memory_id": memory_id, "token": ""}, "the header")
    return memory_id, vectors, {name: getattr(decoded, name) for name in COUNTERS}


def _line(values: dict[str, Any]) -> str:
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return text.translate(_BREAKS) + "\n"
