"""A whole memory put where none is: one transaction, all rows or none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np

from streetai_core.config import Config
from streetai_core.encoders.base import Encoder
from streetai_core.errors import InputError
from streetai_core.placement import decayed_total
from streetai_core.planning.linking import Linking
from streetai_core.planning.preparing import encode_all
from streetai_core.planning.replacing import Replacing
from streetai_core.planning.told import told_by
from streetai_core.planning.words import renewed, words_row
from streetai_core.registry import MemoryRegistry
from streetai_core.state import MemoryState
from streetai_core.stores.base import ReadTransaction
from streetai_core.stores.types import Changes, CueRow, Head, MessageQuery, Rows, SignalRow, StackRow, WordsRow
from streetai_core.transfer.checking import check_whole
from streetai_core.transfer.history import steps
from streetai_core.transfer.snapshot import COUNTERS, Snapshot
from streetai_core.transfer.values import Watch
from streetai_core.types import Matrix, Message
from streetai_core.vectors import kept

Kept = TypeVar("Kept", SignalRow, CueRow)


def restore(
    registry: MemoryRegistry, memory_id: str, snapshot: Snapshot, *, reembed: bool, progress: Watch | None = None
) -> bool:
    """Write a snapshot under an id that holds nothing yet.

    Args:
        registry: where to.
        memory_id: under which id.
        snapshot: the rows.
        reembed: whether to make the vectors anew even if the snapshot has them. With them goes what messages can be
            found by besides their meaning: an older version may have told it otherwise.
        progress: called with (texts embedded so far, texts in all).

    Returns:
        False if all of its messages are there already, so that nothing was written.

    Raises:
        ImportFormatError: the rows contradict each other.
        InputError: something else is stored under this id.
        EncoderError: the model failed.
    """
    check_whole(snapshot)
    if _is_restored(registry, memory_id, snapshot):
        return False
    snapshot = _with_all_words(snapshot)
    if reembed or not snapshot.vectors:
        snapshot = _reworded(embedded(snapshot, registry.encoder, registry.config, progress))
    return _put(registry, memory_id, snapshot)


def restore_published(
    registry: MemoryRegistry, memory_id: str, snapshot: Snapshot, progress: Watch | None = None
) -> bool:
    """Like `restore`, for rows of the published product, which have neither vectors nor words.

    Both are made anew, and with them the links that say which message replaces which.
    """
    check_whole(snapshot)
    if _is_restored(registry, memory_id, snapshot):
        return False
    snapshot = embedded(snapshot, registry.encoder, registry.config, progress)
    return _put(registry, memory_id, replace(snapshot, rows={**snapshot.rows, "words": _words(snapshot)}))


def _is_restored(registry: MemoryRegistry, memory_id: str, snapshot: Snapshot) -> bool:
    """Asked before the work of embedding, without the lock."""
    with registry.store.reading(memory_id) as transaction:
        return _is_there(transaction, memory_id, snapshot)


def _put(registry: MemoryRegistry, memory_id: str, snapshot: Snapshot) -> bool:
    """Write the rows in one transaction, unless they are there by now."""
    with registry.store.writing(memory_id) as writing:
        if _is_there(writing, memory_id, snapshot):
            return False
        counters = {name: getattr(snapshot.head, name) for name in COUNTERS}
        head = Head(memory_id=memory_id, token=uuid4().hex[:12], **counters)
        for changes, then in steps(head, snapshot.rows):
            writing.apply(changes, now=then)
        rows: dict[str, Any] = snapshot.as_changes()
        rows["cues"] = _placed(snapshot)
        rows |= {kind: _kept(rows[kind], registry.config) for kind in ("signals", "cues")}
        writing.apply(Changes(head=head, **rows), now=datetime.now(timezone.utc))
    return True


def _placed(snapshot: Snapshot) -> list[CueRow]:
    """The cues, none of a version after the last that the file tells of: it would be newer than all that come."""
    versions = [row.version for kind in ("journal", "credits") for row in snapshot.rows.get(kind, ())]
    last = max(versions, default=0)
    return [replace(cue, version=min(cue.version, last)) for cue in snapshot.rows.get("cues", ())]


def embedded(snapshot: Snapshot, encoder: Encoder, config: Config, progress: Watch | None = None) -> Snapshot:
    """The snapshot with vectors of this encoder, its signals in the stacks that they were in."""
    signals: Sequence[SignalRow] = snapshot.rows["signals"]
    if not signals:
        return replace(snapshot, vectors=True, head=replace(snapshot.head, encoder=None, dim=None))
    messages = {message.sequence: message for message in snapshot.messages}
    texts = [messages[signal.sequence].content[signal.start : signal.end].strip() for signal in signals]
    vectors = encode_all(texts, encoder, config, progress)
    head = replace(snapshot.head, encoder=encoder.fingerprint, dim=encoder.dim)
    fresh = [replace(signal, vector=vector) for signal, vector in zip(signals, vectors, strict=True)]
    return replace(
        snapshot,
        vectors=True,
        head=head,
        rows={
            **snapshot.rows,
            "signals": fresh,
            "stacks": _stacks(head, fresh, snapshot.rows["weights"], config),
            "cues": (),
        },
    )


def _kept(rows: Sequence[Kept], config: Config) -> Sequence[Kept]:
    """Signals or cues with their vectors as they are written here; a file has singles, whatever it was made from.

    The sums of their stacks stay as they are: that numbers lose their last bits turns no centroid noticeably.
    """
    precision = config.vector_precision
    if precision == "single":
        return rows
    return [replace(row, vector=kept(row.vector, precision)) for row in rows]


def _stacks(head: Head, signals: Sequence[SignalRow], weights: Sequence[Any], config: Config) -> list[StackRow]:
    """The stacks that weights name, each with the sum of what is in it."""
    vectors: Mapping[int, Any] = {signal.key: signal.vector for signal in signals}
    members: dict[int, list[int]] = {}
    for weight in weights:
        members.setdefault(weight.stack, []).append(weight.key)
    sums = [
        StackRow(key=stack, total=_sum(vectors[key] for key in keys), size=len(keys))
        for stack, keys in sorted(members.items())
    ]
    if config.centroid != "decayed":
        return sums
    state = MemoryState.of(Rows(head=head, complete=True, signals=signals, weights=weights, stacks=sums))
    return [replace(row, total=decayed_total(state, row.key, config, head.next_turn)) for row in sums]


def _reworded(snapshot: Snapshot) -> Snapshot:
    """The snapshot with what its messages can be found by told anew; what replaces what stays."""
    messages = {message.sequence: message for message in snapshot.messages}
    fresh = [renewed(row, messages[row.sequence]) for row in snapshot.rows["words"]]
    return replace(snapshot, rows={**snapshot.rows, "words": fresh})


def _with_all_words(snapshot: Snapshot) -> Snapshot:
    """The snapshot with a words row of each message that has signals; what those made here replace is not known."""
    missing = snapshot.without_words
    if not missing:
        return snapshot
    rows = sorted((*snapshot.rows["words"], *map(words_row, missing)), key=lambda row: row.sequence)
    return replace(snapshot, rows={**snapshot.rows, "words": rows})


def _words(snapshot: Snapshot) -> list[WordsRow]:
    """What the messages can be found by, and whose statement each replaces, as when they were written one by one."""
    vectors: dict[int, list[Any]] = {}
    for signal in snapshot.rows["signals"]:
        vectors.setdefault(signal.sequence, []).append(signal.vector)
    linking = Linking(Replacing(MemoryState(snapshot.head), lambda _: {}), lambda _: [])
    for message in snapshot.messages:
        if message.sequence in vectors:
            linking.add(told_by(message), message, np.vstack(vectors[message.sequence]))
    return linking.rows


def _sum(vectors: Iterable[Any]) -> Any:
    """The sum of vectors, shape (dim,)."""
    rows: Matrix = np.vstack(list(vectors))
    return rows.sum(axis=0, dtype=np.float32)


def _is_there(transaction: ReadTransaction, memory_id: str, snapshot: Snapshot) -> bool:
    """Whether the snapshot was restored here before.

    Raises:
        InputError: something else is there.
    """
    if transaction.head is None:
        return False
    if transaction.head.message_count >= len(snapshot.messages) and all(
        _same(transaction, message) for message in snapshot.messages
    ):
        return True
    raise InputError(
        f"memory {memory_id!r} is or was in use, and a whole memory can only be restored where none is. Import it "
        "under another id, or forget everything of this one first."
    )


def _same(transaction: ReadTransaction, message: Message) -> bool:
    """Whether a message is stored with the same text."""
    found = transaction.messages(MessageQuery(message_id=message.message_id))
    return bool(found) and (found[0].content, found[0].role) == (message.content, message.role)
