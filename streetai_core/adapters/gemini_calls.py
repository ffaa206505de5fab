"""One call of the app's, and the requests that the SDK makes for it.

The SDK asks several times where it runs functions by itself, or a reply goes on in another request. Each of them passes
here as JSON, between the SDK's resources and its HTTP client. So whatever the SDK keeps of a conversation, such as the
history of a chat, never has what the memory adds.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

from streetai_core.adapters.codec import Codec, Reply
from streetai_core.adapters.events import json_of
from streetai_core.adapters.gemini_codec import UNFINISHED, GeminiContents, finish_reason
from streetai_core.adapters.interceptor import Interceptor
from streetai_core.adapters.sessions import Session
from streetai_core.adapters.turns import Turn
from streetai_core.later import must_not_wait

_CODEC: Codec = GeminiContents()

_CHATS = (":generateContent", ":streamGenerateContent")
"""What the path of a chat call ends with, before its query."""

_GOES_ON = "continuationToken"
"""In the body of a request for more of a reply that has begun."""


class Call:
    """The requests of one call, of which one is under way at a time.

    Args:
        interceptor: asked before each of them, told after it.
        session: whose memory.
    """

    def __init__(self, interceptor: Interceptor, session: Session) -> None:
        self.turn: Turn | None = None
        """Of the newest request; `None`: there is none, or nothing in it is for the memory."""
        self._open: Turn | None = None
        """The same, until it has been told that nothing more comes."""
        self._interceptor = interceptor
        self._session = session
        self._bodies: list[str] = []
        self._whole = False

    def begin(self, body: dict[str, Any]) -> dict[str, Any]:
        """What to send in place of `body`."""
        if _goes_on(self._open, body):
            return _with_context(self._open, body)
        self.end()
        self._bodies = []
        begun = self._interceptor.begin(_CODEC, body, self._session)
        self.turn = self._open = begun.turn
        return body if begun.body is body else dict(begun.body)

    async def abegin(self, body: dict[str, Any]) -> dict[str, Any]:
        """Async twin of `begin`."""
        if _goes_on(self._open, body):
            return _with_context(self._open, body)
        await self.aend()
        self._bodies = []
        begun = await self._interceptor.abegin(_CODEC, body, self._session)
        self.turn = self._open = begun.turn
        return body if begun.body is body else dict(begun.body)

    def heard(self, response: Any, *, whole: bool = False) -> None:
        """A response, or a piece of one, has come. It is read when all has come, so as not to hold it up."""
        self._bodies.append(getattr(response, "body", None) or "")
        self._whole = whole

    def is_over(self) -> bool:
        """A response has come to its end; whether the reply has too."""
        last = next((body for body in reversed(self._bodies) if UNFINISHED in body), None)
        piece = None if last is None else json_of(last)
        return not isinstance(piece, Mapping) or finish_reason([piece]) != UNFINISHED

    def end(self) -> None:
        """Nothing more will come of the newest request. Saying so again does nothing."""
        if (turn := self._ending()) is not None:
            self._interceptor.end(_CODEC, turn, self._reply)

    async def aend(self) -> None:
        """Async twin of `end`."""
        if (turn := self._ending()) is not None:
            await self._interceptor.aend(_CODEC, turn, self._reply)

    def end_later(self) -> None:
        """Like `end`, for a finalizer, which must neither wait nor take a lock."""
        if (turn := self._ending()) is not None:
            self._interceptor.end_later(_CODEC, turn, self._reply)

    def close(self) -> None:
        """The app wants no more of a stream, or whoever had it has been forgotten."""
        if must_not_wait():
            self.end_later()
        else:
            self.end()

    async def aclose(self) -> None:
        """Async twin of `close`."""
        if must_not_wait():
            self.end_later()
        else:
            await self.aend()

    def streams(self) -> None:
        """The newest request is answered in pieces."""
        if self._open is not None:
            self._interceptor.streams(_CODEC, self._open, self._reply)

    def answered(self, *responses: object) -> None:
        """The app has these of a response: the response itself, or its stream and a piece of it."""
        if self.turn is not None:
            for response in responses:
                self._interceptor.answered(response, self.turn)

    def _ending(self) -> Turn | None:
        """The turn that ends now; `None` if there is none, or it has ended."""
        turn, self._open = self._open, None
        return turn

    def _reply(self) -> Reply | None:
        """What came; `None`: nothing."""
        pieces = [piece for body in self._bodies if isinstance(piece := json_of(body), Mapping)]
        if self._whole and len(pieces) == 1:
            return _CODEC.read_reply(pieces[0])
        return _CODEC.read_events(pieces) if pieces else None


class CallTransport:
    """The SDK's HTTP client, with the memory round the requests of one call. All else is the HTTP client's.

    Args:
        inner: the SDK's.
        call: the call.
    """

    def __init__(self, inner: Any, call: Call) -> None:
        self._inner = inner
        self._call = call

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def request(self, http_method: str, path: str, request_dict: dict[str, Any], *more: Any, **options: Any) -> Any:
        """Make a request."""
        if not _is_chat(path):
            return self._inner.request(http_method, path, request_dict, *more, **options)
        body = self._call.begin(request_dict)
        try:
            response = self._inner.request(http_method, path, body, *more, **options)
        except BaseException:
            self._call.end()
            raise
        self._call.heard(response, whole=True)
        if self._call.is_over():
            self._call.end()
        return response

    def request_streamed(
        self, http_method: str, path: str, request_dict: dict[str, Any], *more: Any, **options: Any
    ) -> Iterator[Any]:
        """Make a request whose response comes in pieces."""
        if not _is_chat(path):
            yield from self._inner.request_streamed(http_method, path, request_dict, *more, **options)
            return
        body = self._call.begin(request_dict)
        self._call.streams()
        try:
            for response in self._inner.request_streamed(http_method, path, body, *more, **options):
                self._call.heard(response)
                yield response
        except GeneratorExit:
            raise  # whoever has the stream of the app's knows whether it was closed or forgotten
        except BaseException:
            self._call.end()
            raise
        if self._call.is_over():
            self._call.end()

    async def async_request(
        self, http_method: str, path: str, request_dict: dict[str, Any], *more: Any, **options: Any
    ) -> Any:
        """Make a request."""
        if not _is_chat(path):
            return await self._inner.async_request(http_method, path, request_dict, *more, **options)
        body = await self._call.abegin(request_dict)
        try:
            response = await self._inner.async_request(http_method, path, body, *more, **options)
        except BaseException:
            await self._call.aend()
            raise
        self._call.heard(response, whole=True)
        if self._call.is_over():
            await self._call.aend()
        return response

    async def async_request_streamed(
        self, http_method: str, path: str, request_dict: dict[str, Any], *more: Any, **options: Any
    ) -> Any:
        """Make a request whose response comes in pieces."""
        if not _is_chat(path):
            return await self._inner.async_request_streamed(http_method, path, request_dict, *more, **options)
        body = await self._call.abegin(request_dict)
        self._call.streams()
        try:
            responses = await self._inner.async_request_streamed(http_method, path, body, *more, **options)
        except BaseException:
            await self._call.aend()
            raise
        return self._heard(responses)

    async def _heard(self, responses: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """The pieces of a response on their way."""
        try:
            async for response in responses:
                self._call.heard(response)
                yield response
        except GeneratorExit:
            raise  # as above
        except BaseException:
            await self._call.aend()
            raise
        if self._call.is_over():
            await self._call.aend()


def _is_chat(path: str) -> bool:
    return path.partition("?")[0].endswith(_CHATS)


def _goes_on(turn: Turn | None, body: Mapping[str, Any]) -> bool:
    """Whether a request is for more of the reply to the one before it."""
    return turn is not None and _GOES_ON in body


def _with_context(turn: Turn | None, body: dict[str, Any]) -> dict[str, Any]:
    """The body with what the memory has added to the one before it, which the provider knows."""
    if turn is None or turn.context is None:
        return body
    return _CODEC.with_context(body, turn.context)
