"""The form in which values are kept, the same in every store, and checked before anything is written."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, datetime, timezone
from numbers import Integral
from typing import Any

import numpy as np

from streetai_core.errors import InputError, VectorError
from streetai_core.stores.metadata import plain_metadata
from streetai_core.stores.types import Changes, CreditRow, CueRow, Head, Learned, WeightRow, WordsRow
from streetai_core.text.clean import clean
from streetai_core.types import ROLES, SOURCES, KeptVector, Message

_LAST_DAY = date.max.toordinal()
"""The ordinal of 31 December 9999; the first day is 1."""

_KEPT = (np.dtype(np.float32), np.dtype(np.float16))
"""What vectors of signals are made of; sums of stacks, of the first alone."""

CUES_KEPT = 1_000
"""Cues of a memory, the newest: a question is compared with all of them, and 1,000 vectors take 1.5 MB of RAM."""

_LARGEST = 2**63 - 1
"""What a database keeps as a whole number."""


def checked(changes: Changes, memory_id: str) -> Changes:
    """`changes` as they are kept: times with their distance from UTC, metadata copied; all else as it was given.

    Raises:
        InputError: a text, a number, a time, metadata or a words row that cannot be stored; the head of another memory.
        VectorError: a vector that is not finite float32, or float16 of a signal, of shape (head.dim,).
    """
    if changes.head.memory_id != memory_id:
        raise InputError(f"changes of memory {changes.head.memory_id!r} were given to memory {memory_id!r}")
    _check_vectors([signal.vector for signal in changes.signals], changes.head.dim, "signal", _KEPT)
    _check_vectors([cue.vector for cue in changes.cues], changes.head.dim, "cue", _KEPT)
    _check_vectors([stack.total for stack in changes.stacks], changes.head.dim, "stack", _KEPT[:1])
    _check_numbers(changes)
    for words in changes.words:
        _check_words(words)
    return replace(
        changes,
        messages=[_kept(message) for message in changes.messages],
        credits=[replace(entry, created_at=utc(entry.created_at)) for entry in changes.credits],
    )


def next_head(changes: Changes, current: Head | None) -> Head:
    """The head that results from `changes`: its version is the next one, and the deletion version follows."""
    version = 1 if current is None else current.version + 1
    deleted_before = 0 if current is None else current.deletion_version
    deletes = (
        changes.wipe
        or changes.deleted_messages
        or changes.deleted_signals
        or changes.deleted_stacks
        or changes.deleted_cues
    )
    return replace(changes.head, version=version, deletion_version=version if deletes else deleted_before)


def is_complete(since: int | None, head: Head) -> bool:
    """Whether a reader at version `since` has to load everything.

    It has to if it has nothing, if rows went since then, or if it is ahead of the store, which happens when the
    file was replaced by an older one.
    """
    return since is None or since < head.deletion_version or since > head.version


def newest_cues(cues: Iterable[CueRow]) -> list[CueRow]:
    """Those of a memory's cues that are kept, by signal and question."""
    newest = sorted(cues, key=lambda cue: (cue.version, cue.key, cue.question))[-CUES_KEPT:]
    return sorted(newest, key=lambda cue: (cue.key, cue.question))


def after_learning(weight: WeightRow, step: Learned) -> WeightRow:
    """The weight after one learning step."""
    return WeightRow(
        key=weight.key,
        base_weight=min(max(weight.base_weight * step.factor, step.low), step.high),
        last_used_turn=max(weight.last_used_turn, step.last_used_turn),
        uses=weight.uses + step.used,
        stack=weight.stack,
    )


def credit_of(step: Learned, old: WeightRow, new: WeightRow, now: datetime) -> CreditRow:
    """The log entry of one learning step."""
    return CreditRow(
        turn=step.last_used_turn,
        key=step.key,
        action=step.action,
        contribution=step.contribution,
        old_weight=old.base_weight,
        new_weight=new.base_weight,
        created_at=now,
        old_last_used_turn=old.last_used_turn,
        old_uses=old.uses,
        conversation=step.conversation,
    )


def utc(moment: datetime, what: str = "a time") -> datetime:
    """`moment` in UTC; taken as UTC if it has no time zone.

    Raises:
        InputError: naming `what`; not a datetime, or outside the years 1 to 9999 in UTC.
    """
    if not isinstance(moment, datetime):
        raise InputError(f"{what} must be a datetime, got {type(moment).__name__}")
    if moment.tzinfo is None:
        return moment.replace(tzinfo=timezone.utc)
    try:
        return moment.astimezone(timezone.utc)
    except OverflowError as error:
        raise InputError(f"{what} is outside the years 1 to 9999 in UTC: {moment!r}") from error


def zoned(moment: datetime, what: str = "a time") -> datetime:
    """`moment` with its distance from UTC, which tells the day of who wrote at that time, and nothing else of its zone.

    It is taken as UTC if it has no zone.

    Raises:
        InputError: naming `what`; not a datetime, or outside the years 1 to 9999 in UTC.
    """
    distance = moment.utcoffset() if isinstance(moment, datetime) else None
    return moment.replace(tzinfo=timezone(distance)) if distance and utc(moment, what) else utc(moment, what)


def _kept(message: Message) -> Message:
    for what in ("message_id", "role", "content", "conversation_id", "name", "writer"):
        _check_text(getattr(message, what), what)
    _check_provenance(message.source, message.trust, f"message {message.sequence}")
    return replace(message, created_at=zoned(message.created_at), metadata=plain_metadata(message.metadata))


def _check_text(text: str | None, what: str) -> None:
    """Refuse what not every database can keep."""
    if text is not None and clean(text)[1]:
        raise InputError(f"{what} must not contain NUL or lone surrogates; replace them by U+FFFD first")


def _check_provenance(source: str, trust: float, what: str) -> None:
    """Where something comes from and how far it may be believed."""
    if source not in SOURCES:
        raise InputError(f"{what}: source must be one of {', '.join(SOURCES)}, got {source!r}; nothing was stored")
    if isinstance(trust, bool) or not isinstance(trust, int | float) or not 0 <= trust <= 1:
        raise InputError(f"{what}: trust must be a number from 0 to 1, got {trust!r}; nothing was stored")


def _check_words(words: WordsRow) -> None:
    for what in ("conversation_id", "name", "role", "writer"):
        _check_text(getattr(words, what), f"{what} of the words of message {words.sequence}")
    _check_provenance(words.source, words.trust, f"words of message {words.sequence}")
    if not _is_whole(words.fingerprint, -_LARGEST - 1, _LARGEST):
        raise _wrong_words(words, f"fingerprint must be a whole number of 64 bits, got {words.fingerprint!r}")
    if not _is_whole(words.rules, 0, _LARGEST):
        raise _wrong_words(words, f"rules must be a whole number from 0 on, got {words.rules!r}")
    if words.role not in ROLES:
        raise _wrong_words(words, f"role must be one of {', '.join(ROLES)}, got {words.role!r}")
    if not _is_whole(words.day, 1, _LAST_DAY):
        raise _wrong_words(words, f"day must be an ordinal of 1 to {_LAST_DAY}, got {words.day!r}")
    if not _is_whole(words.characters, 0, _LARGEST) or not isinstance(words.question, bool | np.bool_):
        raise _wrong_words(words, "characters must be a whole number from 0 on, and question a bool")
    if not all(_is_whole(sequence, 0, _LARGEST) for sequence in words.replaces):
        raise _wrong_words(words, f"replaces must be sequences of messages, got {words.replaces!r}")
    _check_terms(words)
    _check_days(words)


def _check_terms(words: WordsRow) -> None:
    """A search of sorted terms finds nothing in others."""
    if not _is_array(words.terms, np.uint32) or not _is_array(words.counts, np.uint16):
        raise _wrong_words(words, "terms must be native uint32 and counts native uint16 arrays")
    if words.terms.ndim != 1 or words.terms.shape != words.counts.shape:
        raise _wrong_words(
            words, f"terms and counts must have one shape (t,), got {words.terms.shape} and {words.counts.shape}"
        )
    if not (words.terms[1:] > words.terms[:-1]).all():
        raise _wrong_words(words, "terms must be ascending and distinct")


def _check_days(words: WordsRow) -> None:
    days = words.days
    if not _is_array(days, np.int32) or days.ndim != 2 or days.shape[1] != 2:  # noqa: PLR2004 - the first and the last
        raise _wrong_words(words, "days must be a native int32 array of shape (m, 2)")
    if len(days) and (days.min() < 1 or days.max() > _LAST_DAY or (days[:, 0] > days[:, 1]).any()):
        raise _wrong_words(words, f"days must be ordinals of 1 to {_LAST_DAY}, the first not after the last")


def _wrong_words(words: WordsRow, what: str) -> InputError:
    return InputError(f"words of message {words.sequence}: {what}; nothing was stored")


def _is_array(value: object, kind: type[np.generic]) -> bool:
    """Whether it is an array of exactly this type, in this machine's order of bytes."""
    return isinstance(value, np.ndarray) and value.dtype == kind


def _is_whole(value: object, low: int, high: int) -> bool:
    """Whether it is a whole number from `low` to `high`; True and False are none."""
    return not isinstance(value, bool) and isinstance(value, Integral) and low <= int(value) <= high


def _check_vectors(
    vectors: Sequence[KeptVector], dim: int | None, what: str, kinds: Sequence[np.dtype[np.floating[Any]]]
) -> None:
    for number, vector in enumerate(vectors):
        if not isinstance(vector, np.ndarray) or vector.dtype not in kinds or vector.shape != (dim,):
            shape = f"{getattr(vector, 'dtype', type(vector).__name__)} {getattr(vector, 'shape', '')}"
            names = " or ".join(kind.name for kind in kinds)
            raise VectorError(f"vector of {what} {number} must be native {names} of shape ({dim},), got {shape}")
    if vectors and not np.isfinite(np.concatenate(vectors)).all():
        raise VectorError(f"a {what} vector is not finite; nothing was stored")


def _check_numbers(changes: Changes) -> None:
    for weight in changes.weights:
        if not math.isfinite(weight.base_weight):
            raise InputError(f"base_weight of signal {weight.key} must be finite, got {weight.base_weight}")
    for cue in changes.cues:
        if not _is_whole(cue.question, -_LARGEST - 1, _LARGEST) or not _is_whole(cue.version, 0, _LARGEST):
            raise InputError(f"question and version of a cue must be whole numbers of 64 bits, got {cue}")
    for entry in changes.credits:
        if not all(map(math.isfinite, (entry.contribution, entry.old_weight, entry.new_weight))):
            raise InputError(f"an entry of the learning log must have finite numbers, got {entry}")
    for step in changes.learned:
        if not all(map(math.isfinite, (step.factor, step.low, step.high, step.contribution))):
            raise InputError(f"a learning step must have finite numbers, got {step}")
