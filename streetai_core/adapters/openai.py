"""OpenAI's client with a memory, and so the client of every server that speaks OpenAI's protocol.

    from openai import OpenAI
    from streetai_core.adapters.openai import with_memory

    client = with_memory(OpenAI(), memory_id="user_123")
    client.chat.completions.create(model="...", messages=[{"role": "user", "content": "..."}])

`chat.completions` (`create`, `parse`, `stream`), `responses` and `beta.responses` (the same) recall before a call and
store and learn after it; everything else is as it was. Send the new message only, or the whole history: it is stored
once.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from streetai_core.adapters.clients import bind, check_client
from streetai_core.adapters.openai_chat import ChatCompletions
from streetai_core.adapters.openai_responses import Responses
from streetai_core.adapters.stainless import AsyncWithMemory, Resources, SyncWithMemory, remembering
from streetai_core.adapters.turns import MemoryTurn
from streetai_core.errors import MissingExtraError
from streetai_core.failures import OnError
from streetai_core.registry import MemoryRegistry
from streetai_core.verbs.arguments import AskedAt

try:
    from openai import AsyncOpenAI, OpenAI
except ModuleNotFoundError as error:
    raise MissingExtraError("openai", "openai") from error

__all__ = ["MemoryTurn", "with_memory", "with_memory_async"]

if TYPE_CHECKING:

    class OpenAIWithMemory(SyncWithMemory, OpenAI):
        """What `with_memory` returns, for type checkers."""

    class AsyncOpenAIWithMemory(AsyncWithMemory, AsyncOpenAI):
        """What `with_memory_async` returns, for type checkers."""


_CODECS = {
    "/chat/completions": ChatCompletions(),
    "/responses": Responses(),
    "/responses?beta=true": Responses(),
}

_CALLS = ("create", "parse", "stream")
_CHAT = {"completions": _CALLS}
_RESOURCES: Resources = {"chat": _CHAT, "responses": _CALLS, "beta": {"chat": _CHAT, "responses": _CALLS}}


def with_memory(
    client: OpenAI,
    memory_id: str | None = None,
    *,
    registry: MemoryRegistry | str | os.PathLike[str] | None = None,
    conversation_id: str | None = None,
    token_budget: int | None = None,
    asked_at: AskedAt | None = None,
    on_error: OnError | None = None,
) -> OpenAIWithMemory:
    """A client with a memory. It shares connections and options with `client`, which stays as it is.

    Args:
        client: an `OpenAI`, an `AzureOpenAI` or another class derived from `OpenAI`.
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
    check_client(client, OpenAI, "an openai.OpenAI", AsyncOpenAI, "with_memory_async")
    binding = bind(
        client, memory_id, registry, conversation_id, token_budget=token_budget, asked_at=asked_at, on_error=on_error
    )
    made: OpenAIWithMemory = remembering(client, SyncWithMemory, binding, _CODECS, _RESOURCES)
    return made


def with_memory_async(
    client: AsyncOpenAI,
    memory_id: str | None = None,
    *,
    registry: MemoryRegistry | str | os.PathLike[str] | None = None,
    conversation_id: str | None = None,
    token_budget: int | None = None,
    asked_at: AskedAt | None = None,
    on_error: OnError | None = None,
) -> AsyncOpenAIWithMemory:
    """An async client with a memory, whose work never blocks the event loop; arguments as for `with_memory`.

    Raises:
        InputError: an argument cannot be used.
    """
    check_client(client, AsyncOpenAI, "an openai.AsyncOpenAI", OpenAI, "with_memory")
    binding = bind(
        client, memory_id, registry, conversation_id, token_budget=token_budget, asked_at=asked_at, on_error=on_error
    )
    made: AsyncOpenAIWithMemory = remembering(client, AsyncWithMemory, binding, _CODECS, _RESOURCES)
    return made
