"""Anthropic's client with a memory.

    from anthropic import Anthropic
    from streetai_core.adapters.anthropic import with_memory

    client = with_memory(Anthropic(), memory_id="user_123")
    client.messages.create(model="...", max_tokens=1024, messages=[{"role": "user", "content": "..."}])

`messages` and `beta.messages` (`create`, `parse`, `stream`, and the tool runner and threads of beta) recall before a
call and store and learn after it; everything else, such as `count_tokens` and `batches`, is as it was. Send the new
message only, or the whole history: it is stored once.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, overload

from streetai_core.adapters.anthropic_bodies import plain
from streetai_core.adapters.anthropic_codec import AnthropicMessages
from streetai_core.adapters.clients import bind, check_client
from streetai_core.adapters.stainless import AsyncWithMemory, Resources, SyncWithMemory, remembering
from streetai_core.adapters.turns import MemoryTurn
from streetai_core.errors import MissingExtraError
from streetai_core.failures import OnError
from streetai_core.registry import MemoryRegistry
from streetai_core.verbs.arguments import AskedAt

try:
    import anthropic
    from anthropic import Anthropic, AsyncAnthropic
except ModuleNotFoundError as error:
    raise MissingExtraError("anthropic", "anthropic") from error

__all__ = ["MemoryTurn", "with_memory", "with_memory_async"]

_MESSAGES = AnthropicMessages()

_CODECS = {"/v1/messages": _MESSAGES, "/v1/messages?beta=true": _MESSAGES}
"""Older versions of the SDK have the query in the path."""

_METHODS = ("create", "parse", "stream")
_RESOURCES: Resources = {"messages": _METHODS, "beta": {"messages": _METHODS}}


class _Sync(SyncWithMemory):
    """A synchronous client with a memory."""

    def post(self, path: str, *, body: Any = None, **more: Any) -> Any:
        """Make a request; a chat call with the memory round it."""
        return super().post(path, body=_readable(path, body), **more)


class _Async(AsyncWithMemory):
    """An asynchronous client with a memory."""

    async def post(self, path: str, *, body: Any = None, **more: Any) -> Any:
        """Make a request; a chat call with the memory round it."""
        return await super().post(path, body=_readable(path, body), **more)


if TYPE_CHECKING:
    from anthropic import (
        AnthropicBedrock,
        AnthropicBedrockMantle,
        AnthropicVertex,
        AsyncAnthropicBedrock,
        AsyncAnthropicBedrockMantle,
        AsyncAnthropicVertex,
    )
    from typing_extensions import Unpack

    from streetai_core.adapters.clients import MemoryOptions

    class AnthropicWithMemory(_Sync, Anthropic):
        """What `with_memory` returns, for type checkers."""

    class BedrockWithMemory(_Sync, AnthropicBedrock):
        """What `with_memory` returns for a client of Amazon Bedrock."""

    class BedrockMantleWithMemory(_Sync, AnthropicBedrockMantle):
        """What `with_memory` returns for a client of Amazon Bedrock's own Messages API."""

    class VertexWithMemory(_Sync, AnthropicVertex):
        """What `with_memory` returns for a client of Google's Vertex AI."""

    class AsyncAnthropicWithMemory(_Async, AsyncAnthropic):
        """What `with_memory_async` returns, for type checkers."""

    class AsyncBedrockWithMemory(_Async, AsyncAnthropicBedrock):
        """What `with_memory_async` returns for a client of Amazon Bedrock."""

    class AsyncBedrockMantleWithMemory(_Async, AsyncAnthropicBedrockMantle):
        """What `with_memory_async` returns for a client of Amazon Bedrock's own Messages API."""

    class AsyncVertexWithMemory(_Async, AsyncAnthropicVertex):
        """What `with_memory_async` returns for a client of Google's Vertex AI."""


def _kinds(prefix: str) -> tuple[type, ...]:
    """The SDK's clients that make chat calls; those of the clouds are no `Anthropic`, and not all versions have all."""
    names = (f"{prefix}{cloud}" for cloud in ("", "Bedrock", "BedrockMantle", "Vertex"))
    return tuple(kind for name in names if (kind := getattr(anthropic, name, None)) is not None)


_SYNC, _ASYNC = _kinds("Anthropic"), _kinds("AsyncAnthropic")


@overload
def with_memory(
    client: Anthropic, memory_id: str | None = None, **options: Unpack[MemoryOptions]
) -> AnthropicWithMemory: ...
@overload
def with_memory(
    client: AnthropicBedrock, memory_id: str | None = None, **options: Unpack[MemoryOptions]
) -> BedrockWithMemory: ...
@overload
def with_memory(
    client: AnthropicBedrockMantle, memory_id: str | None = None, **options: Unpack[MemoryOptions]
) -> BedrockMantleWithMemory: ...
@overload
def with_memory(
    client: AnthropicVertex, memory_id: str | None = None, **options: Unpack[MemoryOptions]
) -> VertexWithMemory: ...
def with_memory(
    client: Any,
    memory_id: str | None = None,
    *,
    registry: MemoryRegistry | str | os.PathLike[str] | None = None,
    conversation_id: str | None = None,
    token_budget: int | None = None,
    asked_at: AskedAt | None = None,
    on_error: OnError | None = None,
) -> Any:
    """A client with a memory. It shares connections and options with `client`, which stays as it is.

    Args:
        client: an `Anthropic`, `AnthropicBedrock`, `AnthropicBedrockMantle` or `AnthropicVertex`, or of a class derived
            from one of them, such as `AnthropicFoundry`.
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
    check_client(client, _SYNC, "an anthropic.Anthropic", _ASYNC, "with_memory_async")
    binding = bind(
        client, memory_id, registry, conversation_id, token_budget=token_budget, asked_at=asked_at, on_error=on_error
    )
    return remembering(client, _Sync, binding, _CODECS, _RESOURCES)


@overload
def with_memory_async(
    client: AsyncAnthropic, memory_id: str | None = None, **options: Unpack[MemoryOptions]
) -> AsyncAnthropicWithMemory: ...
@overload
def with_memory_async(
    client: AsyncAnthropicBedrock, memory_id: str | None = None, **options: Unpack[MemoryOptions]
) -> AsyncBedrockWithMemory: ...
@overload
def with_memory_async(
    client: AsyncAnthropicBedrockMantle, memory_id: str | None = None, **options: Unpack[MemoryOptions]
) -> AsyncBedrockMantleWithMemory: ...
@overload
def with_memory_async(
    client: AsyncAnthropicVertex, memory_id: str | None = None, **options: Unpack[MemoryOptions]
) -> AsyncVertexWithMemory: ...
def with_memory_async(
    client: Any,
    memory_id: str | None = None,
    *,
    registry: MemoryRegistry | str | os.PathLike[str] | None = None,
    conversation_id: str | None = None,
    token_budget: int | None = None,
    asked_at: AskedAt | None = None,
    on_error: OnError | None = None,
) -> Any:
    """An async client with a memory, whose work never blocks the event loop; arguments as for `with_memory`.

    Raises:
        InputError: an argument cannot be used.
    """
    check_client(client, _ASYNC, "an anthropic.AsyncAnthropic", _SYNC, "with_memory")
    binding = bind(
        client, memory_id, registry, conversation_id, token_budget=token_budget, asked_at=asked_at, on_error=on_error
    )
    return remembering(client, _Async, binding, _CODECS, _RESOURCES)


def _readable(path: object, body: object) -> object:
    """The body of a chat call in a form that a codec can read."""
    if path not in _CODECS or not isinstance(body, Mapping):
        return body
    try:
        return plain(body)
    except RecursionError:
        return body  # it contains itself, which the SDK has an error for
