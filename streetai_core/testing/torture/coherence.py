"""What one process has committed, the very next call of another one sees, and what is deleted stays deleted.

Two processes take turns: one does something, the other reads; then the other way round. What the second reads is
compared with a model of all that was done, and with what the first holds in RAM.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import random
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from streetai_core.errors import StaleMemoryError
from streetai_core.memory import Memory
from streetai_core.registry import MemoryRegistry
from streetai_core.testing.torture.checking import damage, differences, open_registry, picture, torn_parts
from streetai_core.testing.torture.reporting import Report
from streetai_core.testing.torture.work import Intent, Model, Work, text_of

_MEMORY = "shared"

_OLD_LESSON_EVERY = 25
"""Rounds between two in which one process learns from what the other one has just deleted."""

_LARGEST = 60
"""Messages from which a round resets, so that reading stays quick."""


@dataclass(frozen=True, slots=True)
class Order:
    """What a process is asked to do: "work" with a seed, "look", "recall", "delete", "learn", "reset", "end"."""

    verb: str
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What it did, what it holds now, and of what others deleted how much it has brought back."""

    intents: tuple[Intent, ...] = ()
    texts: str = ""
    everything: str = ""
    learned: int = 0
    stale: bool = False


class Actor:
    """One process: a registry that stays open, and its handle."""

    def __init__(self, path: Path) -> None:
        # Power does not fail here, and waiting for the disk would only make the program slow.
        self._registry: MemoryRegistry = open_registry(path, durability="fast")
        self._held: Memory | None = None
        """The handle, which is bound to what it has seen as long as somebody holds it."""
        self._recalled: list[str] = []

    def obey(self, order: Order) -> Answer:
        """Do what is asked and say what this process holds afterwards."""
        try:
            return self._obeyed(order)
        except StaleMemoryError:
            return Answer(stale=True)

    def close(self) -> None:
        """Let go of the file."""
        self._registry.close()

    def _obeyed(self, order: Order) -> Answer:
        memory = self._held = self._registry.get(_MEMORY)
        intents: list[Intent] = []
        learned = 0
        rng = random.Random(order.seed)  # noqa: S311 - reproducible, no secret
        if order.verb == "work":
            Work(self._registry, _MEMORY, rng, intents.append).step()
        elif order.verb == "recall":
            self._recalled = [hit.signal.signal_id for hit in memory.retrieve(text_of("any message"), limit=5)]
        elif order.verb == "delete":
            gone = [message.message_id for message in memory.messages()]
            intents.append(Intent("delete", tuple(gone)))
            for one in gone:
                memory.delete_message(one)
        elif order.verb == "learn":
            learned = len(memory.post_process(self._recalled, text_of("any message")))
        elif order.verb == "reset":
            intents.append(Intent("reset"))
            self._registry.reset(_MEMORY)
        held = picture(self._registry.get(_MEMORY))
        texts = {message.message_id: message.content for message in held["messages"]}
        return Answer(tuple(intents), _digest(sorted(texts.items())), _digest(held), learned)


def run(folder: Path, *, rounds: int, seed: int) -> Report:
    """So many rounds of writing here and reading there."""
    rng = random.Random(seed)  # noqa: S311 - reproducible, no secret
    report = Report.of(seed, "stale", "resurrected", "faults")
    path = folder / "shared.db"
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    # Ends with this one, whatever happens here; and without this end of its own, what happens there is seen here.
    child = context.Process(target=_serve, args=(path, theirs), daemon=True)
    child.start()
    theirs.close()
    here = Actor(path)
    sides: list[Callable[[Order], Answer]] = [here.obey, lambda order: _ask(ours, order)]
    model: Model = {}
    for number in range(rounds):
        report.counts["rounds"] += 1
        writer, reader = sides if number % 2 else reversed(sides)
        if number % _OLD_LESSON_EVERY == _OLD_LESSON_EVERY - 1:
            model = _old_lesson(writer, reader, rng, report)
        else:
            model = _round(writer, reader, model, rng, report)
    _ask(ours, Order("end"))
    child.join()
    here.close()
    with open_registry(path) as registry:
        left = registry.get(_MEMORY)
        report.fail("faults", *torn_parts(left), *differences(left, model), *damage(path))
    return report


def _serve(path: Path, pipe: Connection) -> None:
    """The other process."""
    actor = Actor(path)
    while (order := pipe.recv()).verb != "end":
        pipe.send(actor.obey(order))
    actor.close()
    pipe.send(Answer())


def _ask(pipe: Connection, order: Order) -> Answer:
    try:
        pipe.send(order)
        answer: Answer = pipe.recv()
    except (EOFError, BrokenPipeError) as error:
        raise RuntimeError("the other process has ended; its error stands above") from error
    return answer


def _round(
    writer: Callable[[Order], Answer],
    reader: Callable[[Order], Answer],
    model: Model,
    rng: random.Random,
    report: Report,
) -> Model:
    """One process does something, the other one looks; returns the model after it."""
    order = Order("reset") if len(model) > _LARGEST else Order("work", rng.getrandbits(32))
    written = writer(order)
    if written.stale:
        # It found out that the other one has reset the memory; with a new handle it goes on.
        report.counts["resets_noticed"] += 1
        written = writer(order)
    for intent in written.intents:
        model = intent.applied(model)
    seen = reader(Order("look"))
    if seen.stale:
        report.counts["resets_noticed"] += 1
        seen = reader(Order("look"))
    what = f"round {report.counts['rounds']}, after {[intent.verb for intent in written.intents]}"
    if seen.texts != _digest(sorted((one, text_of(one, edit)) for one, edit in model.items())):
        report.fail("stale", f"{what}: the messages are not those of the model")
    if seen.everything != written.everything:
        report.fail("stale", f"{what}: the two processes hold different things")
    return model


def _old_lesson(
    writer: Callable[[Order], Answer], reader: Callable[[Order], Answer], rng: random.Random, report: Report
) -> Model:
    """One process recalls, the other one deletes or resets, the first one learns from what is gone."""
    what = rng.choice(["delete", "reset"])
    for _ in range(2):
        # The first time, either may find out that the memory was reset.
        reader(Order("recall"))
        writer(Order("look"))
    gone = writer(Order(what))
    lesson = reader(Order("learn"))
    left = reader(Order("look"))
    report.counts["old_lessons"] += 1
    if lesson.learned or (what == "reset" and not lesson.stale):
        report.fail("resurrected", f"round {report.counts['rounds']}, {what}: {lesson.learned} signals were learned")
    if left.everything != gone.everything:
        report.fail("resurrected", f"round {report.counts['rounds']}, {what}: the two processes hold different things")
    return {}


def _digest(value: object) -> str:
    """A short name for a value that is equal in two processes if and only if the value is."""
    return hashlib.sha256(ascii(value).encode()).hexdigest()
