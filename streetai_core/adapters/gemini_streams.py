"""What a streamed call gives the app: the SDK's own pieces as they come, and an end that is never missed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Protocol
from weakref import finalize

from streetai_core.adapters.gemini_calls import Call

if TYPE_CHECKING:
    from google.genai.types import GenerateContentResponse

    Pieces = Iterator[GenerateContentResponse]
    AsyncPieces = AsyncIterator[GenerateContentResponse]
else:  # the SDK is loaded by the module that makes these
    Pieces, AsyncPieces = Iterator, AsyncIterator


class HasNewest(Protocol):
    """The models of a chat, which makes a call for each step of its tools."""

    newest: Call | None
    """The call that is under way."""


class CallStream(Pieces):
    """The pieces of a call.

    Args:
        pieces: the SDK's.
        call: is ended when they are at an end, or closed, or forgotten.
    """

    def __init__(self, pieces: Pieces, call: Call) -> None:
        self._pieces = pieces
        self._call = call
        finalize(self, call.end_later)

    def __next__(self) -> GenerateContentResponse:
        try:
            piece = next(self._pieces)
        except BaseException:
            self._call.answered(self)
            self._call.end()
            raise
        self._call.answered(self, piece)
        return piece

    def close(self) -> None:
        """No more is wanted."""
        try:
            _close(self._pieces)
        finally:
            self._call.close()


class AsyncCallStream(AsyncPieces):
    """The pieces of a call of an async client; arguments as for `CallStream`."""

    def __init__(self, pieces: AsyncPieces, call: Call) -> None:
        self._pieces = pieces
        self._call = call
        finalize(self, call.end_later)

    async def __anext__(self) -> GenerateContentResponse:
        try:
            piece = await self._pieces.__anext__()
        except BaseException:
            self._call.answered(self)
            await self._call.aend()
            raise
        self._call.answered(self, piece)
        return piece

    async def aclose(self) -> None:
        """No more is wanted."""
        try:
            await _aclose(self._pieces)
        finally:
            await self._call.aclose()


class ChatStream(Pieces):
    """The pieces that a chat gives, which come from a `CallStream` after another.

    Args:
        pieces: the chat's. It holds the stream of the call, which is forgotten with it.
        models: the chat's.
    """

    def __init__(self, pieces: Pieces, models: HasNewest) -> None:
        self._pieces = pieces
        self._models = models

    def __next__(self) -> GenerateContentResponse:
        try:
            return next(self._pieces)
        finally:
            self._note()

    def close(self) -> None:
        """No more is wanted."""
        call = self._models.newest
        if call is not None:
            call.close()
        _close(self._pieces)

    def _note(self) -> None:
        if self._models.newest is not None:
            self._models.newest.answered(self)


class AsyncChatStream(AsyncPieces):
    """The pieces that an async chat gives; arguments as for `ChatStream`."""

    def __init__(self, pieces: AsyncPieces, models: HasNewest) -> None:
        self._pieces = pieces
        self._models = models

    async def __anext__(self) -> GenerateContentResponse:
        try:
            return await self._pieces.__anext__()
        finally:
            if self._models.newest is not None:
                self._models.newest.answered(self)

    async def aclose(self) -> None:
        """No more is wanted."""
        call = self._models.newest
        if call is not None:
            await call.aclose()
        await _aclose(self._pieces)


def _close(pieces: Pieces) -> None:
    close = getattr(pieces, "close", None)
    if close is not None:
        close()


async def _aclose(pieces: AsyncPieces) -> None:
    close = getattr(pieces, "aclose", None)
    if close is not None:
        await close()
