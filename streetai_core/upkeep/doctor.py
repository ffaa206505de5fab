"""Examining a database file: what is in it, what is damaged, and what is going to go wrong."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from streetai_core.errors import NewerFileError, OtherLayoutError, StoreError
from streetai_core.stores import _sqlite
from streetai_core.stores.definitions import wrong_definitions
from streetai_core.stores.faults import Faults
from streetai_core.stores.opening import DatabaseFile
from streetai_core.stores.paths import followed
from streetai_core.stores.rows import Origin, Row, head_from
from streetai_core.stores.schema import is_erasing, schema_version
from streetai_core.stores.selects import HEADS
from streetai_core.stores.types import Head
from streetai_core.stores.uses import using
from streetai_core.upkeep.files import read_only
from streetai_core.upkeep.health import SEVERITIES, Finding, Health, MemoryHealth, Severity
from streetai_core.upkeep.owners import counts_of
from streetai_core.upkeep.packed import wrong_packs
from streetai_core.upkeep.past_indexes import read_straight
from streetai_core.upkeep.reading import KINDS, UNDECODABLE, Found, Kind, read, tolerant
from streetai_core.upkeep.surroundings import surroundings

_MOST_PROBLEMS = 20
"""What SQLite finds wrong that is listed; one damaged page may cause hundreds."""

_BUSY_TIMEOUT = 5.0
"""Seconds to wait for whoever has the file to himself."""

_SALVAGE = "Restore the file from a backup, or export what is whole with: streetai salvage FILE -o NEW.db"


def examine(path: str | os.PathLike[str], *, encoder: str | None = None) -> Health:
    """Look at everything in a database file. Changes nothing, and raises for no damage whatever.

    Args:
        path: the file; others may read and write it meanwhile.
        encoder: fingerprint of the encoder that the memories are going to be used with.

    Raises:
        InputError: `path` is no path.
    """
    file = DatabaseFile(followed(path), _BUSY_TIMEOUT, "full")
    nothing = _no_file(file)
    if nothing is not None:
        return nothing
    try:
        with using(file.path), closing(tolerant(read_only(file))) as connection:
            with Faults(file.path):
                connection.execute("BEGIN")
                version = schema_version(connection, file.path)
            return _examined(connection, file, version, encoder)
    except (NewerFileError, OtherLayoutError) as error:
        newer = ", or a newer one" if isinstance(error, NewerFileError) else ""
        return _unreadable(file, str(error), f"Examine it with the version that wrote it{newer}.", "problem")
    except StoreError as error:
        return _unreadable(file, str(error))
    except (*_sqlite.FAILURES, OSError) as error:
        return _unreadable(file, str(error))


def _no_file(file: DatabaseFile) -> Health | None:
    """What there is to say where there is no file to open."""
    try:
        exists = file.exists()
    except StoreError as error:
        # Nobody has seen the file: whether it is damaged is another question.
        return _unreadable(file, str(error), "Examine it as a user who may read the file and its folder.", "problem")
    if not exists and not file.log_size():
        advice = "Check the path; the file is made by the first write."
        return _unreadable(file, "there is no such file", advice, "problem")
    if Path(file.path).is_dir():
        return _unreadable(file, "it is a folder", "Give the path of the database file in it.", "problem")
    return None


def _unreadable(file: DatabaseFile, what: str, advice: str = _SALVAGE, severity: Severity = "damage") -> Health:
    return Health(
        path=file.path,
        readable=False,
        findings=(Finding(severity=severity, what=what, advice=advice),),
        size_bytes=_size(file.path),
        log_bytes=file.log_size(),
        sqlite_version=_sqlite.VERSION_TEXT,
    )


def _examined(connection: _sqlite.Connection, file: DatabaseFile, version: int, encoder: str | None) -> Health:
    findings = [*_integrity(connection), *surroundings(file, erasing=is_erasing(connection))]
    if not version:
        findings.append(
            Finding(
                severity="problem",
                what="nothing is stored in it, not even a table",
                advice="If something was, the file was emptied: restore it from a backup. If not, just begin to write.",
            )
        )
    wrong = wrong_definitions(connection) if version else ()
    findings += [_damage(f"the definition of {what} is damaged, or not there") for what in wrong]
    memories: list[MemoryHealth] = []
    for row in _heads(connection, findings) if version else ():
        origin = Origin(file.path, str(row[1]))
        try:
            head, _ = head_from(row[1:], origin)
        except UNDECODABLE:
            findings.append(_damage(f"the row of counters of memory {row[1]!r} is damaged", str(row[1])))
            continue
        memory, found = _memory(connection, row[0], head, origin)
        memories.append(memory)
        findings += found
    findings += _encoders(memories, encoder)
    findings.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    return Health(
        path=file.path,
        readable=True,
        findings=tuple(findings),
        memories=tuple(sorted(memories, key=lambda memory: memory.memory_id)),
        size_bytes=_size(file.path),
        log_bytes=file.log_size(),
        free_bytes=_pragma(connection, "PRAGMA freelist_count") * _pragma(connection, "PRAGMA page_size"),
        schema_version=version,
        sqlite_version=_sqlite.VERSION_TEXT,
    )


def _integrity(connection: _sqlite.Connection) -> Iterator[Finding]:
    """What SQLite itself finds wrong."""
    try:
        for (problem,) in connection.execute("PRAGMA integrity_check").fetchmany(_MOST_PROBLEMS):
            if problem != "ok":
                yield _damage(f"SQLite's own check: {problem}")
    except _sqlite.FAILURES as error:
        yield _damage(f"SQLite's own check cannot read the file: {error}")
    try:
        orphans = connection.execute("PRAGMA foreign_key_check").fetchmany(_MOST_PROBLEMS)
    except _sqlite.FAILURES:
        return
    for table in sorted({str(row[0]) for row in orphans}):
        yield _damage(f"rows of {table} belong to rows that are not there")


def _heads(connection: _sqlite.Connection, findings: list[Finding]) -> list[Row]:
    try:
        return connection.execute(HEADS).fetchall()
    except _sqlite.FAILURES as error:
        findings.append(_damage(f"the table of memories cannot be read: {error}"))
        return []


def _memory(
    connection: _sqlite.Connection, memory_key: int, head: Head, origin: Origin
) -> tuple[MemoryHealth, list[Finding]]:
    """One memory, every row of it against its checksum, and all rows against their count."""
    expected = counts_of(connection, memory_key)
    rows: dict[str, int] = {}
    damaged: dict[str, int] = {}
    keys: dict[str, set[int]] = {}
    for kind in KINDS:
        found = read(connection, kind, memory_key, origin, _last(kind, head))
        rows[kind.table] = len(found.values)
        keys |= _keys(kind.table, found.values)
        wrong = _wrong(found, expected.get(kind.table, 0))
        if wrong:
            damaged[kind.table] = wrong
    findings = [
        _damage(
            f"{table} of memory {head.memory_id!r}: {number} rows are not found by an index, which is damaged; "
            "the rows themselves are whole"
            if _is_whole_without_index(connection, table, memory_key, origin, expected)
            else f"{table} of memory {head.memory_id!r}: {number} rows are damaged or missing",
            head.memory_id,
        )
        for table, number in damaged.items()
    ]
    if not damaged:
        findings += _taken(keys, head.memory_id)
    findings += _packs(connection, memory_key, head.memory_id)
    return MemoryHealth(memory_id=head.memory_id, rows=rows, damaged=damaged, encoder=head.encoder), findings


def _is_whole_without_index(
    connection: _sqlite.Connection, table: str, memory_key: int, origin: Origin, expected: Mapping[str, int]
) -> bool:
    """Whether all rows of a table are there, and only an index does not lead to them."""
    found = read_straight(connection, table, memory_key, origin)
    return found is not None and not _wrong(found, expected.get(table, 0))


def _keys(table: str, values: Sequence[Any]) -> dict[str, set[int]]:
    """What `_taken` compares of the rows of a table."""
    match table:
        case "signals":
            return {"signals": {one.key for one in values}, "said in": {one.sequence for one in values}}
        case "weights":
            return {"weights": {one.key for one in values}, "piled in": {one.stack for one in values}}
        case "stacks":
            return {"stacks": {one.key for one in values}}
        case "words":
            return {"words": {one.sequence for one in values}}
    return {}


def _taken(keys: Mapping[str, set[int]], memory_id: str) -> Iterator[Finding]:
    """Rows that are not there though others want them, and are not missed in the count: another program deleted them.

    A signal has its first weight again then. Words rows may also be what a salvage could not read.
    """
    for table, owners in (("weights", "signals"), ("stacks", "piled in")):
        number = len(keys[owners] - keys[table])
        if number:
            yield _damage(
                f"{table} of memory {memory_id!r}: {number} rows were deleted, not by this library", memory_id
            )
    number = len(keys["said in"] - keys["words"])
    if number:
        yield Finding(
            severity="note",
            what=f"{number} messages of memory {memory_id!r} have no words row: they are found by meaning only",
            advice="Make them anew with: streetai renew. Another program has deleted them, or a salvage has lost them.",
            memory_id=memory_id,
        )


def _packs(connection: _sqlite.Connection, memory_key: int, memory_id: str) -> Iterator[Finding]:
    """What is wrong with copies of rows."""
    damaged, wrong = wrong_packs(connection, memory_key)
    if damaged:
        yield Finding(
            severity="note",
            what=f"{damaged} packs of memory {memory_id!r} are damaged: rows are read instead, which takes longer",
            advice="Nothing: they are copies, and are dropped when one of their rows is written.",
            memory_id=memory_id,
        )
    if wrong:
        yield _damage(f"{wrong} packs of memory {memory_id!r} are not copies of its rows", memory_id)


def _wrong(found: Found, count: int) -> int:
    """How many rows are not as they should be, at least one if pages are unreadable."""
    return max(found.damaged, abs(count - len(found.values)), int(found.unreadable))


def _last(kind: Kind, head: Head) -> int:
    """Above every key of a table of a memory."""
    bounds = {
        "messages": head.next_sequence,
        "words": head.next_sequence,
        "signals": head.next_signal,
        "weights": head.next_signal,
        "cues": head.next_signal,
        "stacks": head.next_stack,
    }
    return bounds.get(kind.table, head.version + 1)


def _encoders(memories: list[MemoryHealth], encoder: str | None) -> Iterator[Finding]:
    """Memories whose vectors another encoder made."""
    if encoder is None:
        if len({memory.encoder for memory in memories if memory.encoder}) > 1:
            yield Finding(
                severity="note",
                what="the memories have vectors of more than one encoder",
                advice="Open each with its own, or embed all anew with MemoryRegistry.reencode_all()",
            )
        return
    for memory in memories:
        if memory.encoder not in (None, encoder):
            yield Finding(
                severity="problem",
                what=f"the vectors of memory {memory.memory_id!r} were made by {memory.encoder!r}, not by {encoder!r}",
                advice="Open the registry with the first, or embed all anew with MemoryRegistry.reencode_all()",
                memory_id=memory.memory_id,
            )


def _damage(what: str, memory_id: str | None = None) -> Finding:
    return Finding(severity="damage", what=what, advice=_SALVAGE, memory_id=memory_id)


def _pragma(connection: _sqlite.Connection, pragma: str) -> int:
    try:
        row = connection.execute(pragma).fetchone()
    except _sqlite.FAILURES:
        return 0
    return int(row[0]) if row else 0


def _size(path: str) -> int:
    """Bytes of the file; opening it would drop SQLite's locks."""
    try:
        return os.stat(path).st_size  # noqa: PTH116 - a str is what SQLite takes
    except OSError:
        return 0
