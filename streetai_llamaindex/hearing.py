"""What was retrieved and what the model then said, joined place by place. No I/O.

A place is a tree of calls that belong together: a run of agents, a call of an engine, or one call of a model after a
retrieval. Both handlers, the one of the callbacks and the one of the instrumentation, tell their events to a `Hearing`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

from streetai_core.forking import fork_safe_lock
from streetai_llamaindex.answers import Answer
from streetai_llamaindex.retrieved import Retrieved

_MOST_PLACES = 1024
"""Places that are kept: of a stream that nobody reads, and of a retrieval without a model, no end is ever told."""
_MOST_CALLS = 4 * _MOST_PLACES
"""Calls of models that are kept, for the same reason; an agent makes several."""


@dataclass(frozen=True, slots=True, eq=False)
class Heard:
    """A reply, and the turns that it is the reply to."""

    turns: tuple[Retrieved, ...]
    reply: str


@dataclass(slots=True)
class _Place:
    """What is known of one place."""

    turns: dict[str, Retrieved] = field(default_factory=dict)
    """By the turn's id."""
    calls: set[str] = field(default_factory=set)
    """Calls of a model that began after something was retrieved, and have not ended."""
    completed: bool = False
    """Whether a model has completed a text, and not answered a chat, or has given an object."""
    reply: str = ""
    result: str = ""
    """What the engine has given back; the reply of a model that cannot chat."""
    over: bool = False
    """Whether what began the place has come to its end; a stream may still be read."""

    @property
    def heard(self) -> Heard | None:
        """What there is to learn, if there is nothing to wait for."""
        reply = self.reply or (self.result if self.completed else "")
        return Heard(tuple(self.turns.values()), reply) if self.over and not self.calls and reply else None


class Hearing:
    """Joins retrievals with replies; safe to tell from many threads at once, and twice.

    What ends a place returns what was heard in it, once; then the place is forgotten.

    The garbage collector may end a stream at any moment, also in a thread that is in the middle of a method here. So at
    each step any place may be gone.
    """

    def __init__(self) -> None:
        self._lock = fork_safe_lock()
        self._places: OrderedDict[str, _Place] = OrderedDict()
        self._calls: OrderedDict[str, str] = OrderedDict()

    def __contains__(self, key: object) -> bool:
        return key in self._places

    def retrieved(self, key: str, turns: Iterable[Retrieved]) -> None:
        """Something was retrieved, or a memory was read, for these turns."""
        with self._lock:
            for one in turns:
                self._places.setdefault(key, _Place()).turns[one.turn.turn_id] = one
            while len(self._places) > _MOST_PLACES:
                self._places.popitem(last=False)

    def called(self, key: str, call: str) -> None:
        """A chat model was asked; `call` names the call."""
        with self._lock:
            place = self._places.get(key)
            if place is not None:
                place.calls.add(call)
                self._calls[call] = key
                while len(self._calls) > _MOST_CALLS:
                    self._calls.popitem(last=False)

    def answered(self, call: str, reply: str) -> Heard | None:
        """A chat model has answered; `reply` is empty if it called tools or failed.

        An answer to a prompt that was made before anything was retrieved is none.
        """
        with self._lock:
            key = self._calls.pop(call, None)
            place = None if key is None else self._places.get(key)
            if key is None or place is None:
                return None
            place.calls.discard(call)
            place.reply = reply or place.reply
            return self._heard(key, place)

    def completed(self, key: str) -> None:
        """A model has completed a text: a question that is condensed, or the answer of a model that cannot chat."""
        with self._lock:
            place = self._places.get(key)
            if place is not None:
                place.completed = True

    def resulted(self, key: str, answer: Answer) -> None:
        """An engine has given back an answer as a whole."""
        with self._lock:
            place = self._places.get(key)
            if place is not None:
                place.result = answer.text or place.result
                place.completed |= answer.is_structured

    def ended(self, key: str) -> Heard | None:
        """What began the place has come to its end."""
        with self._lock:
            place = self._places.get(key)
            if place is None:
                return None
            place.over = True
            return self._heard(key, place)

    def failed(self, key: str) -> None:
        """What began the place has raised: nothing is learned from it."""
        with self._lock:
            self._places.pop(key, None)

    def _heard(self, key: str, place: _Place) -> Heard | None:
        """What there is to learn, if anything; then the place is forgotten."""
        heard = place.heard
        # Whoever takes the place out of the table learns.
        return heard if heard is not None and self._places.pop(key, None) is place else None
