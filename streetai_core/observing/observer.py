"""The contract of an observer: told of what memories do, and never in their way."""

from __future__ import annotations

import functools
import inspect
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Concatenate, Literal, ParamSpec, Protocol, TypeVar

from streetai_core.errors import InputError

logger = logging.getLogger(__name__)

Kind = Literal["write", "recall", "learn", "forget"]
"""What an operation does to a memory; observers have a method for each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One call of a verb, after its end."""

    memory_id: str
    kind: Kind
    """What the verb does first; one that stores a turn and learns from it is told of as "write" and as "learn"."""
    verb: str
    """Name of the method, without the "a" of its async twin."""
    started_ns: int
    """Nanoseconds since 1970, in UTC."""
    seconds: float
    """How long it took."""
    counts: Mapping[str, int]
    """How much it was: "messages" stored, deleted, hidden or undone, "hits" recalled, "signals" learned from or set
    back, "rules" taken back, or rows erased, by table."""
    result: object = field(default=None, repr=False)
    """What the verb returned; has what was said. Not to be changed."""
    arguments: Mapping[str, object] = field(default_factory=dict, repr=False)
    """What the verb was given, by name; has what was said. Not to be changed."""
    error: BaseException | None = None
    """What the verb raised; then there is no result."""


class MemoryObserver:
    """Override what you want to be told of. Called on the thread of the operation, when it has ended.

    An observer that raises is logged, and the operation goes on as if it had not.
    """

    def on_write(self, operation: Operation) -> None:
        """Messages were stored, changed, deleted, hidden, shown again or undone; or all were reset or embedded anew."""

    def on_recall(self, operation: Operation) -> None:
        """Something was recalled, or a prompt was built."""

    def on_learn(self, operation: Operation) -> None:
        """A reply was learned from."""

    def on_forget(self, operation: Operation) -> None:
        """Something was erased; the result is the `Receipt`."""

    def on_error(self, operation: Operation) -> None:
        """A verb raised; `operation.error` says what. The others are not told then."""


class Observed(Protocol):
    """Whatever has verbs to observe."""

    @property
    def memory_id(self) -> str:
        """Whose verbs they are."""

    @property
    def observers(self) -> Sequence[MemoryObserver]:
        """Who is told."""


P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S", bound=Observed)

Count = Callable[[Any], Mapping[str, int]]
"""From the result of a verb to how much it was."""


def observed(count: Count, *kinds: Kind) -> Callable[[Callable[Concatenate[S, P], R]], Callable[Concatenate[S, P], R]]:
    """Makes a verb tell the observers of its memory; without any it costs nothing.

    Args:
        count: says of the result how much it was.
        kinds: which methods of theirs are called, one after the other.
    """

    def decorate(verb: Callable[Concatenate[S, P], R]) -> Callable[Concatenate[S, P], R]:
        names = list(inspect.signature(verb).parameters)[1:]

        @functools.wraps(verb)
        def run(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
            if not self.observers:
                return verb(self, *args, **kwargs)
            started, clock = time.time_ns(), time.perf_counter()

            def ended(counts: Mapping[str, int], result: object, error: BaseException | None) -> None:
                _tell(
                    self.observers,
                    kinds,
                    Operation(
                        memory_id=self.memory_id,
                        kind=kinds[0],
                        verb=verb.__name__,
                        started_ns=started,
                        seconds=time.perf_counter() - clock,
                        counts=counts,
                        result=result,
                        arguments={**dict(zip(names, args, strict=False)), **kwargs},
                        error=error,
                    ),
                )

            try:
                result = verb(self, *args, **kwargs)
            except BaseException as error:
                ended({}, None, error)
                raise
            ended(count(result), result, None)
            return result

        return run

    return decorate


def check_observers(observers: object) -> tuple[MemoryObserver, ...]:
    """The observers as a tuple.

    Raises:
        InputError: there is something else among them, a class for instance.
    """
    if not isinstance(observers, Iterable):
        raise InputError(f"observers must be a list of MemoryObserver objects, got {type(observers).__name__}")
    given = tuple(observers)
    for one in given:
        if not isinstance(one, MemoryObserver):
            raise InputError(f"observers must be objects of subclasses of MemoryObserver, got {one!r}")
    return given


def _tell(observers: Sequence[MemoryObserver], kinds: Sequence[Kind], operation: Operation) -> None:
    """Tell all of them, whatever one of them does."""
    methods = [f"on_{kind}" for kind in kinds] if operation.error is None else ["on_error"]
    for observer, method in product(observers, methods):
        try:
            getattr(observer, method)(operation)
        except Exception:  # noqa: PERF203 - each observer by itself may fail
            logger.exception("the observer %s failed in %s", type(observer).__name__, method)
