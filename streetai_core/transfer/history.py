"""The past of a memory in a file: what its journal and its learning log tell of the messages that are still there.

Versions count the writes of the place where a memory is kept, so in a file they are numbered anew, from 1 on. What was
deleted has no past: it is in no entry, not even as a number. Restoring does the operations again, one after another, so
that the journal of the copy and its seals are the copy's own, and a rollback in it finds what it needs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from streetai_core.stores.journal import is_worth_noting, numbers_in, spans_of
from streetai_core.stores.provenance import JournalRow
from streetai_core.stores.types import Changes, CreditRow, CueRow, Head
from streetai_core.types import Message


def told(
    journal: Iterable[JournalRow], log: Iterable[CreditRow], cues: Iterable[CueRow], there: Iterable[int]
) -> tuple[list[JournalRow], list[CreditRow], list[CueRow]]:
    """The journal, the learning log and the cues as a file has them.

    Args:
        journal: what was done to messages, oldest first.
        log: what was learned, oldest first.
        cues: the questions with which it was learned.
        there: sequences of the messages that are still there.
    """
    entries, steps = _kept(journal, set(there)), list(log)
    versions = sorted({entry.version for entry in entries} | {step.version for step in steps})
    number = {version: place for place, version in enumerate(versions, start=1)}
    return (
        [
            replace(
                entry,
                version=number[entry.version],
                target=None if entry.target is None else bisect_right(versions, entry.target),
            )
            for entry in entries
        ],
        [replace(step, version=number[step.version]) for step in steps],
        [replace(cue, version=bisect_right(versions, cue.version)) for cue in cues],
    )


def _kept(journal: Iterable[JournalRow], there: set[int]) -> list[JournalRow]:
    """The entries without what is gone, and without what makes them this place's own."""
    known: set[int] = set()
    found: list[JournalRow] = []
    for entry in journal:
        added = numbers_in(entry.added) & there
        # A message that was put in behind the library may have been changed without ever having been added.
        changed = numbers_in(entry.changed) & known
        known |= added
        kept = replace(entry, added=spans_of(added), changed=spans_of(changed), removed=(), digest="")
        if is_worth_noting(kept):
            found.append(kept)
    return found


def steps(head: Head, rows: Mapping[str, Sequence[Any]]) -> Iterator[tuple[Changes, datetime]]:
    """The past as operations to be done again, oldest first, each with its time.

    Args:
        head: of the copy.
        rows: of a snapshot; its journal was checked.
    """
    messages: dict[int, Message] = {message.sequence: message for message in rows["messages"]}
    entries: dict[int, JournalRow] = {entry.version: entry for entry in rows.get("journal", ())}
    lessons: dict[int, list[CreditRow]] = {}
    for step in rows.get("credits", ()):
        if step.version:
            lessons.setdefault(step.version, []).append(step)
    for version in sorted(entries.keys() | lessons.keys()):
        entry, learned = entries.get(version), lessons.get(version, [])
        if entry is None:
            yield Changes(head=head, credits=learned), learned[0].created_at
            continue
        head = replace(head, next_sequence=entry.next_sequence, next_signal=entry.next_signal)
        written = sorted(numbers_in(entry.added) | numbers_in(entry.changed))
        yield (
            Changes(
                head=head,
                messages=[messages[number] for number in written],
                credits=learned,
                wipe=entry.event == "reset",
                event="" if entry.event == "reset" else entry.event,
                target=entry.target,
            ),
            entry.created_at,
        )


def without_past(rows: Mapping[str, Sequence[Any]]) -> tuple[list[Message], list[CreditRow]]:
    """Messages and learning steps that `steps` has not: of an older file, or put in by other programs."""
    placed = {number for entry in rows.get("journal", ()) for number in numbers_in(entry.added)}
    return (
        [message for message in rows.get("messages", ()) if message.sequence not in placed],
        [step for step in rows.get("credits", ()) if not step.version],
    )
