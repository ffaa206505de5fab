"""Random operations on many memories with hostile ids, compared with a dict: no memory ever sees a row of another."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.memory import Memory
from streetai_core.registry import MemoryRegistry
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.testing.hostile_ids import HOSTILE_IDS
from streetai_core.testing.torture.reporting import Report

_MEMORIES = 50
_MOST_MESSAGES = 12
"""Of one memory; beyond that one is deleted, so that operations stay as fast as at the beginning."""

_DIM = 16
"""Meaning does not matter here."""

_WORDS = ("boat", "harbour", "keel", "mast", "berth", "sail")
_CONVERSATIONS = (None, "one", "two")


@dataclass(slots=True)
class _Model:
    """What a memory should hold."""

    number: int
    texts: dict[str, tuple[str | None, str]] = field(default_factory=dict)
    """Message id -> conversation and text, in the order of writing."""
    signals: list[str] = field(default_factory=list)
    """Signal ids that were ever seen."""

    @property
    def mark(self) -> str:
        """A word that stands in all texts of this memory, and in no other's."""
        return f"owner{self.number}x"


def run(folder: Path, *, operations: int, seed: int) -> Report:
    """Carry out random operations on fifty memories in one file.

    Args:
        folder: where the file is made.
        operations: how many.
        seed: of the order, the texts and the choices.
    """
    report = Report.of(seed, "foreign", "differing")
    randomness = random.Random(seed)  # noqa: S311 - a repeatable order, not a secret
    ids = HOSTILE_IDS[-_MEMORIES:]
    models = {name: _Model(number) for number, name in enumerate(ids)}
    store = SqliteStore(folder / "isolation.db", durability="fast")
    with MemoryRegistry(store, encoder=HashingEncoder(dim=_DIM)) as registry:
        run = _Run(registry, models, randomness, report)
        for _ in range(operations):
            run.step()
        for name in ids:
            run.compare(registry.get(name), models[name])
    report.counts["memories"] = len(ids)
    return report


class _Run:
    """The operations, each followed by a comparison."""

    def __init__(
        self, registry: MemoryRegistry, models: dict[str, _Model], randomness: random.Random, report: Report
    ) -> None:
        self._registry = registry
        self._models = models
        self._random = randomness
        self._report = report
        self._serial = 0
        self._operations = (
            *(self._add,) * 4,
            *(self._ask,) * 3,
            self._prompt,
            self._update,
            self._delete,
            self._steal,
            self._learn,
            self._hide,
            self._reset,
        )

    def step(self) -> None:
        """One operation on one memory."""
        name = self._random.choice(list(self._models))
        operation = self._random.choice(self._operations)
        if operation == self._reset and self._random.random() > 0.05:  # noqa: PLR2004 - else all would stay empty
            operation = self._ask
        operation(self._registry.get(name), self._models[name])
        self._report.counts["operations"] += 1

    def compare(self, memory: Memory, model: _Model) -> None:
        """The messages of a memory are those of the model, in order."""
        found = {one.message_id: (one.conversation_id, one.content) for one in memory.messages()}
        if list(found.items()) != list(model.texts.items()):
            self._report.fail("differing", f"{memory.memory_id!r}: {found} in place of {model.texts}")

    def _add(self, memory: Memory, model: _Model) -> None:
        if len(model.texts) >= _MOST_MESSAGES:
            self._delete(memory, model)
        # Ids of messages are the same in all memories on purpose.
        name, text = f"message {self._serial % 40}", self._text(model)
        if name in model.texts:
            return
        conversation = self._random.choice(_CONVERSATIONS)
        signals = memory.add_message(text, "user", message_id=name, conversation_id=conversation)
        model.texts[name] = conversation, text
        model.signals += [signal.signal_id for signal in signals]

    def _update(self, memory: Memory, model: _Model) -> None:
        if model.texts:
            name, text = self._random.choice(list(model.texts)), self._text(model)
            memory.update_message(name, text)
            model.texts[name] = model.texts[name][0], text
            self.compare(memory, model)

    def _delete(self, memory: Memory, model: _Model) -> None:
        if model.texts:
            name = self._random.choice(list(model.texts))
            memory.delete_message(name)
            del model.texts[name]
            self.compare(memory, model)

    def _ask(self, memory: Memory, model: _Model) -> None:
        words = " ".join(self._random.choices((*_WORDS, self._another(model).mark), k=3))
        self._own([hit.signal.content for hit in memory.retrieve(words)], model)

    def _prompt(self, memory: Memory, model: _Model) -> None:
        prompt = memory.build_prompt("boat and harbour", conversation_id=self._random.choice(_CONVERSATIONS))
        self._own([message["content"] for message in prompt.messages[:-1]], model)
        self._own([prompt.recalled_text], model)

    def _learn(self, memory: Memory, model: _Model) -> None:
        """Signal ids of another memory teach nothing."""
        other = self._another(model)
        updates = memory.post_process([*other.signals[-3:], *model.signals[-3:]], "boat harbour keel")
        self._own([update["content"] for update in updates], model)

    def _steal(self, memory: Memory, model: _Model) -> None:
        """Another memory's ids find nothing here."""
        for name in self._another(model).signals[-3:]:
            if memory.history(name):
                self._report.fail("foreign", f"{memory.memory_id!r} has a history of {name}")
        self._own(
            [message.content for message in memory.messages(conversation_id=self._random.choice(_CONVERSATIONS))], model
        )

    def _hide(self, memory: Memory, model: _Model) -> None:
        """Hiding everything in one memory hides nothing in another, and nothing at all once it is released."""
        memory.quarantine(source="user")
        if memory.retrieve(model.mark):
            self._report.fail("differing", f"{memory.memory_id!r} recalls what is in quarantine")
        other = self._another(model)
        name = next(name for name, one in self._models.items() if one is other)
        self._own([hit.signal.content for hit in self._registry.get(name).retrieve("boat harbour")], other)
        memory.release(source="user")

    def _reset(self, memory: Memory, model: _Model) -> None:
        self._registry.reset(memory.memory_id)
        model.texts.clear()
        self.compare(self._registry.get(memory.memory_id), model)

    def _own(self, texts: list[str], model: _Model) -> None:
        """All of these texts are of one memory, and say what it holds."""
        marks = [one.mark for one in self._models.values() if one is not model]
        self._report.counts["texts"] += len(texts)
        for text in texts:
            foreign = [mark for mark in marks if mark in text]
            if foreign:
                self._report.fail("foreign", f"memory {model.number} gave {text!r}")

    def _text(self, model: _Model) -> str:
        self._serial += 1
        return f"{model.mark} {' '.join(self._random.choices(_WORDS, k=5))} {self._serial}."

    def _another(self, model: _Model) -> _Model:
        return self._random.choice([one for one in self._models.values() if one is not model])
