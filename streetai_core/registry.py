"""Many memories in one database: one handle each, one encoder and one store for all."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timezone
from threading import Lock
from uuid import uuid4

from streetai_core.aio import twin
from streetai_core.conductor import Surroundings
from streetai_core.config import Config
from streetai_core.encoders import as_encoder
from streetai_core.encoders.base import Encoder
from streetai_core.encoders.cache import CachedEncoder
from streetai_core.errors import ClosedError, InputError
from streetai_core.memory import Memory
from streetai_core.stores.base import Changes, Store
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.text.clean import check_id
from streetai_core.tokens import EstimatedTokens, TokenCounter

_ASYNC_THREADS = 8
"""Worker threads of the async twins: enough to overlap embedding, disk and waiting on a small server, few enough that
their database connections do not matter."""


def _now() -> datetime:
    return datetime.now(timezone.utc)


class MemoryRegistry:
    """Opens memories by id. A context manager; making it does no I/O.

    Args:
        path: the database file, made at the first write; or a `Store`.
        config: the settings of all memories.
        encoder: an `Encoder`, a LangChain `Embeddings` or a LlamaIndex `BaseEmbedding`; `None`: all-MiniLM-L6-v2.
        token_counter: how tokens are counted; `None`: a quarter of the characters.
        clock: the time of messages that come without one; `None`: now.
        busy_timeout: seconds to wait for another writer.
        durability: "full": an acknowledged write survives power loss; "fast": a process crash only.

    Raises:
        InputError: an argument cannot be used.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | Store,
        *,
        config: Config | None = None,
        encoder: object = None,
        token_counter: TokenCounter | None = None,
        clock: Callable[[], datetime] | None = None,
        busy_timeout: float = 30.0,
        durability: str = "full",
    ) -> None:
        if not isinstance(path, str | os.PathLike | Store):
            raise InputError(f"path must be a file's path or a Store, got {type(path).__name__}")
        if config is not None and not isinstance(config, Config):
            raise InputError(f"config must be a Config, got {type(config).__name__}")
        if token_counter is not None and not isinstance(token_counter, TokenCounter):
            raise InputError("token_counter must have a method count(text) -> int")
        self.config = config or Config()
        self.store: Store = (
            path if isinstance(path, Store) else SqliteStore(path, busy_timeout=busy_timeout, durability=durability)
        )
        chosen = as_encoder(encoder)
        self.encoder: Encoder = chosen if isinstance(chosen, CachedEncoder) else CachedEncoder(chosen)
        self._surroundings = Surroundings(
            store=self.store,
            encoder=self.encoder,
            config=self.config,
            counter=token_counter or EstimatedTokens(),
            clock=clock or _now,
            executor=lambda: self.executor,
        )
        self._memories: dict[str, Memory] = {}
        self._lock = Lock()
        self._executor: ThreadPoolExecutor | None = None
        self._closed = False

    def __enter__(self) -> MemoryRegistry:  # noqa: PYI034 - Self needs Python 3.11, and nobody subclasses this
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    async def __aenter__(self) -> MemoryRegistry:  # noqa: PYI034 - as above
        return self

    async def __aexit__(self, *exception: object) -> None:
        # Not through the executor: closing waits for the executor's own threads.
        self.close()

    @property
    def executor(self) -> Executor:
        """Where async twins run; its threads start at the first use."""
        with self._lock:
            self._check_open()
            if self._executor is None:
                self._executor = ThreadPoolExecutor(_ASYNC_THREADS, thread_name_prefix="streetai")
            return self._executor

    def get(self, memory_id: str) -> Memory:
        """The memory of this id; the same object for the same id, until it is reset. No I/O.

        Raises:
            InputError: the id is not 1 to 512 bytes of text, or has NUL or lone surrogates.
            ClosedError: the registry is closed.
        """
        check_id(memory_id, "memory_id")
        with self._lock:
            self._check_open()
            memory = self._memories.get(memory_id)
            if memory is None or memory.stale:
                memory = self._memories[memory_id] = Memory(memory_id, self._surroundings)
            return memory

    def reset(self, memory_id: str) -> None:
        """Delete everything under one id. Handles that others hold raise `StaleMemoryError` from now on."""
        check_id(memory_id, "memory_id")
        with self._lock:
            self._check_open()
            self._memories.pop(memory_id, None)
        with self.store.reading(memory_id) as transaction:
            if transaction.head is None:
                return
        with self.store.writing(memory_id) as writing:
            head = writing.head
            if head is not None:
                emptied = replace(
                    head,
                    token=uuid4().hex[:12],
                    generation=head.generation + 1,
                    next_turn=0,
                    message_count=0,
                    history_tokens=0,
                    encoder=None,
                    dim=None,
                )
                writing.apply(Changes(head=emptied, wipe=True), now=self._surroundings.clock())

    def ids(self) -> list[str]:
        """All ids that were ever written, sorted."""
        self._check_open()
        return self.store.memory_ids()

    def close(self) -> None:
        """Let go of the database and of the worker threads. Closing twice is fine."""
        with self._lock:
            self._closed = True
            executor, self._executor = self._executor, None
            self._memories.clear()
        if executor is not None:
            executor.shutdown(wait=True)
        self.store.close()

    areset = twin(reset)
    aids = twin(ids)

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedError("the registry is closed; make a new MemoryRegistry on the same path")
