"""Gives a client of OpenAI's or Anthropic's SDK a memory.

Both SDKs are made by one generator: each call of theirs, whichever helper it was made through, ends in
`client.post(path, body=...)`, and each resource is made of a client. So the client gets a class of its own, derived
from the one it had, whose `post` asks the memory first, and whose chat resources know three arguments more. It is still
a client of the SDK, with all that it can do.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from streetai_core.adapters.clients import Binding, WithMemory
from streetai_core.adapters.codec import Codec
from streetai_core.adapters.interceptor import nothing
from streetai_core.adapters.sessions import Session, SessionDefaults
from streetai_core.adapters.stainless_responses import aattend, attend
from streetai_core.verbs.arguments import moment_of

_OURS = {
    "memory_id": "x-streetai-memory-id",
    "conversation_id": "x-streetai-conversation-id",
    "asked_at": "x-streetai-asked-at",
}
"""Arguments that the SDK does not know, and the headers in which they go through it. They are never sent."""

Resources = Mapping[str, Any]
"""By attribute of the client: a tuple of the methods of a resource that make chat calls, or a mapping like this one of
the resources in it."""


@dataclass(frozen=True, slots=True)
class StainlessBinding(Binding):
    """What makes a client of such an SDK one with a memory."""

    codecs: Mapping[str, Codec]
    """By the path of a chat call."""

    def of_call(self, path: object, body: object, options: Mapping[str, Any]) -> tuple[Codec | None, Session | None]:
        """What a call is; no codec: it is no chat call.

        Raises:
            InputError: it has no memory id, or one that cannot be used.
        """
        codec = self.codecs.get(path) if isinstance(path, str) and isinstance(body, Mapping) else None
        if codec is None:
            return None, None
        headers = options.get("headers") or {}
        given = {name: json.loads(headers[header]) for name, header in _OURS.items() if header in headers}
        if given.get("asked_at") is not None:
            given["asked_at"] = datetime.fromisoformat(given["asked_at"])
        return codec, self.defaults.session(**given)


class StainlessClient(WithMemory):
    """What synchronous and asynchronous clients have alike."""

    _streetai: StainlessBinding

    def copy(self, *, memory_id: Any = ..., conversation_id: Any = ..., asked_at: Any = ..., **options: Any) -> Any:
        """As the SDK's own; with `memory_id`, `conversation_id` or `asked_at`: a client for another one.

        Raises:
            InputError: an id, or the time, cannot be used.
        """
        changed = self._streetai.bound(memory_id, conversation_id, asked_at)
        made = super().copy(**options)  # type: ignore[misc]  # the SDK's client comes after this class
        made._streetai = changed  # noqa: SLF001 - our own attribute
        return made

    with_options = copy


class SyncWithMemory(StainlessClient):
    """A synchronous client with a memory."""

    def post(self, path: str, *, body: Any = None, options: Any = None, **more: Any) -> Any:
        """Make a request; a chat call with the memory round it."""
        binding, options = self._streetai, options or {}
        codec, session = binding.of_call(path, body, options)
        options = _without_ours(options)
        if codec is None or session is None:
            return super().post(path, body=body, options=options, **more)  # type: ignore[misc]  # as above
        begun = binding.interceptor.begin(codec, body, session)
        try:
            response = super().post(path, body=begun.body, options=options, **more)  # type: ignore[misc]  # as above
        except BaseException:
            if begun.turn is not None:
                binding.interceptor.end(codec, begun.turn, nothing)
            raise
        attend(binding.interceptor, codec, begun.turn, response)
        return response

    def get(self, path: str, *, options: Any = None, **more: Any) -> Any:
        """Make a request, such as one for a response that goes on."""
        return super().get(path, options=_without_ours(options or {}), **more)  # type: ignore[misc]  # as above

    def close(self) -> None:
        """Close the connections, and the database if this client opened it."""
        super().close()  # type: ignore[misc]  # as above
        self._streetai.interceptor.close()


class AsyncWithMemory(StainlessClient):
    """An asynchronous client with a memory."""

    async def post(self, path: str, *, body: Any = None, options: Any = None, **more: Any) -> Any:
        """Make a request; a chat call with the memory round it."""
        binding, options = self._streetai, options or {}
        codec, session = binding.of_call(path, body, options)
        options = _without_ours(options)
        if codec is None or session is None:
            return await super().post(path, body=body, options=options, **more)  # type: ignore[misc]  # as above
        begun = await binding.interceptor.abegin(codec, body, session)
        try:
            sent = begun.body
            response = await super().post(path, body=sent, options=options, **more)  # type: ignore[misc]  # as above
        except BaseException:
            if begun.turn is not None:
                await binding.interceptor.aend(codec, begun.turn, nothing)
            raise
        await aattend(binding.interceptor, codec, begun.turn, response)
        return response

    async def get(self, path: str, *, options: Any = None, **more: Any) -> Any:
        """Make a request, such as one for a response that goes on."""
        return await super().get(path, options=_without_ours(options or {}), **more)  # type: ignore[misc]  # as above

    async def close(self) -> None:
        """Close the connections, and the database if this client opened it."""
        await super().close()  # type: ignore[misc]  # as above
        # It waits for threads, and for the disk.
        await asyncio.to_thread(self._streetai.interceptor.close)


def remembering(client: Any, kind: Any, binding: Binding, codecs: Mapping[str, Codec], resources: Resources) -> Any:
    """A client with a memory, that shares all else with `client`, which stays as it is.

    Args:
        client: of the SDK.
        kind: `SyncWithMemory` or `AsyncWithMemory`, or a class derived from one.
        binding: what makes it one with a memory.
        codecs: by the path of a chat call.
        resources: where chat calls are made.
    """
    like: Any = type(client)
    # Resources that the client has made, at once or for later, would lead back to it.
    own = {name: value for name, value in vars(client).items() if not _is_cached(like, name) or _is_plain(value)}
    assigned = {name: own.pop(name) for name in resources if name in own}
    made: Any = object.__new__(_client_class(like, kind, _frozen(resources), frozenset(assigned)))
    made.__dict__.update(own, _streetai=StainlessBinding(binding.interceptor, binding.defaults, codecs))
    for name, resource in assigned.items():
        setattr(made, name, type(resource)(made))
    return made


@functools.cache
def _client_class(base: Any, kind: Any, chat: tuple[Any, ...], assigned: frozenset[str]) -> type:
    """The class of clients like `base`, with a memory; `kind` says of which sort.

    Args:
        base: the client's class.
        kind: the class that has `post`.
        chat: where chat calls are made.
        assigned: the resources that the constructor of a client assigns; others are made when they are asked for.
    """
    space: dict[str, Any] = {"__doc__": base.__doc__, "__module__": base.__module__}
    for name, inner in chat:
        if name in assigned:
            space[name] = _assigned(name, inner)
        elif hasattr(base, name):
            space[name] = _cached(_inner_of(base, name, inner), name)
    return type(f"{base.__name__}WithMemory", (kind, base), space)


def _assigned(name: str, chat: tuple[Any, ...]) -> property:
    """A resource that a client is given when it is made: ours takes its place, also in a copy of the client."""

    def assign(self: Any, resource: Any) -> None:
        vars(self)[name] = _remembering_resource(resource, chat)

    return property(lambda self: vars(self)[name], assign)


def _remembering_resource(resource: Any, chat: tuple[Any, ...]) -> Any:
    """A resource whose chat calls can name a memory."""
    like: Any = type(resource)
    made: Any = object.__new__(_resource_class(like, chat))
    made.__dict__.update(resource.__dict__)
    return made


@functools.cache
def _resource_class(base: Any, chat: tuple[Any, ...]) -> type:
    """The class of resources like `base` whose chat calls can name a memory."""
    space: dict[str, Any] = {"__doc__": base.__doc__, "__module__": base.__module__}
    for entry in chat:
        if isinstance(entry, str):
            if hasattr(base, entry):
                space[entry] = _naming(getattr(base, entry))
        elif hasattr(base, entry[0]):
            space[entry[0]] = _cached(_inner_of(base, *entry), entry[0])
    return type(base.__name__, (base,), space)


def _inner_of(base: type, name: str, chat: tuple[Any, ...]) -> Callable[[Any], Any]:
    """How something of the SDK makes one of its resources: as it did, and with ours in it."""
    made = inspect.getattr_static(base, name).func
    return lambda self: _remembering_resource(made(self), chat)


def _naming(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method of a resource that takes our arguments too, and is async where it was: others ask whether it is."""
    if inspect.iscoroutinefunction(method):

        @functools.wraps(method)
        async def acall(self: Any, *args: Any, **kwargs: Any) -> Any:
            return await method(self, *args, **_as_known(kwargs))

        return acall

    @functools.wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return method(self, *args, **_as_known(kwargs))

    return call


def _as_known(arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments as the SDK knows them: ours go into headers.

    Raises:
        InputError: one of ours cannot be used.
    """
    given = {name: arguments.pop(name) for name in _OURS if name in arguments}
    if not given:
        return arguments
    SessionDefaults().changed(**given)  # what is wrong must not get into the SDK
    if "asked_at" in given:
        moment = moment_of(given["asked_at"])
        given["asked_at"] = None if moment is None else moment.isoformat()
    # JSON, because the SDK may make bytes of a header, of `None` too.
    headers = {_OURS[name]: json.dumps(value) for name, value in given.items()}
    return {**arguments, "extra_headers": {**(arguments.get("extra_headers") or {}), **headers}}


def _cached(make: Callable[[Any], Any], name: str) -> functools.cached_property[Any]:
    cached = functools.cached_property(make)
    cached.__set_name__(object, name)
    return cached


def _is_cached(base: type, name: str) -> bool:
    return isinstance(inspect.getattr_static(base, name, None), functools.cached_property)


def _is_plain(value: object) -> bool:
    """Whether it is a setting, for which some clients have a place like that of a resource."""
    return value is None or isinstance(value, str | int | float)


def _frozen(chat: Any) -> tuple[Any, ...]:
    """The resources in a resource, or the methods of one, as a key."""
    return tuple((name, _frozen(inner)) for name, inner in chat.items()) if isinstance(chat, Mapping) else tuple(chat)


def _without_ours(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a call as the SDK knows them."""
    headers = options.get("headers")
    if not headers or not any(header in headers for header in _OURS.values()):
        return dict(options)
    kept = {name: value for name, value in headers.items() if name not in _OURS.values()}
    return {**options, "headers": kept}
