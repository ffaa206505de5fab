"""Seeded mixed work on one memory, and a model of what it must leave."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from zlib import crc32

from streetai_core.memory import Memory
from streetai_core.registry import MemoryRegistry
from streetai_core.types import NewMessage

Model = Mapping[str, int]
"""Message id -> the number of its edit, 0 for what was first said."""

_CONVERSATIONS = 5
"""So many that each has several messages, and that deleting one leaves most."""

_BULK = 5
"""Messages that are added at once: more than a page of the file holds."""

_MARKS = 20
"""Versions that are kept to go back to: from the one before the last write to some with deletions in between."""

_HITS = 10
"""Signals that one step learns from."""


@dataclass(frozen=True, slots=True)
class Intent:
    """What an operation is about to do; written as one line for whoever has to know it after a crash."""

    verb: str
    ids: tuple[str, ...] = ()
    edit: int = 0

    def line(self) -> str:
        """The intent as text without line breaks."""
        return f"{self.verb} {','.join(self.ids)} {self.edit}"

    @classmethod
    def parsed(cls, line: str) -> Intent:
        """The intent of a line."""
        verb, ids, edit = line.split(" ")
        return cls(verb, tuple(ids.split(",")) if ids else (), int(edit))

    def applied(self, model: Model) -> Model:
        """The model after it."""
        if self.verb == "reset":
            return {}
        if self.verb in ("delete", "rollback"):
            return {one: edit for one, edit in model.items() if one not in self.ids}
        return {**model, **dict.fromkeys(self.ids, self.edit)}


def text_of(message_id: str, edit: int = 0) -> str:
    """What a message says: several chunks, all of which tell whose they are."""
    rng = random.Random(f"{message_id}/{edit}")  # noqa: S311 - reproducible, no secret
    sentences = rng.randint(1, 12)
    return " ".join(
        f"Sentence {n} of message {message_id}, edit {edit}, says {rng.random()}." for n in range(sentences)
    )


def conversation_of(message_id: str) -> str:
    """Where a message is said: its id tells."""
    return f"conversation {crc32(message_id.encode()) % _CONVERSATIONS}"


def message_of(message_id: str) -> NewMessage:
    """A message as it is first said."""
    return NewMessage(
        content=text_of(message_id), role="user", message_id=message_id, conversation_id=conversation_of(message_id)
    )


class Work:
    """One step after the other on a memory.

    Args:
        registry: where the memory is.
        memory_id: which one.
        rng: decides what is done.
        announce: told before each operation what it is about to do.
    """

    def __init__(
        self,
        registry: MemoryRegistry,
        memory_id: str,
        rng: random.Random,
        announce: Callable[[Intent], None] = lambda _: None,
    ) -> None:
        self._registry = registry
        self._memory_id = memory_id
        self._rng = rng
        self._announce = announce
        self.known = [message.message_id for message in self.memory.messages()]
        self._marks: list[tuple[int, frozenset[str]]] = []
        """Versions, and which messages were there then."""

    @property
    def memory(self) -> Memory:
        """The handle; another one after each reset."""
        return self._registry.get(self._memory_id)

    def step(self) -> None:
        """Do one thing."""
        verb = self._rng.choices(list(_VERBS), weights=[weight for weight, _ in _VERBS.values()])[0]
        self.do(verb if self.known else "add")

    def do(self, verb: str) -> None:
        """Do this; there must be messages, unless it adds some."""
        self._marks = [*self._marks[1 - _MARKS :], (self.memory.version, frozenset(self.known))]
        _VERBS[verb][1](self)

    def add(self) -> None:
        """One message."""
        self._add(1)

    def bulk(self) -> None:
        """Several messages in one transaction."""
        self._add(_BULK)

    def turn(self) -> None:
        """Two messages, and a lesson from the second, in one transaction."""
        ids = self._new_ids(2)
        hits = self.memory.retrieve(text_of(self._any()), limit=_HITS)
        self._announce(Intent("turn", ids))
        self.memory.record_turn(
            f"turn {ids[0]}", [message_of(one) for one in ids], retrieved=hits, reply=text_of(self._any())
        )
        self.known += ids

    def update(self) -> None:
        """Another text for a message."""
        message_id, edit = self._any(), self._rng.randint(1, 999)
        self._announce(Intent("update", (message_id,), edit))
        self.memory.update_message(message_id, text_of(message_id, edit))

    def delete(self) -> None:
        """Remove a message."""
        message_id = self._any()
        self._announce(Intent("delete", (message_id,)))
        self.memory.delete_message(message_id)
        self.known.remove(message_id)

    def erase(self) -> None:
        """Remove a message, and every trace of it."""
        message_id = self._any()
        self._announce(Intent("delete", (message_id,)))
        self.memory.forget(message=message_id)
        self.known.remove(message_id)

    def delete_conversation(self) -> None:
        """Remove all messages of a conversation."""
        conversation = conversation_of(self._any())
        gone = tuple(one for one in self.known if conversation_of(one) == conversation)
        self._announce(Intent("delete", gone))
        self.memory.delete_conversation(conversation)
        self.known = [one for one in self.known if one not in gone]

    def learn(self) -> None:
        """A lesson from a reply."""
        hits = self.memory.retrieve(text_of(self._any()), limit=_HITS)
        self._announce(Intent("learn"))
        self.memory.post_process(hits, text_of(self._any()))

    def hide(self) -> None:
        """Hide a conversation, or show it again if it is hidden."""
        conversation = conversation_of(self._any())
        self._announce(Intent("hide"))
        if not self.memory.release(conversation=conversation):
            self.memory.quarantine(conversation=conversation)

    def rollback(self) -> None:
        """Undo what was done since a version of before, as far as it can be undone."""
        version, then = self._rng.choice(self._marks)
        gone = tuple(one for one in self.known if one not in then)
        self._announce(Intent("rollback", gone))
        self.memory.rollback(version, partial=True)
        self.known = [one for one in self.known if one in then]

    def reencode(self) -> None:
        """All vectors anew."""
        self._announce(Intent("reencode"))
        self.memory.reencode()

    def reset(self) -> None:
        """Everything goes."""
        self._announce(Intent("reset"))
        self._registry.reset(self._memory_id)
        self.known, self._marks = [], []

    def _add(self, count: int) -> None:
        ids = self._new_ids(count)
        self._announce(Intent("add", ids))
        self.memory.add_messages([message_of(one) for one in ids])
        self.known += ids

    def _new_ids(self, count: int) -> tuple[str, ...]:
        return tuple(f"{self._rng.getrandbits(48):012x}" for _ in range(count))

    def _any(self) -> str:
        return self._rng.choice(self.known)


_VERBS: dict[str, tuple[float, Callable[[Work], None]]] = {
    "add": (5, Work.add),
    "bulk": (1, Work.bulk),
    "turn": (1, Work.turn),
    "update": (2, Work.update),
    "delete": (1, Work.delete),
    "erase": (0.5, Work.erase),
    "learn": (2, Work.learn),
    "delete_conversation": (0.3, Work.delete_conversation),
    "hide": (0.5, Work.hide),
    "rollback": (0.3, Work.rollback),
    "reencode": (0.2, Work.reencode),
    "reset": (0.05, Work.reset),
}
"""Everything that writes, and how often it comes; a new verb is one line here and one method above."""
