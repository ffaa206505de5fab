"""What happens round every call of a model, whichever provider's: recall before it, storing and learning after it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from streetai_core.adapters.codec import Codec, Reply
from streetai_core.adapters.exchanges import take_apart
from streetai_core.adapters.recalling import recall
from streetai_core.adapters.recording import has_called, record
from streetai_core.adapters.sessions import Memories, Session
from streetai_core.adapters.turns import MemoryTurn, OpenTurns, Responses, Turn
from streetai_core.aio import sure_twin, twin
from streetai_core.errors import InputError
from streetai_core.failures import OnError, fail_open, report
from streetai_core.forking import fork_safe_lock
from streetai_core.later import Later
from streetai_core.workers import for_writing

_NOT_RECALLED = "nothing is recalled for this turn"
_NOT_READ = "the reply cannot be read and is not stored"
_NOT_STORED = "this turn is not stored"
_NOT_LEARNED = "nothing is learned from this turn"
_NO_THREAD = "a stream that is dropped is stored only when its client is closed"


Heard = Callable[[], Reply | None]
"""Reads what came back, when it is wanted; `None`: nothing, because the call failed."""


def nothing() -> None:
    """What came back from a call that failed."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A call that is about to be made."""

    body: Mapping[str, Any]
    """The body to send: the caller's own object, or a copy of it with what the memory adds."""
    turn: Turn | None
    """What `end` has to be given; `None`: the call is no business of the memory's."""


class Interceptor:
    """Begins and ends the calls of one client.

    No method raises because the memory fails: that is logged and given to `on_error`. Each has an async twin that
    leaves the event loop free.

    Args:
        memories: where turns are stored.
        token_budget: most tokens of the texts of a request; `None`: no limit but those of the settings.
        on_error: told of every failure of the memory.

    Raises:
        InputError: an argument cannot be used.
    """

    def __init__(self, memories: Memories, *, token_budget: int | None = None, on_error: OnError | None = None) -> None:
        if token_budget is not None and (
            isinstance(token_budget, bool) or not isinstance(token_budget, int) or token_budget < 1
        ):
            raise InputError(f"token_budget must be None or a whole number from 1, got {token_budget!r}")
        if on_error is not None and not callable(on_error):
            raise InputError(f"on_error must be None or a function of an error, got {type(on_error).__name__}")
        self.memories = memories
        self._token_budget = token_budget
        self._on_error = on_error
        self._open = OpenTurns()
        self._responses = Responses()
        self._streams: dict[int, tuple[Codec, Turn, Heard]] = {}
        self._later = Later()
        self._lock = fork_safe_lock()

    @property
    def executor(self) -> Executor:
        """Where the async twins run."""
        return self.memories.executor

    def begin(self, codec: Codec, body: Mapping[str, Any], session: Session) -> Begun:
        """Recall for a request, once for each message of the user's.

        Args:
            codec: reads and writes the body.
            body: of the request, as JSON values; it is not changed.
            session: whose memory.
        """
        turn: Turn | None = None
        with fail_open(_NOT_RECALLED, self._on_error):
            turn = self._opened(codec, body, session)
        if turn is None:
            return Begun(body, None)
        with fail_open(_NO_THREAD, self._on_error):
            self._later.start()
        sent = body
        with fail_open(_NOT_RECALLED, self._on_error):
            if turn.prompt is None:
                recall(
                    turn,
                    self.memories.get(session.memory_id),
                    token_budget=self._token_budget,
                    counter=self.memories.registry.token_counter,
                )
        with fail_open(_NOT_RECALLED, self._on_error):
            if turn.context is not None:
                sent = codec.with_context(body, turn.context)
        return Begun(sent, turn)

    async def abegin(self, codec: Codec, body: Mapping[str, Any], session: Session) -> Begun:
        """Async twin of `begin`; if it is cancelled, what the user said is stored, as it is a moment later."""
        try:
            return await self._abegin(codec, body, session)
        except asyncio.CancelledError:
            with fail_open(_NOT_STORED, self._on_error):
                await self._agive_up(codec, body, session)
            raise
        except Exception as error:  # noqa: BLE001 - no thread: the registry is closed
            report(error, _NOT_RECALLED, self._on_error)
            return Begun(body, None)

    def _give_up(self, codec: Codec, body: Mapping[str, Any], session: Session) -> None:
        """Store what the user says in a request that is not made."""
        turn = self._opened(codec, body, session)
        if turn is not None:
            self.end(codec, turn, nothing)

    def end(self, codec: Codec, turn: Turn, heard: Heard) -> None:
        """Store what was said, and learn from a reply that is complete and waits for no tools. Once for each request.

        Args:
            codec: the one that `begin` was given.
            turn: what `begin` returned.
            heard: reads what came back.
        """
        with self._lock:
            if turn.finished:
                return
            turn.finished = True
        self._streams.pop(id(turn), None)
        reply: Reply | None = None
        with fail_open(_NOT_READ, self._on_error):
            reply = heard()
            if reply is not None and reply.complete and reply.tool_calls:
                reply = replace(reply, is_call=turn.request.wants_call)
        with fail_open(_NOT_STORED, self._on_error):
            memory = turn.memory or self.memories.get(turn.session.memory_id)
            failure = record(turn, reply, memory, codec.provider, goes_on=codec.goes_on)
            if failure is not None:
                report(failure, _NOT_LEARNED, self._on_error)
        if reply is not None:
            turn.response_id = reply.response_id
            self._responses.put_id(turn)
            if reply.waits:
                self._open.put(turn, reply)
                return
            if reply.complete:
                self._open.done(turn)
        # The turn is remembered, and its response may be kept by the app: the handle is nobody's any more.
        turn.memory = None

    async def aend(self, codec: Codec, turn: Turn, heard: Heard) -> None:
        """Async twin of `end`; what it stores is stored also if the wait for it is cancelled."""
        with fail_open(_NOT_STORED, self._on_error):
            # A twin that is cancelled before a thread is free for it does nothing at all; a cut stream often is.
            job = partial(copy_context().run, self.end, codec, turn, heard)
            await asyncio.shield(asyncio.wrap_future(for_writing(self.executor).submit(job)))

    def end_later(self, codec: Codec, turn: Turn, heard: Heard) -> None:
        """`end` on another thread, without waiting and without a lock: for a stream that a finalizer closes."""
        self._later.hand(partial(self.end, codec, turn, heard))

    def streams(self, codec: Codec, turn: Turn, heard: Heard) -> None:
        """The response of a turn comes in pieces, and `close` ends it, if nobody did; arguments as for `end`."""
        self._streams[id(turn)] = (codec, turn, heard)

    def close(self) -> None:
        """Store what was said in streams that nobody ended, and close the database, if it was opened for the client."""
        for codec, turn, heard in list(self._streams.values()):
            self.end(codec, turn, heard)
        self._later.finish()
        self.memories.close()

    def answered(self, response: object, turn: Turn) -> None:
        """An object that the app is given is the response of a turn."""
        self._responses.put(response, turn)

    def turn_of(self, response: object) -> MemoryTurn | None:
        """What the memory did for a response; `None` if it has nothing to do with it."""
        turn = self._responses.find(response)
        return None if turn is None else turn.told()

    def _opened(self, codec: Codec, body: Mapping[str, Any], session: Session) -> Turn | None:
        """The turn of a request; `None` if there is nothing of the user's in it."""
        request = codec.read_request(body)
        parts = take_apart(request.said)
        if not request.counts or not (parts.asked or parts.results):
            return None
        before = self._open.find(session, parts) if parts.results else None
        turn = Turn(session=session, request=request, parts=parts)
        if before is not None:
            turn.turn_id, turn.memory, turn.prompt = before.turn_id, before.memory, before.prompt
            if parts.position is not None and before.context is not None and request.continues is None:
                same = before.parts.position == parts.position
                left_out = before.context.left_out if same else frozenset()
                turn.context = replace(before.context, question=parts.position, left_out=left_out)
        return turn if parts.asked or before is not None else self._resumed(turn)

    def _resumed(self, turn: Turn) -> Turn | None:
        """A turn without a message of the user's in it goes on with one that is stored, or is none."""
        return turn if has_called(turn, self.memories.get(turn.session.memory_id)) else None

    _abegin = twin(begin)
    _agive_up = sure_twin(_give_up)
