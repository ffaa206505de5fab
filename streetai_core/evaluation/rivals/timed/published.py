"""streetai-memory 0.2.0, the published product, with its own code and its own defaults."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from streetai_core.encoders.base import Encoder
from streetai_core.evaluation.rivals.published import TextEmbedding
from streetai_core.evaluation.speed_systems import ADD, LEARN, OPEN, PROMPT, RETRIEVE, TimedMemory, Verb

_MEMORY = "speed"

_BY_ITS_OWN_CODE = 10_000
"""Messages that are added one by one, in minutes. What that takes grows with the square of their number: with 50,000 it
would be hours."""

_COPIED_STACKS = """
INSERT INTO stacks (stack_id, memory_id, created_at, centroid)
SELECT stack_id || :copy, memory_id, created_at, centroid FROM stacks
WHERE stack_id IN (SELECT stack_id FROM signals WHERE instr(signal_id, '/') = 0 AND turn < :most)
"""
_COPIED_SIGNALS = """
INSERT INTO signals (signal_id, memory_id, content, role, turn, base_weight, created_at, last_accessed,
                     stack_id, weight, parent_turn_id, chunk_index, last_used_turn)
SELECT signal_id || :copy, memory_id, content, role, turn + :turns, base_weight, created_at, last_accessed,
       stack_id || :copy, weight, parent_turn_id || :copy, chunk_index, last_used_turn + :turns
FROM signals WHERE instr(signal_id, '/') = 0 AND turn < :most
"""


class TimedPublished(TimedMemory):
    """Its memory.

    Args:
        folder: for its file.
        encoder: takes the place of its own; 384 dimensions, which are fixed in its code.
    """

    def __init__(self, folder: Path, encoder: Encoder) -> None:
        encoding: Any = import_module("streetai.encoder")
        encoding._encoder = TextEmbedding(encoder)  # noqa: SLF001 - it has no parameter for it
        self._path = str(folder / "memory.db")
        self._registry = import_module("streetai").MemoryRegistry(self._path)
        self._memory = self._registry.get(_MEMORY)

    def fill(self, texts: Sequence[str]) -> None:
        """Add texts one by one: it has no other way. Nothing waits for the disk meanwhile.

        Where there are very many, the rows of the first ones are copied as many times as are needed, each time with
        later turns. Real talk makes more stacks than copies do, so its times flatter it then.
        """
        connection = self._registry.store.conn
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("PRAGMA journal_mode=MEMORY")
        for text in texts[:_BY_ITS_OWN_CODE]:
            self._memory.add_message(text, role="user")
        copies = range(_BY_ITS_OWN_CODE, len(texts), _BY_ITS_OWN_CODE)
        with connection:
            for turns in copies:
                for statement in (_COPIED_STACKS, _COPIED_SIGNALS):
                    values = {"copy": f"/{turns}", "turns": turns, "most": len(texts) - turns}
                    connection.execute(statement, values)
        connection.execute("PRAGMA journal_mode=DELETE")
        connection.execute("PRAGMA synchronous=FULL")
        if copies:
            connection.close()
            self._registry = import_module("streetai").MemoryRegistry(self._path)
            self._memory = self._registry.get(_MEMORY)

    def verbs(self) -> Mapping[str, Verb]:
        """Every verb; its defaults wait for the disk at each row."""
        memory = self._memory
        return {
            ADD: lambda text: lambda: memory.add_message(text, role="user"),
            RETRIEVE: lambda text: lambda: memory.retrieve(text),
            PROMPT: lambda text: lambda: memory.build_prompt(text),
            LEARN: self._learning,
            OPEN: lambda text: lambda: self._reopened(text),
        }

    def close(self) -> None:
        """Close its connection."""
        self._registry.store.conn.close()

    def _learning(self, text: str) -> Callable[[], object]:
        hits = self._memory.retrieve(text)[0]
        reply = hits[0][0].content if hits else text
        return lambda: self._memory.post_process(hits, reply)

    def _reopened(self, text: str) -> None:
        registry = import_module("streetai").MemoryRegistry(self._path)
        registry.get(_MEMORY).retrieve(text)
        registry.store.conn.close()
