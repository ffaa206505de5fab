"""The turns of a client: what is known of each, and which response belongs to which."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4
from weakref import ref

from streetai_core.adapters.codec import Context, Reply, Request
from streetai_core.adapters.exchanges import Parts
from streetai_core.adapters.sessions import Session
from streetai_core.forking import fork_safe_lock
from streetai_core.memory import Memory
from streetai_core.types import Prompt, WeightUpdate

_MOST = 256
"""Most turns that wait for results of tools, and most ids of replies, that are remembered; each may hold a long
request. A turn that is forgotten here is found again by what is stored, and a response by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryTurn:
    """What the memory did for one response."""

    memory_id: str
    conversation_id: str | None
    turn_id: str
    """The same for all requests of one turn: of a message of the user's and the tools that were called for it."""
    user_message_id: str | None
    """The id of the stored message of the user's, for `update_message` and `delete_message`. `None`: none is stored."""
    assistant_message_id: str | None
    """The id of the stored message of this response. `None`: none is stored, as before the end of a stream."""
    message_ids: tuple[str, ...]
    """The ids of all messages that were stored with this response, oldest first."""
    prompt: Prompt | None
    """What was recalled, with its `inspector`; `None` if nothing could be."""
    finished: bool
    """Whether the response has come to its end, one way or the other."""
    partial: bool
    """Whether it was cut."""
    updates: tuple[WeightUpdate, ...]
    """What was learned from it."""


@dataclass(slots=True, kw_only=True)
class Turn:
    """One request and its response."""

    session: Session
    request: Request
    parts: Parts
    turn_id: str = field(default_factory=lambda: uuid4().hex)
    memory: Memory | None = None
    """The handle that was asked; `None` if none was, or the turn is over. A turn that has begun in a memory is not
    stored in the one that is begun anew after an erasure."""
    prompt: Prompt | None = None
    context: Context | None = None
    """What was added to the request."""
    response_id: str | None = None
    user_message_id: str | None = None
    assistant_message_id: str | None = None
    message_ids: tuple[str, ...] = ()
    finished: bool = False
    partial: bool = False
    updates: tuple[WeightUpdate, ...] = ()

    def told(self) -> MemoryTurn:
        """What the app is told of it."""
        return MemoryTurn(
            memory_id=self.session.memory_id,
            conversation_id=self.session.conversation_id,
            turn_id=self.turn_id,
            user_message_id=self.user_message_id,
            assistant_message_id=self.assistant_message_id,
            message_ids=self.message_ids,
            prompt=self.prompt,
            finished=self.finished,
            partial=self.partial,
            updates=self.updates,
        )


class OpenTurns:
    """Turns whose tools are at work, by the calls whose results they wait for. Safe to use from several threads."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._lock = fork_safe_lock()
        self._turns: OrderedDict[tuple[Session, str], Turn] = OrderedDict()

    def __len__(self) -> int:
        return len(self._turns)

    def put(self, turn: Turn, reply: Reply) -> None:
        """A response has called tools."""
        with self._lock:
            for call in reply.tool_calls:
                self._turns[turn.session, call.call_id] = turn
                self._turns.move_to_end((turn.session, call.call_id))
            while len(self._turns) > self._most:
                self._turns.popitem(last=False)

    def find(self, session: Session, parts: Parts) -> Turn | None:
        """The turn that a request goes on with. One that says something else of the user's goes on with none."""
        with self._lock:
            found = next((self._turns.get((session, one)) for one in reversed(parts.results)), None)
        if found is None or (parts.asked and found.parts.question != parts.question):
            return None
        return found

    def done(self, turn: Turn) -> None:
        """A turn has had its reply."""
        with self._lock:
            for key in [key for key, one in self._turns.items() if one.turn_id == turn.turn_id]:
                self._turns.pop(key).memory = None


class Responses:
    """Which response belongs to which turn. Keeps no response alive. Safe to use from several threads."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._lock = fork_safe_lock()
        self._by_object: dict[int, tuple[ref[Any], Turn]] = {}
        self._by_id: OrderedDict[str, Turn | None] = OrderedDict()

    def put(self, response: object, turn: Turn) -> None:
        """This very object is the response of a turn."""
        key = id(response)

        def forget(gone: ref[Any]) -> None:
            # Runs wherever an object dies, also in a thread that holds the lock, so it takes none.
            known = self._by_object.get(key)
            if known is not None and known[0] is gone:
                self._by_object.pop(key, None)

        try:
            self._by_object[key] = (ref(response, forget), turn)
        except TypeError:
            return  # cannot be referred to weakly; its id may be known

    def put_id(self, turn: Turn) -> None:
        """The provider has named the response of a turn. A name that two turns have names none."""
        name = turn.response_id
        if not name:
            return
        with self._lock:
            known = self._by_id.get(name, turn)
            self._by_id[name] = turn if known is turn else None
            self._by_id.move_to_end(name)
            while len(self._by_id) > self._most:
                self._by_id.popitem(last=False)

    def find(self, response: object) -> Turn | None:
        """The turn of a response, of its stream, of its raw form, or of what was parsed from one of these."""
        for one in (response, *(getattr(response, name, None) for name in ("http_response", "response", "_response"))):
            known = self._by_object.get(id(one))
            if one is not None and known is not None and known[0]() is one:
                return known[1]
        name = getattr(response, "id", None) or getattr(response, "response_id", None)
        with self._lock:
            return self._by_id.get(name) if isinstance(name, str) else None
