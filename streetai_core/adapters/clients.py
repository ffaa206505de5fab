"""What all clients with a memory have in common, whichever provider's."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TypedDict, TypeVar

from streetai_core.adapters.interceptor import Interceptor
from streetai_core.adapters.sessions import Memories, SessionDefaults
from streetai_core.adapters.turns import MemoryTurn
from streetai_core.errors import InputError
from streetai_core.failures import OnError
from streetai_core.memory import Memory
from streetai_core.registry import MemoryRegistry
from streetai_core.verbs.arguments import AskedAt

B = TypeVar("B", bound="Binding")


@dataclass(frozen=True, slots=True)
class Binding:
    """What makes a client one with a memory."""

    interceptor: Interceptor
    defaults: SessionDefaults

    def bound(self: B, memory_id: object, conversation_id: object, asked_at: object) -> B:  # noqa: PYI019 - Self needs Python 3.11
        """A binding like this one, with other ids or another time.

        Raises:
            InputError: an id, or the time, cannot be used.
        """
        return replace(self, defaults=self.defaults.changed(memory_id, conversation_id, asked_at))


class MemoryOptions(TypedDict, total=False):
    """What every `with_memory` takes besides client and memory id, for type checkers."""

    registry: MemoryRegistry | str | os.PathLike[str] | None
    conversation_id: str | None
    token_budget: int | None
    asked_at: AskedAt | None
    on_error: OnError | None


class WithMemory:
    """What every client with a memory has, besides all that it had before."""

    _streetai: Binding

    @property
    def memory(self) -> Memory:
        """The memory of the client's own `memory_id`: to look in, to edit, to delete.

        Raises:
            InputError: it has none, because each call names its memory.
        """
        return self._streetai.interceptor.memories.get(self._streetai.defaults.session().memory_id)

    @property
    def registry(self) -> MemoryRegistry:
        """All memories of this client."""
        return self._streetai.interceptor.memories.registry

    def memory_turn(self, response: object) -> MemoryTurn | None:
        """What the memory did for a response: ids of the stored messages, and what was recalled.

        Args:
            response: what a chat call returned: the response, a stream or a piece of it, a raw response, or what one of
                these gave.

        Returns:
            `None` if the response came from elsewhere, or its request had nothing of the user's in it.
        """
        return self._streetai.interceptor.turn_of(response)


def bind(
    client: object,
    memory_id: str | None,
    registry: MemoryRegistry | str | os.PathLike[str] | None,
    conversation_id: str | None,
    *,
    token_budget: int | None,
    asked_at: AskedAt | None,
    on_error: OnError | None,
) -> Binding:
    """What makes `client` one with a memory; the arguments are those of every `with_memory`.

    Raises:
        InputError: an argument cannot be used.
    """
    if isinstance(client, WithMemory):
        raise InputError("this client has a memory already; client.with_options(memory_id='...') makes it another's")
    defaults = SessionDefaults().changed(... if memory_id is None else memory_id, conversation_id, asked_at)
    return Binding(Interceptor(Memories(registry), token_budget=token_budget, on_error=on_error), defaults)


def check_client(
    client: object, kinds: type | tuple[type, ...], named: str, other: type | tuple[type, ...], function: str
) -> None:
    """See to it that a client is of one of these classes.

    Args:
        client: what was given.
        kinds: the classes.
        named: the same in words, with an article.
        other: the classes that another function is for, as `isinstance` takes them.
        function: the name of that function.

    Raises:
        InputError: it is not.
    """
    if not isinstance(client, kinds):
        hint = f"; use {function}" if isinstance(client, other) else ""
        raise InputError(f"client must be {named}, got {type(client).__name__}{hint}")
