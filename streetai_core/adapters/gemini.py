"""Google's Gemini client with a memory.

    from google import genai
    from streetai_core.adapters.gemini import with_memory

    client = with_memory(genai.Client(), memory_id="user_123")
    client.models.generate_content(model="...", contents="...")

`models.generate_content`, `models.generate_content_stream` and `chats` recall before a call and store and learn after
it, and so do their twins in `client.aio`; everything else is as it was. Send the new message only, or the whole
history: it is stored once. What a chat keeps of its history never has what was recalled.
"""

from __future__ import annotations

import os

from streetai_core.adapters.clients import bind, check_client
from streetai_core.adapters.gemini_clients import (
    AsyncClient,
    Client,
    MemoryAsyncClient,
    MemoryClient,
    remembering,
)
from streetai_core.adapters.turns import MemoryTurn
from streetai_core.failures import OnError
from streetai_core.registry import MemoryRegistry
from streetai_core.verbs.arguments import AskedAt

__all__ = ["MemoryTurn", "with_memory", "with_memory_async"]


def with_memory(
    client: Client,
    memory_id: str | None = None,
    *,
    registry: MemoryRegistry | str | os.PathLike[str] | None = None,
    conversation_id: str | None = None,
    token_budget: int | None = None,
    asked_at: AskedAt | None = None,
    on_error: OnError | None = None,
) -> MemoryClient:
    """A client with a memory, its `aio` too. It shares connections and options with `client`, which stays as it is.

    Args:
        client: a `genai.Client`.
        memory_id: whose memory; `None`: each call says so. A call can always name another one.
        registry: where the memories are: a registry, which stays yours to close, after the client, or a database file;
            `None`: the file `memory.db` in the current folder.
        conversation_id: the thread; a call can name another one.
        token_budget: most tokens of the texts of a request; `None`: no limit but those of the registry's settings.
        asked_at: when and where each call is made, by which "yesterday" goes: a time in the user's zone, or a function
            that gives it; `None`: the registry's clock. A call can name another one.
        on_error: told of every failure of the memory, none of which costs a reply.

    Raises:
        InputError: an argument cannot be used.
    """
    check_client(client, Client, "a google.genai.Client", AsyncClient, "with_memory_async")
    return remembering(
        client,
        bind(
            client,
            memory_id,
            registry,
            conversation_id,
            token_budget=token_budget,
            asked_at=asked_at,
            on_error=on_error,
        ),
    )


def with_memory_async(
    client: Client | AsyncClient,
    memory_id: str | None = None,
    *,
    registry: MemoryRegistry | str | os.PathLike[str] | None = None,
    conversation_id: str | None = None,
    token_budget: int | None = None,
    asked_at: AskedAt | None = None,
    on_error: OnError | None = None,
) -> MemoryAsyncClient:
    """An async client with a memory, whose work never blocks the event loop; arguments as for `with_memory`.

    Args:
        client: a `genai.Client`, of which it is the `aio`, or that itself.
        memory_id: as for `with_memory`, like all that follow.
        registry: the same.
        conversation_id: the same.
        token_budget: the same.
        asked_at: the same.
        on_error: the same.

    Raises:
        InputError: an argument cannot be used.
    """
    check_client(client, (Client, AsyncClient), "a google.genai.Client, or its aio", (), "")
    binding = bind(
        client, memory_id, registry, conversation_id, token_budget=token_budget, asked_at=asked_at, on_error=on_error
    )
    if isinstance(client, Client):
        return MemoryAsyncClient(client.aio, binding, owner=client, closes=True)
    return MemoryAsyncClient(client, binding, closes=True)
