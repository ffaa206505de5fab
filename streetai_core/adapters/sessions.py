"""Whose memory a call is about, and where the memories are."""

from __future__ import annotations

import os
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import EllipsisType

from streetai_core.errors import InputError
from streetai_core.memory import Memory
from streetai_core.registry import MemoryRegistry
from streetai_core.text.clean import check_id, is_blank
from streetai_core.verbs.arguments import AskedAt, check_asked_at, moment_of

DEFAULT_PATH = "memory.db"
"""The database of a client that is given no registry: a file in the current folder."""


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation in one memory."""

    memory_id: str
    """Whose memory: nothing is ever recalled from another."""
    conversation_id: str | None
    """The thread; `None`: the conversation without an id."""
    asked_at: datetime | None = field(default=None, compare=False)
    """When and where a call in it is made; `None`: the registry's clock tells it."""


@dataclass(frozen=True, slots=True)
class SessionDefaults:
    """What a call is about that does not say so itself."""

    memory_id: str | None = None
    conversation_id: str | None = None
    asked_at: AskedAt | None = None

    def session(self, memory_id: object = ..., conversation_id: object = ..., asked_at: object = ...) -> Session:
        """The session of a call that is made now; left out: these.

        Raises:
            InputError: there is no memory id, or one of the ids or the time cannot be used.
        """
        changed = self.changed(memory_id, conversation_id, asked_at)
        if changed.memory_id is None:
            raise InputError(
                "there is no memory_id, and no memory is shared by default. Give one to the client, "
                "with_memory(client, memory_id='...'), or to the call: create(..., memory_id='...')"
            )
        return Session(changed.memory_id, changed.conversation_id, moment_of(changed.asked_at))

    def changed(
        self, memory_id: object = ..., conversation_id: object = ..., asked_at: object = ...
    ) -> SessionDefaults:
        """These with others. A memory id that is given is never passed over, for these are another user's.

        Raises:
            InputError: an id, or the time, cannot be used.
        """
        changed = self
        if not isinstance(memory_id, EllipsisType):
            changed = replace(changed, memory_id=_usable(memory_id, "memory_id"))
        if not isinstance(conversation_id, EllipsisType):
            thread = None if conversation_id is None else _usable(conversation_id, "conversation_id")
            changed = replace(changed, conversation_id=thread)
        if not isinstance(asked_at, EllipsisType):
            changed = replace(changed, asked_at=check_asked_at(asked_at))
        return changed


class Memories:
    """The memories that a client writes to. Making it does no I/O.

    Args:
        registry: a registry, which stays its owner's to close; or the file of one that is opened here; `None`:
            `memory.db` in the current folder.

    Raises:
        InputError: it is none of these, or an empty path.
    """

    def __init__(self, registry: MemoryRegistry | str | os.PathLike[str] | None) -> None:
        if registry is not None and not isinstance(registry, MemoryRegistry | str | os.PathLike):
            raise InputError(f"registry must be a MemoryRegistry, a file's path or None, got {type(registry).__name__}")
        self._owned = not isinstance(registry, MemoryRegistry)
        path = DEFAULT_PATH if registry is None else registry
        self.registry = path if isinstance(path, MemoryRegistry) else MemoryRegistry(path)

    @property
    def executor(self) -> Executor:
        """Where async twins run."""
        return self.registry.executor

    def get(self, memory_id: str) -> Memory:
        """The memory of an id."""
        return self.registry.get(memory_id)

    def close(self) -> None:
        """Close the registry, if it was opened here."""
        if self._owned:
            self.registry.close()


def _usable(value: object, what: str) -> str:
    if value is None:
        raise InputError(f"{what} must be text that is not blank, got None; leave it out for the client's own")
    if not isinstance(value, str) or is_blank(value):
        raise InputError(f"{what} must be text that is not blank, got {value!r}")
    return check_id(value, what)
