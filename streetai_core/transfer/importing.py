"""A file into memories: whole ones put where none is, messages of other programs added to one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from streetai_core.errors import ImportFormatError, InputError
from streetai_core.memory import Memory
from streetai_core.registry import MemoryRegistry
from streetai_core.stores.types import MessageQuery
from streetai_core.text.clean import check_id, clean
from streetai_core.transfer.archive import read_archive
from streetai_core.transfer.databases import foreign_database
from streetai_core.transfer.detection import LOOKS, detect
from streetai_core.transfer.files import opened_text, read_document
from streetai_core.transfer.first_lines import is_list
from streetai_core.transfer.readers.chatgpt import read_chatgpt
from streetai_core.transfer.readers.claude import read_claude
from streetai_core.transfer.readers.langchain import read_langchain
from streetai_core.transfer.readers.langchain_sql import histories_in, read_langchain_sql
from streetai_core.transfer.readers.llamaindex import read_llamaindex
from streetai_core.transfer.readers.mem0 import read_mem0
from streetai_core.transfer.readers.plain import read_plain, read_plain_lines
from streetai_core.transfer.readers.published import is_published, read_published
from streetai_core.transfer.readers.telegram import read_telegram
from streetai_core.transfer.records import Source, dated, fitting_id, in_order, writer_of
from streetai_core.transfer.renamed import as_before
from streetai_core.transfer.restoring import restore, restore_published
from streetai_core.transfer.values import FORMATS, Blank, Entry, FormatName, Imported, Record, Rejected, Watch

_BATCH = 200
"""Messages in one transaction: a second or two of embedding, which is what an interruption costs."""

_DOCUMENTS = {
    "chatgpt": read_chatgpt,
    "claude": read_claude,
    "telegram": read_telegram,
    "langchain": read_langchain,
    "llamaindex": read_llamaindex,
    "mem0": read_mem0,
    "jsonl": read_plain,
}
"""Readers of the formats that are one JSON value."""


@dataclass(slots=True)
class _Tally:
    """What has been done so far."""

    added: int = 0
    known: int = 0
    rejected: list[Rejected] = field(default_factory=list)
    blank: int = 0


def import_file(
    registry: MemoryRegistry,
    path: str | os.PathLike[str],
    *,
    memory_id: str | None = None,
    source_format: FormatName | None = None,
    conversation_id: str | None = None,
    reembed: bool = False,
    progress: Watch | None = None,
) -> Imported:
    """Import a file: a whole memory that was exported, or what another program has kept.

    Importing a file again adds what is new in it and nothing else, so an import that was interrupted goes on where it
    stopped. A record that cannot be used is named in the result, and all others are imported.

    Args:
        registry: where to.
        path: the file.
        memory_id: into which memory; needed for all but whole memories, which know their ids.
        source_format: one of `FORMATS`; `None`: seen from the content.
        conversation_id: of messages that name none; `None`: the one into which they were imported before, also from
            a file of another name, else the file's name, without its ending.
        reembed: embed a whole memory anew although its vectors are in the file, as for another encoder.
        progress: called with (messages done so far, messages in all); for a whole memory, with texts embedded.

    Raises:
        InputError: an argument cannot be used, the file cannot be read, or a whole memory would land on another.
        ImportFormatError: the file is of no format that is known, or not what it should be.
        EncoderError: the model failed; what was imported before stays.
        StoreError: the database failed; what was imported before stays.
    """
    if source_format is not None and source_format not in FORMATS:
        raise InputError(f"source_format must be one of {', '.join(FORMATS)}, got {source_format!r}")
    for what, value in (("memory_id", memory_id), ("conversation_id", conversation_id)):
        if value is not None:
            check_id(value, what)
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"path must be a path, got {type(path).__name__}")
    file = Path(path)
    if not os.path.isfile(file):  # noqa: PTH113 - `pathlib` raises for a name that is too long
        # Neither a folder nor a pipe, which could be read only once.
        raise InputError(f"cannot read {file}: it is not a file that is there")
    found, document = detect(file) if source_format is None else (source_format, None)
    if found == "streetai":
        return _import_archive(registry, file, memory_id, reembed=reembed, progress=progress)
    if found == "streetai-memory":
        return _import_published(registry, file, memory_id, progress)
    if memory_id is None:
        raise InputError(f"memory_id (--memory) is needed: a file of the format {found} does not say whose it is")
    tally = _Tally()
    read = partial(_read, file, found, document)
    records = (
        as_before(registry.get(memory_id), writer_of(found), fitting_id(file.stem or "import"), read)
        if conversation_id is None
        else read(conversation_id)
    )
    signed = [_signed(entry, found) if isinstance(entry, Record) else entry for entry in in_order(dated(records))]
    _add_all(registry, registry.get(memory_id), signed, tally, progress)
    return Imported(
        source_format=found,
        memory_ids=(memory_id,),
        added=tally.added,
        known=tally.known,
        rejected=tuple(sorted(tally.rejected, key=lambda one: one.number)),
        blank=tally.blank,
    )


def _import_archive(
    registry: MemoryRegistry, file: Path, memory_id: str | None, *, reembed: bool, progress: Watch | None
) -> Imported:
    with opened_text(file) as source:
        snapshot, digest = read_archive(source)
    target = check_id(snapshot.head.memory_id, "memory_id") if memory_id is None else memory_id
    added = restore(registry, target, snapshot, reembed=reembed, progress=progress)
    count = len(snapshot.messages)
    as_written = snapshot.vectors and snapshot.has_past and not snapshot.without_words
    return Imported(
        source_format="streetai",
        memory_ids=(target,),
        added=count if added else 0,
        known=0 if added else count,
        digest=digest if as_written and not reembed else None,
    )


def _import_published(registry: MemoryRegistry, file: Path, memory_id: str | None, progress: Watch | None) -> Imported:
    with foreign_database(file) as database:
        if not is_published(database.tables()):
            raise ImportFormatError(f"{file.name} does not have the tables of the package streetai-memory")
        found, nobodys = read_published(database, registry.token_counter)
    targets = _targets([snapshot.head.memory_id for snapshot, _ in found], memory_id)
    tally = _Tally(rejected=nobodys)
    done: list[str] = []
    for snapshot, rejected in found:
        target = targets.get(snapshot.head.memory_id)
        if target is None:
            continue
        added = restore_published(registry, target, snapshot, progress)
        done.append(target)
        tally.added += len(snapshot.messages) if added else 0
        tally.known += 0 if added else len(snapshot.messages)
        tally.rejected += rejected
    return Imported(
        source_format="streetai-memory",
        memory_ids=tuple(done),
        added=tally.added,
        known=tally.known,
        rejected=tuple(tally.rejected),
    )


def _targets(ids: Sequence[str], memory_id: str | None) -> dict[str, str]:
    """For each memory of a file under which id it is imported.

    Raises:
        InputError: the caller's id is none of several.
    """
    if memory_id is None:
        return {one: one for one in ids}
    if len(ids) == 1:
        return {ids[0]: memory_id}
    if memory_id in ids:
        return {memory_id: memory_id}
    raise InputError(f"the file has {len(ids)} memories, and none is {memory_id!r}: {', '.join(sorted(ids)[:20])}")


def _read(file: Path, name: FormatName, document: Any, unnamed: str) -> list[Entry]:
    """The records of a file, with a conversation for those that name none."""
    return list(_entries(file, name, document, Source(unnamed)))


def _entries(file: Path, name: FormatName, document: Any, source: Source) -> Iterator[Entry]:
    """The records of a file of another program."""
    if name == "langchain-sql":
        with foreign_database(file) as database:
            if not histories_in(database.tables()):
                raise ImportFormatError(f"{file.name} has no table with session_id and message")
            yield from read_langchain_sql(database, source)
        return
    if document is None and name == "jsonl" and not is_list(file):
        with opened_text(file) as lines:
            yield from read_plain_lines(lines, source)
        return
    document = read_document(file) if document is None else document
    if not LOOKS[name](document):
        raise ImportFormatError(f"{file.name} does not look like a file of the format {name}")
    yield from _DOCUMENTS[name](document, source)


def _add_all(
    registry: MemoryRegistry, memory: Memory, entries: Sequence[Entry], tally: _Tally, progress: Watch | None
) -> None:
    """Store the records in batches, each of which is there for good when the next begins."""
    tally.rejected += [entry for entry in entries if isinstance(entry, Rejected)]
    tally.blank += sum(isinstance(entry, Blank) for entry in entries)
    records = [entry for entry in entries if isinstance(entry, Record)]
    for start in range(0, len(records), _BATCH):
        batch = records[start : start + _BATCH]
        _add(memory, _unknown(registry, memory.memory_id, batch, tally), tally)
        if progress is not None:
            progress(start + len(batch), len(records))


def _signed(record: Record, name: FormatName) -> Record:
    """The record with its origin as the writer, by which an import can be audited and put in quarantine as a whole."""
    return replace(record, message=replace(record.message, writer=writer_of(name)))


def _unknown(registry: MemoryRegistry, memory_id: str, batch: Iterable[Record], tally: _Tally) -> list[Record]:
    """The records that are not stored yet; so nothing is embedded twice."""
    fresh: dict[str, Record] = {}
    with registry.store.reading(memory_id) as transaction:
        for record in batch:
            name = record.message.message_id or ""
            found = [] if transaction.head is None else transaction.messages(MessageQuery(message_id=name))
            text = clean(record.message.content)[0]
            stored = found[0].content if found else clean(fresh[name].message.content)[0] if name in fresh else None
            if stored is None:
                fresh[name] = record
            elif stored == text:
                tally.known += 1
            else:
                tally.rejected.append(Rejected(record.number, f"its id {name!r} is stored with another text"))
    return list(fresh.values())


def _add(memory: Memory, records: Sequence[Record], tally: _Tally) -> None:
    """Store records; if one is refused, each alone, so that only that one is left out."""
    if not records:
        return
    try:
        memory.add_messages([record.message for record in records])
    except InputError as error:
        if len(records) == 1:
            tally.rejected.append(Rejected(records[0].number, str(error)))
            return
        for record in records:
            _add(memory, [record], tally)
    else:
        tally.added += len(records)
