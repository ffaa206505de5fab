"""Reads along while the app reads a response, without holding it up, and says when it has ended.

It stands between the HTTP client and the SDK, in place of the byte stream of a response. So it works for whatever the
SDK makes of the bytes (events, helpers, raw lines), and with `httpx` and its successors alike.
"""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any
from weakref import finalize

from streetai_core.adapters.amazon_events import AmazonEvents
from streetai_core.adapters.events import Events, ServerSentEvents
from streetai_core.later import must_not_wait

_EVENTS: dict[str, type[Events]] = {
    "text/event-stream": ServerSentEvents,
    "application/vnd.amazon.eventstream": AmazonEvents,
}
"""By the type of a response."""


class ReadSoFar:
    """The bytes of a response that its reader was given; told once that there will be no more.

    Args:
        response: of `httpx` or its like.
        ended: told at the end, with all of it.
        later: the same, for an end that came from a finalizer: it must neither wait nor take a lock.
    """

    def __init__(self, response: Any, ended: Callable[[ReadSoFar], Any], later: Callable[[ReadSoFar], None]) -> None:
        headers = response.headers
        kind = headers.get("content-type", "").lower()
        self.events = next((events() for name, events in _EVENTS.items() if name in kind), None)
        """What the bytes are read as; `None`: no events."""
        self._encoding = headers.get("content-encoding", "identity")
        self._kind = type(response)
        self._pieces: list[bytes] = []
        # Popped by whoever ends it: of two threads, or a thread and the garbage collector, one alone succeeds.
        self._open = [True]
        self._ended = ended
        self._later = later

    @property
    def data(self) -> bytes:
        """What was read, decompressed."""
        data = b"".join(self._pieces)
        if self._encoding == "identity":
            return data
        return bytes(self._kind(200, headers={"content-encoding": self._encoding}, content=data).content)

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """A chunk on its way to the reader, event by event: what was not asked for any more has not been read."""
        for piece in self.events.cut(chunk) if self.events and self._encoding == "identity" else (chunk,):
            self._pieces.append(piece)
            yield piece

    def end(self) -> Any:
        """There will be no more. Returns what `ended` does, the first time."""
        if not self._closes():
            return None
        if must_not_wait():
            self._later(self)
            return None
        return self._ended(self)

    def abandon(self) -> None:
        """Nobody has it any more."""
        if self._closes():
            self._later(self)

    def _closes(self) -> bool:
        try:
            return self._open.pop()
        except IndexError:
            return False


def read_along(response: Any, ended: Callable[[ReadSoFar], None], later: Callable[[ReadSoFar], None]) -> ReadSoFar:
    """Read along with whoever reads a response that has not been read yet."""
    read = ReadSoFar(response, ended, later)
    response.stream = _tee(response.stream, "SyncByteStream", _SyncTee)(response.stream, read)
    return read


def aread_along(
    response: Any, ended: Callable[[ReadSoFar], Awaitable[None]], later: Callable[[ReadSoFar], None]
) -> ReadSoFar:
    """Like `read_along`, for a response of an async client."""
    read = ReadSoFar(response, ended, later)
    response.stream = _tee(response.stream, "AsyncByteStream", _AsyncTee)(response.stream, read)
    return read


class _Tee:
    """In place of a byte stream; what else the stream can do, it still can."""

    def __init__(self, inner: Any, read: ReadSoFar) -> None:
        self._inner = inner
        self._read = read
        finalize(self, read.abandon)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _SyncTee(_Tee):
    def __iter__(self) -> Iterator[bytes]:
        try:
            for chunk in self._inner:
                yield from self._read.pieces(chunk)
        except Exception:
            # Nobody has to close a stream that broke, and older SDKs do not.
            self._read.end()
            raise

    def close(self) -> None:
        try:
            self._inner.close()
        finally:
            self._read.end()


class _AsyncTee(_Tee):
    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._inner:
                for piece in self._read.pieces(chunk):
                    yield piece
        except (Exception, CancelledError):
            await self._end()
            raise

    async def aclose(self) -> None:
        try:
            await self._inner.aclose()
        finally:
            await self._end()

    async def _end(self) -> None:
        ending = self._read.end()
        if ending is not None:
            await ending


def _tee(stream: Any, contract: str, tee: type[_Tee]) -> type[_Tee]:
    """The tee as a stream of the HTTP library that `stream` is of, which looks at its class."""
    base = next((kind for kind in type(stream).__mro__ if kind.__name__ == contract), None)
    return tee if base is None else type(tee.__name__, (tee, base), {})
