"""Many memories in one database: one handle each, one encoder and one store for all."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any
from weakref import WeakValueDictionary

from streetai_core.aio import twin
from streetai_core.coherence import HotStates
from streetai_core.conductor import Surroundings
from streetai_core.config import Config
from streetai_core.encoders import as_encoder
from streetai_core.encoders.base import Encoder
from streetai_core.encoders.cache import CachedEncoder
from streetai_core.encoders.outage import Outage
from streetai_core.errors import ClosedError, InputError
from streetai_core.every_memory import health_of, reencode_each
from streetai_core.forking import fork_safe_lock
from streetai_core.handles import Handle
from streetai_core.later import Later
from streetai_core.memory import Memory
from streetai_core.observing.observer import MemoryObserver, check_observers
from streetai_core.open_memory import OpenMemory
from streetai_core.planning.preparing import Progress
from streetai_core.recall.processing import PostProcessor, check_processors
from streetai_core.stores.base import Store
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.stores.values import zoned
from streetai_core.text.clean import check_id
from streetai_core.tokens import EstimatedTokens, TokenCounter
from streetai_core.upkeep.backup import Backup, back_up
from streetai_core.upkeep.health import Health
from streetai_core.upkeep.receipts import Receipt
from streetai_core.verbs.resetting import Resetting
from streetai_core.workers import WorkerPool, pool_for, usable_processors

MAX_OPEN = 256
"""Memories in RAM: more than are in a conversation at the same time on one server; of 100 signals each, about 60 MB."""

_CLOSED = "the registry is closed; make a new MemoryRegistry on the same path"


def _now() -> datetime:
    return datetime.now(timezone.utc).astimezone()


def _store_of(path: object, **settings: Any) -> Store:
    """The store that was given, or the one in the file at a path.

    Args:
        path: a path or a store.
        settings: those of `SqliteStore`, by name; `None` leaves one as it is there.

    Raises:
        InputError: one of them cannot be used.
    """
    said = {name: value for name, value in settings.items() if value is not None}
    if isinstance(path, Store):
        if said:
            raise InputError(
                f"{' and '.join(said)} cannot be set for a Store that is made already; set it where the Store is made"
            )
        return path
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"path must be a file's path or a Store, got {type(path).__name__}")
    return SqliteStore(path, **said)


class MemoryRegistry(Handle):
    """Opens memories by id. A context manager; making it does no I/O.

    Args:
        path: the database file, made at the first write; or a `Store`.
        config: the settings of all memories.
        encoder: an `Encoder`, a LangChain `Embeddings` or a LlamaIndex `BaseEmbedding`; `None`: all-MiniLM-L6-v2.
        token_counter: how tokens are counted; `None`: a quarter of the characters.
        clock: the time of messages that come without one, and of questions; its zone says which day is today, and
            without one it is in UTC. `None`: now, in the zone of this machine.
        busy_timeout: seconds to wait for another writer; `None`: 30. A `Store` has its own.
        processors: post-processors that the hits of every memory pass, in this order, before they are cut.
        observers: who is told of what the verbs of every memory do.
        durability: "full": an acknowledged write survives power loss; "fast": a process crash only; `None`: "full". A
            `Store` has its own.
        max_open: how many memories stay in RAM, from 1, the least recently used going first. Their handles stay valid:
            what is asked for again is read again.

    Raises:
        InputError: an argument cannot be used.
        ConfigError: the path is a URL; there are only SQLite files so far, and a `Store` of your own.
    """

    INSTEAD = "Give the other process the path of the database, and make a MemoryRegistry there."

    def __init__(
        self,
        path: str | os.PathLike[str] | Store,
        *,
        config: Config | None = None,
        encoder: object = None,
        token_counter: TokenCounter | None = None,
        clock: Callable[[], datetime] | None = None,
        busy_timeout: float | None = None,
        durability: str | None = None,
        processors: Iterable[PostProcessor] = (),
        observers: Iterable[MemoryObserver] = (),
        max_open: int = MAX_OPEN,
    ) -> None:
        if config is not None and not isinstance(config, Config):
            raise InputError(f"config must be a Config, got {type(config).__name__}")
        if token_counter is not None and not isinstance(token_counter, TokenCounter):
            raise InputError("token_counter must have a method count(text) -> int")
        if clock is not None and not callable(clock):
            raise InputError(f"clock must be None or a function that gives a datetime, got {type(clock).__name__}")
        if isinstance(max_open, bool) or not isinstance(max_open, int) or max_open < 1:
            raise InputError(f"max_open must be a whole number from 1, got {max_open!r}")
        self.config = config or Config()
        self.store = _store_of(path, busy_timeout=busy_timeout, durability=durability)
        chosen = as_encoder(encoder)
        cached = chosen if isinstance(chosen, CachedEncoder) else CachedEncoder(chosen)
        self.encoder: Encoder = cached
        # One that is a collection, of what it has counted for instance, may be empty.
        self.token_counter: TokenCounter = EstimatedTokens() if token_counter is None else token_counter
        self._surroundings = Surroundings(
            store=self.store,
            encoder=self.encoder,
            outage=Outage(cached),
            config=self.config,
            counter=self.token_counter,
            clock=_now if clock is None else lambda: zoned(clock(), "the time that clock gives"),
            executor=lambda: self.executor,
            hot=HotStates(max_open),
            processors=check_processors(processors),
            observers=check_observers(observers),
        )
        self._memories: WeakValueDictionary[str, Memory] = WeakValueDictionary()
        """Every handle that somebody holds."""
        self._recent: OrderedDict[str, OpenMemory] = OrderedDict()
        """What the handles have that were asked for last, which nobody need hold; as many as there are states in RAM.

        Not the handles themselves: one that somebody holds is outdated when another process resets its memory, and who
        asks for one anew has seen nothing of what was there before."""
        self._max_open = max_open
        self.later = Later()
        """Does what finalizers hand over, which must take no lock of a memory's; `close` waits for it."""
        self._lock = fork_safe_lock()
        self._executor: WorkerPool | None = None
        self._closing = False
        """Whether no twin begins any more; those that have begun, or wait for a thread, may still use everything."""
        self._closed = False

    def __enter__(self) -> MemoryRegistry:  # noqa: PYI034 - Self needs Python 3.11, and nobody subclasses this
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    async def __aenter__(self) -> MemoryRegistry:  # noqa: PYI034 - as above
        return self

    async def __aexit__(self, *exception: object) -> None:
        import asyncio  # noqa: PLC0415 - as in `aio`

        # It waits for the disk and for the executor's threads, so it is on none of these; they may wait for the loop.
        await asyncio.to_thread(self.close)

    @property
    def executor(self) -> Executor:
        """Where async twins run; its threads start at the first use, in a forked child anew."""
        with self._lock:
            if self._closing:
                raise ClosedError(_CLOSED)
            if self._executor is None or not self._executor.is_of_this_process:
                encoder = self.encoder
                self._executor = pool_for(usable_processors(), local=encoder.is_local, joins=encoder.joins_calls)
            return self._executor

    def get(self, memory_id: str) -> Memory:
        """The memory of this id; the same object as long as somebody holds it, until it is reset. No I/O.

        Raises:
            InputError: the id is not 1 to 512 bytes of text, or has NUL or lone surrogates.
            ClosedError: the registry is closed.
        """
        memory_id = check_id(memory_id, "memory_id")
        with self._lock:
            self._check_open()
            memory = self._memories.get(memory_id)
            if memory is None or memory.stale:
                memory = Memory(memory_id, self._surroundings, self._recent.get(memory_id))
                self._memories[memory_id] = memory
            self._recent[memory_id] = memory._open  # noqa: SLF001 - nobody else has any use for it
            self._recent.move_to_end(memory_id)
            while len(self._recent) > self._max_open:
                self._recent.popitem(last=False)
            return memory

    def warm_up(self, *memory_ids: str) -> None:
        """Load the encoder's model, and read these memories, so that the first question need not wait for it.

        Args:
            memory_ids: which memories; one that was never written is no error.

        Raises:
            EncoderError: the model could not be loaded.
            InputError: an id cannot be used.
        """
        memories = [self.get(memory_id) for memory_id in memory_ids]
        self.encoder.encode(["warm up"], "query")
        for memory in memories:
            memory.stats()

    def reset(self, memory_id: str) -> None:
        """Delete everything under one id. Handles that others hold raise `StaleMemoryError` from now on.

        Raises:
            InputError: the id cannot be used.
            StoreError: the database failed; nothing was changed.
            ClosedError: the registry is closed.
        """
        memory_id = check_id(memory_id, "memory_id")
        with self._outdating(memory_id):
            Resetting(memory_id, self._surroundings).reset()

    def forget(self, memory_id: str) -> Receipt:
        """Erase a memory for good, its id included, and verify it; see `Memory.forget`.

        Works on a damaged memory too. Handles that others hold raise `StaleMemoryError` from now on.

        Raises:
            InputError: the id cannot be used.
            StoreError: the database failed before the rows were deleted, or while it committed that: call it again.
        """
        memory_id = check_id(memory_id, "memory_id")
        with self._outdating(memory_id):
            # A new handle: it is nobody's, and knows nothing that it would have to compare.
            return Memory(memory_id, self._surroundings).forget(everything=True)

    @contextmanager
    def _outdating(self, memory_id: str) -> Iterator[None]:
        """Give out a new handle from now on; at the end no old one, which others may hold, keeps anything in RAM."""
        with self._lock:
            self._check_open()
            held = self._memories.pop(memory_id, None)
            self._recent.pop(memory_id, None)
        if held is not None:
            # Also if whoever holds it has not used it yet, or nothing was stored: a turn may be under way.
            held._open.coherent.outdate()  # noqa: SLF001 - as above
        try:
            yield
        finally:
            self._surroundings.hot.forget(memory_id)

    def settle(self) -> tuple[str, ...]:
        """Finish erasures that were held up, by readers of an older state for instance.

        Returns:
            What cannot be done now and why; empty when nothing deleted is left in the files.
        """
        self._check_open()
        return self.store.settle()

    def doctor(self) -> Health:
        """Examine the database: what is in it, what is damaged, and what is going to go wrong. Changes nothing.

        Raises:
            InputError: the store is not a file.
        """

        def apart(memory_id: str) -> Memory:
            # In a table of its own: what is in use stays in RAM, however many memories are examined.
            return Memory(memory_id, replace(self._surroundings, hot=HotStates(1)))

        return health_of(self._database_path(), self.encoder, apart)

    def reencode_all(self, *, progress: Progress | None = None) -> list[str]:
        """Embed all memories anew whose vectors come from another encoder than this registry's.

        Each of them is done whole or not at all. Of the others what has no vector yet is embedded, because the encoder
        failed when it was stored: in steps, each of which stays. What is done is passed over: call it again after it
        was interrupted, and it goes on. A memory that fails, or of which the model refuses texts, does not keep the
        others from being done.

        Args:
            progress: called with (memories looked at so far, memories in all).

        Returns:
            The ids of the memories that got new vectors.

        Raises:
            EncoderError: the model failed.
            RefusedTextsError, StoreError: the first that a memory raised, after all others were done.
        """
        return reencode_each(self.ids(), self.store, self.encoder, self.get, progress)

    def backup(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Backup:
        """Copy the database as it is now, whole and verified; see `streetai_core.upkeep.backup.back_up`.

        Raises:
            InputError: there is something at `path`, nothing was written yet, or the store is not a file.
            DamagedFileError: the database is damaged.
            StoreError: a file cannot be read or written.
        """
        return back_up(self._database_path(), path, overwrite=overwrite)

    def ids(self) -> list[str]:
        """The ids of all memories that were written and not forgotten since, also of those that were reset, sorted."""
        self._check_open()
        return self.store.memory_ids()

    def close(self) -> None:
        """Let go of the database and of the worker threads, once these have done what was begun. Twice is fine.

        An observer may call it on one of these threads: then the others are not waited for.
        """
        with self._lock:
            self._closing = True
            executor = self._executor
        if executor is not None and executor.is_of_this_process:
            # What waits for a thread, as turns do whose runs were cancelled, asks for memories when it gets one.
            executor.shutdown(wait=not executor.is_asked_from_within)
        self.later.finish()
        with self._lock:
            was_closed, self._closed = self._closed, True
            self._executor = None
        if not was_closed:
            self._surroundings.hot.keep_images()
        with self._lock:
            self._memories.clear()
            self._recent.clear()
        self.store.close()

    awarm_up = twin(warm_up)
    areset = twin(reset, writes=True)
    aforget = twin(forget, writes=True)
    asettle = twin(settle, writes=True)
    adoctor = twin(doctor)
    areencode_all = twin(reencode_all, writes=True)
    abackup = twin(backup)
    aids = twin(ids)

    def _database_path(self) -> str:
        """The file that everything is in."""
        self._check_open()
        if not isinstance(self.store, SqliteStore):
            raise InputError(f"{type(self.store).__name__} is not a database file; use what it comes with")
        return self.store.path

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedError(_CLOSED)
