"""Whether the rows of a file are a memory at all: nothing is written that recall would stumble over later."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from streetai_core.errors import ImportFormatError
from streetai_core.stores.journal import numbers_in
from streetai_core.stores.provenance import JournalRow
from streetai_core.stores.types import SignalRow, WordsRow
from streetai_core.text.clean import check_id
from streetai_core.transfer.snapshot import COUNTERS, Snapshot
from streetai_core.types import Message

_LARGEST = 2**62
"""Of counters: a memory has to be able to go on counting in 64 bits."""

_MOST_KEYS = 2**27
"""Messages, signals or stacks that a memory ever had: one a second for four years. There is work and RAM for every
number between two that are used, so that a file with a gap could stop the program."""


def check_whole(snapshot: Snapshot) -> None:
    """Refuse rows that contradict each other.

    Raises:
        ImportFormatError: naming the first contradiction.
    """
    messages = _by_key("message", snapshot.messages, lambda row: row.sequence)
    signals = _by_key("signal", snapshot.rows["signals"], lambda row: row.key)
    weights = _by_key("weight of signal", snapshot.rows["weights"], lambda row: row.key)
    stacks = _by_key("stack", snapshot.rows["stacks"], lambda row: row.key)
    words = _by_key("words of message", snapshot.rows["words"], lambda row: row.sequence)
    cues = _by_key("cue", snapshot.rows.get("cues", ()), lambda row: (row.key, row.question))
    _require({signal for signal, _ in cues} <= signals.keys(), "the cue of a signal that is not there")
    _require(all(0 <= cue.version < _LARGEST for cue in cues.values()), "the version of a cue is none")
    for message in messages.values():
        check_id(message.message_id, "message_id")
    for row in (*messages.values(), *words.values()):
        _check_ids(row)
    _by_key("message_id", snapshot.messages, lambda row: row.message_id)
    for signal in signals.values():
        _check_signal(signal, messages)
    _require(signals.keys() == weights.keys(), "each signal must have a weight, and no other may be there")
    _require(words.keys() <= messages.keys(), "the words of a message that is not there")
    for row in words.values():
        fitting = row.terms.ndim == 1 and row.terms.shape == row.counts.shape
        _require(fitting, f"terms and counts of the words of message {row.sequence} are not of one length")
    for weight in weights.values():
        _require(0 < weight.base_weight < math.inf and weight.uses >= 0, f"the weight of signal {weight.key} is none")
    sizes = Counter(weight.stack for weight in weights.values())
    if snapshot.vectors:
        _require(dict(sizes) == {key: stack.size for key, stack in stacks.items()}, "stacks have other sizes")
    _check_counters(snapshot, messages, signals, sizes)
    _check_past(snapshot, messages)


def _check_ids(row: Message | WordsRow) -> None:
    """What it may be asked for or hidden by is either not there or an id."""
    for what, value in (("conversation_id", row.conversation_id), ("writer", row.writer)):
        if value is not None:
            check_id(value, what)


def _check_signal(signal: SignalRow, messages: Mapping[int, Message]) -> None:
    message = messages.get(signal.sequence)
    if message is None:
        raise ImportFormatError(f"signal {signal.key} belongs to message {signal.sequence}, which is not in the file")
    inside = 0 <= signal.block_start <= signal.start <= signal.end <= signal.block_end <= len(message.content)
    _require(inside and signal.chunk_index >= 0, f"signal {signal.key} is no piece of its message")


def _check_counters(
    snapshot: Snapshot, messages: Mapping[int, Message], signals: Mapping[int, Any], sizes: Iterable[int]
) -> None:
    """What the head counts is there, and what comes next has not come yet."""
    head = snapshot.head
    used = [message.turn for message in messages.values()]
    used += [weight.last_used_turn for weight in snapshot.rows["weights"]]
    _require(head.message_count == len(messages), "message_count is not the number of messages")
    _require(head.history_tokens >= 0, "history_tokens is below 0")
    highest = max(getattr(head, name) for name in COUNTERS if name not in {"encoder", "dim"})
    _require(highest < _LARGEST, "a counter leaves no room to go on")
    _require(min(used, default=0) >= 0 and max(used, default=0) <= head.next_turn, "a turn is later than next_turn")
    for name, keys in (("next_sequence", messages), ("next_signal", signals), ("next_stack", sizes)):
        _require(min(keys, default=0) >= 0, f"a key below 0 where {name} counts")
        _require(max(keys, default=-1) < getattr(head, name), f"{name} is not above the keys that are in use")
        _require(getattr(head, name) <= _MOST_KEYS, f"{name} is above {_MOST_KEYS:,}")
    if snapshot.vectors and signals:
        _require(bool(head.encoder) and bool(head.dim), "vectors without the encoder that made them")
        wide = all(len(row.vector) == head.dim for row in (*signals.values(), *snapshot.rows.get("cues", ())))
        _require(
            wide and all(len(row.total) == head.dim for row in snapshot.rows["stacks"]), "vectors of another length"
        )


def _check_past(snapshot: Snapshot, messages: Mapping[int, Message]) -> None:
    """The journal can be done again: it adds what is there, once, and changes what it has added."""
    journal: Sequence[JournalRow] = snapshot.rows.get("journal", ())
    versions = [entry.version for entry in journal]
    _require(versions == sorted(set(versions)) and min(versions, default=1) > 0, "versions of the journal fall")
    learned = [step.version for step in snapshot.rows["credits"]]
    _require(learned == sorted(learned) and min(learned, default=0) >= 0, "versions of the learning log fall")
    # They are numbered anew, without gaps, as the operations are done again.
    order = sorted({*versions, *learned} - {0})
    known: set[int] = set()
    for place, entry in enumerate(journal):
        # Counted before they are listed: two numbers name as many messages as they like.
        sizes = [sum(last - first + 1 for first, last in spans) for spans in (entry.added, entry.changed)]
        _require(max(sizes) <= len(messages), "the journal has messages that are not there")
        added = numbers_in(entry.added)
        _require(added <= messages.keys() and not added & known, "the journal adds what is not there, or adds it twice")
        _require(numbers_in(entry.changed) <= known and not entry.removed, "the journal changes what is not there")
        known |= added
        _require(entry.event != "reset" or not place, "a reset that is not the first entry of the journal")
        _require((entry.event == "rollback") == (entry.target is not None), "a rollback to nowhere")
        earlier = bisect_left(order, entry.version)
        _require(entry.target is None or 0 <= entry.target <= earlier, "a rollback to a later version")
        _require(max(added, default=-1) < entry.next_sequence, "next_sequence of the journal is not above its messages")
        for name in ("next_sequence", "next_signal"):
            _require(0 <= getattr(entry, name) <= getattr(snapshot.head, name), f"{name} of the journal is ahead")


def _by_key(what: str, rows: Iterable[Any], key: Callable[[Any], Any]) -> dict[Any, Any]:
    """Rows by key, each of which may be there once."""
    found: dict[Any, Any] = {}
    for row in rows:
        if key(row) in found:
            raise ImportFormatError(f"{what} {key(row)} is in the file twice")
        found[key(row)] = row
    return found


def _require(held: bool, otherwise: str) -> None:  # noqa: FBT001 - the first argument of an assertion
    if not held:
        raise ImportFormatError(f"the file is no whole memory: {otherwise}")
