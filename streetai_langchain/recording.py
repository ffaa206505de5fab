"""Storing turns in one memory and learning from them, also on an event loop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from uuid import uuid4

from streetai_core import Memory, NewMessage
from streetai_core.aio import sure_twin
from streetai_core.recording import Recorded, record
from streetai_core.reporting import Recalled
from streetai_core.text.clean import is_blank


def new_turn_id() -> str:
    """An id for a turn that nothing in LangChain names."""
    return f"langchain-turn-{uuid4().hex}"


@dataclass(frozen=True, slots=True)
class Recording:
    """Records turns in one memory."""

    memory: Memory

    @property
    def executor(self) -> Executor:
        """Where the async twin runs."""
        return self.memory.executor

    def record(
        self,
        turn_id: str,
        messages: Sequence[NewMessage],
        *,
        retrieved: Iterable[Recalled] = (),
        reply: str = "",
    ) -> Recorded:
        """Store the messages of a turn and learn from its reply; arguments and errors as of the core's `record`."""
        return record(self.memory, turn_id, messages, retrieved=retrieved, reply=reply)

    def learn(self, retrieved: Iterable[Recalled], reply: str) -> Recorded:
        """Learn from the reply of a turn that somebody else stores."""
        recalled = list(retrieved)
        if not recalled or is_blank(reply):
            return Recorded()
        try:
            return Recorded(tuple(self.memory.post_process(recalled, reply)))
        except Exception as failure:  # noqa: BLE001 - told by whoever asked
            return Recorded(failure=failure)

    # A turn that has had its reply is not lost because nobody waits any more until a thread is free.
    arecord = sure_twin(record)
