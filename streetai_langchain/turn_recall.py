"""Recall for the turns of an agent: once for each, and once more where another process goes on with one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from langchain_core.messages import BaseMessage

from streetai_core import Memory, MemoryRegistry
from streetai_core.errors import StaleMemoryError
from streetai_core.failures import OnError, fail_open
from streetai_core.text.clean import is_blank
from streetai_langchain.agent_turns import TurnRecord, question_position, window_start
from streetai_langchain.messages import text_of
from streetai_langchain.recalled_texts import NOTHING, Recalled, RecalledTexts, recalled_in

_NOT_RECALLED = "nothing is recalled for this turn"
_NOT_LOOKED_UP = "what was recalled is sent again without a look whether all of it is still stored"


class TurnRecall:
    """Asks the memories, and keeps the texts until their turns are over. Serves many runs at once.

    A failing memory recalls nothing; neither verb raises.

    Args:
        registry: where the memories are.
        token_budget: most tokens of the question and the recalled text together.
        window: how many of the last messages the request has; what they say is not recalled. `None`: all.
        on_error: told of every failure of the memory.
    """

    def __init__(
        self, registry: MemoryRegistry, *, token_budget: int | None, window: int | None, on_error: OnError | None
    ) -> None:
        self._registry = registry
        self._token_budget = token_budget
        self._window = window
        self._on_error = on_error
        self._texts = RecalledTexts()

    def recall(self, messages: Sequence[BaseMessage], record: TurnRecord) -> TurnRecord:
        """Recall for the question of a turn, unless that was done; anew when some of it was erased since.

        Args:
            messages: those that the model is sent.
            record: of the turn.

        Returns:
            The record with what was recalled.
        """
        recalled = known = self._texts.of(record)
        if known is not None and known.memory is not None and known.signal_ids:
            with fail_open(_NOT_LOOKED_UP, self._on_error):
                recalled = known.left(known.memory._has_all(known.signal_ids))  # noqa: SLF001 - only adapters keep text
        if recalled is None:
            recalled = NOTHING
            with fail_open(_NOT_RECALLED, self._on_error):
                if options := self._options(messages, record):
                    memory = self._registry.get(record["memory"])
                    recalled = recalled_in(memory.build_prompt(record["question"], **options), memory)
        self._texts.keep(record, recalled)
        return _with_ids(record, recalled)

    async def arecall(self, messages: Sequence[BaseMessage], record: TurnRecord) -> TurnRecord:
        """Async twin of `recall`."""
        recalled = known = self._texts.of(record)
        if known is not None and known.memory is not None and known.signal_ids:
            with fail_open(_NOT_LOOKED_UP, self._on_error):
                recalled = known.left(await known.memory._ahas_all(known.signal_ids))  # noqa: SLF001 - only adapters keep text
        if recalled is None:
            recalled = NOTHING
            with fail_open(_NOT_RECALLED, self._on_error):
                if options := self._options(messages, record):
                    memory = self._registry.get(record["memory"])
                    recalled = recalled_in(await memory.abuild_prompt(record["question"], **options), memory)
        self._texts.keep(record, recalled)
        return _with_ids(record, recalled)

    def text(self, record: TurnRecord) -> str:
        """What goes into the requests of a turn; empty if nothing does."""
        return (self._texts.of(record) or NOTHING).text

    def drop(self, record: TurnRecord) -> Memory | None:
        """Let go of the text of a turn that is over.

        Returns:
            The handle that was asked for it; `None` if none was, or elsewhere.
        """
        return (self._texts.drop(record) or NOTHING).memory

    def is_erased(self, record: TurnRecord) -> bool:
        """Whether the memory of a turn that will not be gone on with was erased since it was asked; lets go of it.

        A turn that has ended, or was begun by another process, has no handle to tell it by.
        """
        memory = self.drop(record)
        if memory is None:
            return False
        try:
            memory.stats()
        except StaleMemoryError:
            return True
        return False

    async def ais_erased(self, record: TurnRecord) -> bool:
        """Async twin of `is_erased`."""
        memory = self.drop(record)
        if memory is None:
            return False
        try:
            await memory.astats()
        except StaleMemoryError:
            return True
        return False

    def _options(self, messages: Sequence[BaseMessage], record: TurnRecord) -> dict[str, Any] | None:
        """How to ask the memory; `None` if the question has no text to ask it with."""
        if is_blank(record["question"]):
            return None
        sent = messages[window_start(messages, question_position(messages, record["turn"]), self._window) :]
        return {
            "conversation_id": record["conversation"],
            "token_budget": self._token_budget,
            "shown": {text for message in sent if not is_blank(text := text_of(message))},
            "asked_at": None if (at := record.get("asked_at")) is None else datetime.fromisoformat(at),
        }


def _with_ids(record: TurnRecord, recalled: Recalled) -> TurnRecord:
    """The record, which has the ids of what was recalled and not its text."""
    return {**record, "signal_ids": list(recalled.signal_ids)}
