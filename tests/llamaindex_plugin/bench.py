"""One turn at a time under a magnifying glass: what was asked, recalled, stored and learned, seen from the core.

Nothing here looks into the memory under test. Recalls are counted at the encoder, storing and learning are read from
the file.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timezone
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.memory import BaseMemory

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_core.failures import OnError
from streetai_llamaindex import StreetAIChatMemoryBuffer, StreetAIMemory
from tests.asked import Asked
from tests.learning import learning_steps
from tests.llamaindex_plugin.engines import Engine, question
from tests.llamaindex_plugin.scripted import Script, asked, said, text_of_prompt

SESSION = "mara"
NOON = datetime(2026, 3, 2, 12, 0, tzinfo=timezone.utc)

FACT = "The draught of my boat is one metre forty, so shallow harbours are no problem."
ALLERGY = "I am allergic to peanuts, so please never suggest a dish with peanuts in it."
HARBOUR = "My sailing boat lies in the harbour of Ustka, at the pier behind the lighthouse."
DIARY = (
    (HARBOUR, "Ustka is a lovely place for a boat."),
    (FACT, "With one metre forty you can enter nearly every harbour of the islands."),
    (ALLERGY, "Understood, no dish that I suggest will have peanuts in it."),
    *(
        (
            f"Today, on day {day}, we painted plank number {day} of the old shed behind the garden in dark green.",
            f"Plank {day} in dark green: the shed will look splendid when the last one is done.",
        )
        for day in range(20)
    ),
)
"""Earlier turns: three about facts, and so many after them that the facts are in no window of `TOKEN_LIMIT`."""

TOKEN_LIMIT = 600
"""Tokens for window and recalled text together: about ten of the diary's turns."""

FIRST = question("What is the draught of my boat", "q1")
SECOND = question("Which dish may you please never suggest to me", "q2")
THIRD = question("In which harbour does my sailing boat lie", "q3")
ANSWERS = {
    FIRST: "The draught of your boat is one metre forty.",
    SECOND: "No dish with peanuts in it, as you are allergic to peanuts.",
    THIRD: "Your sailing boat lies in the harbour of Ustka, at the pier.",
}
NEEDLES = {FIRST: FACT, SECOND: ALLERGY, THIRD: HARBOUR}
"""What must be recalled for each question."""

_MARK = re.compile(r"(recalled )[0-9]{8}")


@dataclass(frozen=True)
class Kind:
    """A memory for LlamaIndex over a registry; each is a row of the matrix."""

    name: str
    make: Callable[[MemoryRegistry, OnError], BaseMemory]

    def __str__(self) -> str:
        return self.name


def _buffer(registry, on_error):
    return StreetAIChatMemoryBuffer.from_defaults(
        registry=registry, session_id=SESSION, token_limit=TOKEN_LIMIT, on_error=on_error
    )


def _memory(registry, on_error):
    return StreetAIMemory.from_defaults(SESSION, token_limit=TOKEN_LIMIT, registry=registry, on_error=on_error)


KINDS = (Kind("StreetAIChatMemoryBuffer", _buffer), Kind("StreetAIMemory", _memory))


@dataclass
class Turn:
    """What one turn did."""

    reply: str | None
    error: Exception | None
    prompts: list[str]
    """Those that the model got, as texts, without the marks that are random for each memory."""
    asked: list[str]
    """The questions that the memory was asked."""
    ticks: int
    """How far the clock went."""
    stored: list[tuple[str, str]]
    """Roles and texts of the messages that were stored."""
    learned: Counter
    """Learning steps of each signal."""

    @property
    def spoken(self):
        """What was stored of what was said, without tool traffic."""
        return [one for one in self.stored if one[0] in {"user", "assistant"} and one[1]]


@dataclass
class Bench:
    """A memory that has a past, and a model."""

    registry: MemoryRegistry
    asked: Asked
    memory: BaseMemory
    failures: int = 0
    """How many of the next answers the model fails to give."""
    fail_after: int | None = None
    stall_after: int | None = None
    _built: dict[str, tuple[Any, Script]] = field(default_factory=dict)

    @property
    def core(self):
        """The memory in the core."""
        return self.registry.get(SESSION)

    async def turn(self, engine: Engine, style, text: str, *, steps: int = 0) -> Turn:
        """Run one turn and look at what it did. The engine is built once and reused, as an application does."""
        options = {"steps": steps} if steps else {}
        if engine.name not in self._built:
            script = Script(lambda _: "")
            self._built[engine.name] = engine.build(self.memory, script), script
        built, script = self._built[engine.name]
        answer = engine.script(self._answer, **options)
        script.reply, script.fail_after, script.stall_after = answer, self.fail_after, self.stall_after
        script.prompts.clear()
        self.asked.questions.clear()
        before, steps_before = self.core.stats(), self.learned()
        reply = error = None
        try:
            reply = await style(built, self.memory, text)
        except ConnectionError as raised:
            error = raised
        return Turn(
            reply=reply,
            error=error,
            prompts=[_MARK.sub(r"\1", text_of_prompt(prompt)) for prompt in script.prompts],
            asked=list(self.asked.questions),
            ticks=self.core.stats()["turn_counter"] - before["turn_counter"],
            stored=[(one.role, one.content) for one in self.core.messages()[before["messages"] :]],
            learned=self.learned() - steps_before,
        )

    def learned(self) -> Counter:
        """Learning steps of every signal so far."""
        return learning_steps(self.core)

    def _answer(self, text: str) -> str:
        if self.failures:
            self.failures -= 1
            raise ConnectionError("the model is down")
        return ANSWERS[text]


@pytest.fixture(scope="session")
def diaries(tmp_path_factory):
    """The file of each kind of memory in which the diary was said; returns a function from a kind."""
    folder = tmp_path_factory.mktemp("diaries")
    failures = []

    def diary(kind: Kind) -> Path:
        path = folder / f"{kind.name}.db"
        if not path.exists():
            with opened(path) as registry:
                memory = kind.make(registry, failures.append)
                for user, assistant in DIARY:
                    memory.put_messages([asked(user), said(assistant)])
        assert failures == []
        return path

    return diary


@pytest.fixture
def benches(tmp_path, diaries):
    """Make benches, each on a file of its own; returns a function from a kind."""
    with ExitStack() as stack:
        numbers = count()
        failures = []

        def make(kind: Kind) -> Bench:
            path = Path(shutil.copy(diaries(kind), tmp_path / f"{next(numbers)}.db"))
            told = Asked()
            registry = stack.enter_context(opened(path, observers=[told]))
            return Bench(registry, told, kind.make(registry, failures.append))

        yield make
        assert failures == [], "the memory failed, and hid it from the chat"


def opened(path: Path, **options) -> MemoryRegistry:
    """A registry at noon. Power cuts are tested elsewhere, so that nothing waits for the disk."""
    return MemoryRegistry(path, encoder=HashingEncoder(), **options, clock=lambda: NOON, durability="fast")
