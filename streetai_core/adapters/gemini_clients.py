"""The clients of Google's SDK with a memory: their models and chats, as the SDK's own classes know them."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Mapping
from types import EllipsisType
from typing import TYPE_CHECKING, Any, Generic, TypedDict, TypeVar

from streetai_core.adapters.clients import Binding, WithMemory
from streetai_core.adapters.gemini_calls import Call, CallTransport
from streetai_core.adapters.gemini_streams import AsyncCallStream, AsyncChatStream, CallStream, ChatStream
from streetai_core.errors import MissingExtraError
from streetai_core.verbs.arguments import AskedAt

try:
    from google.genai import Client, types
    from google.genai.chats import AsyncChat, AsyncChats, Chat, Chats
    from google.genai.client import AsyncClient
    from google.genai.models import AsyncModels, Models
except ModuleNotFoundError as error:
    raise MissingExtraError("google-genai", "gemini") from error

__all__ = ["AsyncClient", "Client", "MemoryAsyncClient", "MemoryClient", "remembering"]

Id = str | None | EllipsisType
"""An id for one call; `...`: the client's."""

When = AskedAt | None | EllipsisType
"""When and where one call is made; `...`: the client's."""

_OURS = ("memory_id", "conversation_id", "asked_at")
"""What a call takes besides what the SDK knows."""

if TYPE_CHECKING:
    from typing_extensions import NotRequired, Unpack

    class Request(TypedDict):
        """What `generate_content` and its stream take."""

        model: str
        contents: types.ContentListUnion | types.ContentListUnionDict
        config: NotRequired[types.GenerateContentConfigOrDict | None]
        memory_id: NotRequired[Id]
        conversation_id: NotRequired[Id]
        asked_at: NotRequired[When]


M = TypeVar("M", bound="_Models")
C = TypeVar("C")


class _Models:
    """What models with a memory have alike, be they async or not.

    Args:
        models: the SDK's.
        binding: what gives them a memory.
    """

    def __init__(self, models: Any, binding: Binding) -> None:
        self.__dict__.update(vars(models))
        self._plain = models
        self._binding = binding
        self.newest: Call | None = None
        """The newest call that is streamed."""

    def about(self: M, memory_id: Id, conversation_id: Id, asked_at: When) -> M:  # noqa: PYI019 - Self needs Python 3.11
        """Models like these, with another memory, conversation or time of asking."""
        return type(self)(self._plain, self._binding.bound(memory_id, conversation_id, asked_at))

    def _call(self, request: Mapping[str, Any]) -> tuple[Call, Any, dict[str, Any]]:
        """A call that is about to be made, the SDK's models, whose requests pass through it, and what is theirs of it.

        Raises:
            InputError: it has no memory id, or one that cannot be used.
        """
        ours = {name: request[name] for name in _OURS if name in request}
        call = Call(self._binding.interceptor, self._binding.defaults.session(**ours))
        seen = copy.copy(self._plain)
        seen._api_client = CallTransport(seen._api_client, call)  # noqa: SLF001 - the SDK has no other way in
        return call, seen, {name: value for name, value in request.items() if name not in ours}


class MemoryModels(_Models, Models):
    """The SDK's models, with a memory round `generate_content` and `generate_content_stream`."""

    def generate_content(self, **request: Unpack[Request]) -> types.GenerateContentResponse:
        """As the SDK's, of the memory and conversation of the client, or of those given here."""
        call, seen, plain = self._call(request)
        try:
            response: types.GenerateContentResponse = seen.generate_content(**plain)
        finally:
            call.end()
        call.answered(response)
        return response

    def generate_content_stream(self, **request: Unpack[Request]) -> CallStream:
        """As the SDK's, of the memory and conversation of the client, or of those given here."""
        call, seen, plain = self._call(request)
        self.newest = call
        return CallStream(seen.generate_content_stream(**plain), call)


class MemoryAsyncModels(_Models, AsyncModels):
    """The SDK's async models, with a memory round `generate_content` and `generate_content_stream`."""

    async def generate_content(self, **request: Unpack[Request]) -> types.GenerateContentResponse:
        """As the SDK's, of the memory and conversation of the client, or of those given here."""
        call, seen, plain = self._call(request)
        try:
            response: types.GenerateContentResponse = await seen.generate_content(**plain)
        finally:
            await call.aend()
        call.answered(response)
        return response

    async def generate_content_stream(self, **request: Unpack[Request]) -> AsyncCallStream:
        """As the SDK's, of the memory and conversation of the client, or of those given here."""
        call, seen, plain = self._call(request)
        self.newest = call
        try:
            pieces = await seen.generate_content_stream(**plain)
        except BaseException:
            await call.aend()
            raise
        return AsyncCallStream(pieces, call)


class MemoryChat(Chat):
    """The SDK's chat, over models with a memory."""

    _modules: MemoryModels

    def send_message_stream(self, message: Any, config: Any = None) -> ChatStream:
        """As the SDK's."""
        return ChatStream(super().send_message_stream(message, config), self._modules)


class MemoryAsyncChat(AsyncChat):
    """The SDK's async chat, over models with a memory."""

    _modules: MemoryAsyncModels

    async def send_message_stream(self, message: Any, config: Any = None) -> AsyncChatStream:
        """As the SDK's."""
        return AsyncChatStream(await super().send_message_stream(message, config), self._modules)


class _Chats(Generic[C]):
    """What makes chats, each in a memory and a conversation of its own, if they are given."""

    _modules: Any
    _chat: type[C]

    def create(
        self,
        *,
        model: str,
        config: types.GenerateContentConfigOrDict | None = None,
        history: list[types.ContentOrDict] | None = None,
        memory_id: Id = ...,
        conversation_id: Id = ...,
        asked_at: When = ...,
    ) -> C:
        """As the SDK's, of the memory and conversation of the client, or of those given here."""
        models = self._modules.about(memory_id, conversation_id, asked_at)
        make: Any = self._chat  # the SDK's constructors are not typed alike
        made: C = make(modules=models, model=model, config=config, history=history or [])
        return made


class MemoryChats(_Chats[MemoryChat], Chats):
    """The SDK's chats, with a memory."""

    _chat = MemoryChat


class MemoryAsyncChats(_Chats[MemoryAsyncChat], AsyncChats):
    """The SDK's async chats, with a memory."""

    _chat = MemoryAsyncChat


class MemoryClient(WithMemory, Client):
    """The SDK's client with a memory, in both of its faces: the methods here, and those of `aio`."""

    def __init__(self, client: Client, binding: Binding) -> None:
        # Another `__init__` would open connections; this is the same client.
        self.__dict__.update(vars(client))
        self._plain = client
        self._streetai = binding
        self._with_memory = MemoryModels(client.models, binding)
        self._aio_with_memory = MemoryAsyncClient(client.aio, binding, owner=client)

    @property
    def models(self) -> MemoryModels:
        """The models, with a memory."""
        return self._with_memory

    @property
    def chats(self) -> MemoryChats:
        """The chats, with a memory."""
        return MemoryChats(modules=self.models)

    @property
    def aio(self) -> MemoryAsyncClient:
        """The async methods, with the same memory."""
        return self._aio_with_memory

    def with_options(self, *, memory_id: Id = ..., conversation_id: Id = ..., asked_at: When = ...) -> MemoryClient:
        """A client for another memory or conversation, or time, which shares all else with this one.

        Raises:
            InputError: an id cannot be used.
        """
        return type(self)(self._plain, self._streetai.bound(memory_id, conversation_id, asked_at))

    def close(self) -> None:
        """Close the connections, and the database if this client opened it."""
        self._plain.close()
        self._streetai.interceptor.close()

    def __del__(self) -> None:
        """Nothing: the connections are those of the client that it was made of."""


class MemoryAsyncClient(WithMemory, AsyncClient):
    """The SDK's async client with a memory.

    Args:
        client: the SDK's.
        binding: what makes it one with a memory.
        owner: the client whose other face it is. It closes its connections when nobody has it any more.
        closes: whether closing this one closes the database too, if it was opened for it.
    """

    def __init__(
        self, client: AsyncClient, binding: Binding, *, owner: Client | None = None, closes: bool = False
    ) -> None:
        self.__dict__.update(vars(client))
        self._plain = client
        self._streetai = binding
        self._owner = owner
        self._closes = closes
        self._with_memory = MemoryAsyncModels(client.models, binding)

    @property
    def models(self) -> MemoryAsyncModels:
        """The models, with a memory."""
        return self._with_memory

    @property
    def chats(self) -> MemoryAsyncChats:
        """The chats, with a memory."""
        return MemoryAsyncChats(modules=self.models)

    def with_options(
        self, *, memory_id: Id = ..., conversation_id: Id = ..., asked_at: When = ...
    ) -> MemoryAsyncClient:
        """A client for another memory or conversation, or time, which shares all else with this one.

        Raises:
            InputError: an id cannot be used.
        """
        binding = self._streetai.bound(memory_id, conversation_id, asked_at)
        return MemoryAsyncClient(self._plain, binding, owner=self._owner, closes=self._closes)

    async def aclose(self) -> None:
        """Close the connections, and the database if it was opened for this client.

        The async face of a client with a memory leaves the database to that client.
        """
        await self._plain.aclose()
        if self._closes:
            # It waits for threads, and for the disk.
            await asyncio.to_thread(self._streetai.interceptor.close)


def remembering(client: Client, binding: Binding) -> MemoryClient:
    """A client with a memory that shares all else with `client`; of a class derived from its class, too."""
    return _client_class(type(client))(client, binding)


def _client_class(base: type[Client]) -> type[MemoryClient]:
    return MemoryClient if issubclass(MemoryClient, base) else type(base.__name__, (MemoryClient, base), {})
