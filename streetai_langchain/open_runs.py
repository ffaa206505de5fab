"""The runs of chains that have begun and not ended, and what was retrieved and answered in each. No I/O."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from uuid import UUID
from weakref import WeakValueDictionary

from streetai_core.forking import fork_safe_lock, renew_in_child
from streetai_core.handles import Handle
from streetai_core.stores.base import Store
from streetai_core.stores.sqlite import SqliteStore

_MOST = 4096
"""Most root runs that are kept: of a stream that nobody reads to its end, no end is ever told."""


@dataclass(frozen=True, slots=True)
class Learnable:
    """What a root run can teach: which signals its reply was made with."""

    recalled: dict[str, list[str]]
    """Ids of signals by the id of their memory, in the order they were retrieved, each once."""
    reply: str


@dataclass(slots=True)
class _Root:
    """What is known of a tree of runs."""

    run_id: UUID
    open: set[UUID] = field(default_factory=set)
    """The runs below the root that have not ended."""
    retrieved: list[tuple[str, str]] = field(default_factory=list)
    """Memory and signal of each document."""
    reply: str = ""
    known: int = 0
    """How many of the documents were there when the model was asked for the reply."""
    left: bool = False
    """Whether a view learns from it by itself."""


@dataclass(frozen=True, slots=True)
class _Run:
    """A run that has not ended."""

    root: _Root
    known: int
    """How many documents its tree had when it began."""
    retrieves: bool
    in_retriever: bool
    """Whether it is a step of a retriever: then neither its documents nor its text go to the user's model."""
    is_structured: bool = False
    """Whether a model is asked for a structured answer, which it may give by a call that nothing follows on."""


class OpenRuns(Handle):
    """Joins what happens in the runs of one tree; safe to tell from many threads at once, and twice.

    A run whose parent is unknown is a root. Roots in which nothing begins any more are dropped when there are too many.

    The garbage collector may end a stream at any moment, also in a thread that is in the middle of a method here. So at
    each step any run, and any root, may be gone.

    Args:
        most: how many roots are kept.
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._lock = fork_safe_lock()
        self._roots: OrderedDict[UUID, _Root] = OrderedDict()
        self._runs: dict[UUID, _Run] = {}
        renew_in_child(self, OpenRuns._begin_anew, if_held=self._lock)

    def _begin_anew(self) -> None:
        """In a forked child: no runs, as they may be half noted, and those of the parent's threads never end there."""
        self._roots, self._runs = OrderedDict(), {}

    def __len__(self) -> int:
        return len(self._runs)

    def started(
        self, run_id: UUID, parent_id: UUID | None, *, retrieves: bool = False, is_structured: bool = False
    ) -> None:
        """A run has begun."""
        with self._lock:
            if run_id in self._runs:
                return
            parent = None if parent_id is None else self._runs.get(parent_id)
            if parent is None:
                root = self._roots[run_id] = _Root(run_id)
                self._runs[run_id] = _Run(root, known=0, retrieves=retrieves, in_retriever=False)
                self._drop_abandoned()
                return
            root = parent.root
            with suppress(KeyError):
                self._roots.move_to_end(root.run_id)
            root.open.add(run_id)
            inside = parent.retrieves or parent.in_retriever
            self._runs[run_id] = _Run(root, len(root.retrieved), retrieves, inside, is_structured)

    def retrieved(self, run_id: UUID, documents: Iterable[tuple[str, str]]) -> None:
        """A retriever has found documents: memory and signal of each."""
        with self._lock:
            run = self._runs.get(run_id)
            if run is not None and not run.in_retriever:
                run.root.retrieved.extend(documents)

    def answered(self, run_id: UUID, reply: str, *, by_call: bool = False) -> None:
        """A model has said something; the last one that was given documents counts.

        Args:
            run_id: of the model.
            reply: what it has said.
            by_call: whether it has called tools with it: then it counts only as a structured answer.
        """
        with self._lock:
            run = self._runs.get(run_id)
            if run is not None and run.known and not run.in_retriever and (run.is_structured or not by_call):
                run.root.reply, run.root.known = reply, run.known

    def left(self, run_id: UUID) -> None:
        """A view learns by itself from what happens in a run, so nobody else does."""
        with self._lock:
            run = self._runs.get(run_id)
            if run is not None:
                run.root.left = True

    def ended(self, run_id: UUID, *, failed: bool = False) -> Learnable | None:
        """A run has ended.

        Args:
            run_id: which; one that is not open is ignored.
            failed: whether with an error.

        Returns:
            What there is to learn, if it was a root. `None` if something below it still runs: then a stream was cut,
            and the last reply never came to its end.
        """
        with self._lock:
            run = self._runs.pop(run_id, None)
            if run is None:
                return None
            root = run.root
            if root.run_id != run_id:
                root.open.discard(run_id)
                return None
            self._roots.pop(run_id, None)
            self._forget_below(root)
        if failed or root.left or root.open or not root.known:
            return None
        recalled: dict[str, list[str]] = {}
        for memory_id, signal_id in dict.fromkeys(root.retrieved[: root.known]):
            recalled.setdefault(memory_id, []).append(signal_id)
        return Learnable(recalled, root.reply)

    def _drop_abandoned(self) -> None:
        while len(self._roots) > self._most:
            root_id, root = self._roots.popitem(last=False)
            self._runs.pop(root_id, None)
            self._forget_below(root)

    def _forget_below(self, root: _Root) -> None:
        for run_id in tuple(root.open):
            self._runs.pop(run_id, None)


_tables: WeakValueDictionary[str | int, OpenRuns] = WeakValueDictionary()
"""One table for each store of this process, for as long as somebody has it."""

_tables_lock = fork_safe_lock()


def runs_of(store: Store) -> OpenRuns:
    """The table of a store: whoever learns into one database shares it, so that each run is learned from once.

    All objects of this process that stand for one SQLite file are one store here. Any other is told by its identity,
    which is nobody else's while there is a table: whoever has one has the store too.
    """
    key = store.path if isinstance(store, SqliteStore) else id(store)
    with _tables_lock:
        return _tables.setdefault(key, OpenRuns())
