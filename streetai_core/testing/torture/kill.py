"""A writer is killed with SIGKILL at random moments; what it had acknowledged must be there, and nothing half."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from streetai_core.memory import Memory
from streetai_core.testing.torture.checking import damage, open_registry, torn_parts
from streetai_core.types import NewMessage

_MEMORY = "tortured"
_LARGEST = 600
"""Messages from which the memory is reset, so that the checks stay quick."""
_CHECK_EVERY = 10
"""Cycles between two full checks of the file; the acknowledged messages are checked in every cycle."""


@dataclass(slots=True)
class Outcome:
    """What a run found."""

    seed: int
    cycles: int = 0
    acknowledged: int = 0
    unfinished_log: int = 0
    """Cycles after which the write-ahead log was not empty: without any, the kills would test nothing."""
    lost: list[str] = field(default_factory=list)
    torn: list[str] = field(default_factory=list)
    slowest_reopen: float = 0.0
    """Seconds."""

    @property
    def passed(self) -> bool:
        """Nothing lost, nothing torn, and the kills hit writes."""
        return not self.lost and not self.torn and self.unfinished_log > self.cycles // 2

    def __str__(self) -> str:
        return (
            f"seed={self.seed} cycles={self.cycles} acknowledged={self.acknowledged} lost={len(self.lost)} "
            f"torn={len(self.torn)} unfinished_log={self.unfinished_log} "
            f"slowest_reopen={self.slowest_reopen * 1000:.0f}ms"
        )


def text_of(message_id: str, edit: int = 0) -> str:
    """What a message says: several chunks, all of which tell whose they are."""
    rng = random.Random(f"{message_id}/{edit}")  # noqa: S311 - reproducible, no secret
    sentences = rng.randint(1, 12)
    return " ".join(
        f"Sentence {n} of message {message_id}, edit {edit}, says {rng.random()}." for n in range(sentences)
    )


def run(folder: Path, *, cycles: int, seed: int, progress: Callable[[int], None] = lambda _: None) -> Outcome:
    """Kill a writer `cycles` times. Needs an operating system with fork, and no other thread in this process."""
    rng = random.Random(seed)  # noqa: S311 - reproducible, no secret
    outcome = Outcome(seed)
    path = folder / "killed.db"
    model: Model = {}
    _warm_up(path)
    for cycle in range(cycles):
        lines = _kill_a_writer(path, rng.getrandbits(32), rng.uniform(0.002, 0.040))
        pending = _follow(model, lines)
        outcome.cycles += 1
        outcome.acknowledged += sum(line.startswith("done") for line in lines)
        log = path.with_name(path.name + "-wal")
        outcome.unfinished_log += log.exists() and log.stat().st_size > 0
        _check(path, model, pending, outcome)
        if cycle % _CHECK_EVERY == 0 or cycle == cycles - 1:
            outcome.torn += damage(path)
        progress(cycle + 1)
    return outcome


def _warm_up(path: Path) -> None:
    """Do once what every process does once (tables of patterns, the stemmer); the writers are forks and inherit it.

    Else a kill would mostly come before the first write.
    """
    with open_registry(path) as registry:
        memory = registry.get("warm")
        memory.add_message(text_of("warm"), "user")
        memory.retrieve(text_of("warm"))


Model = dict[str, int | None]
"""Message id -> its edit number; `None`: deleted."""


def write_until_killed(path: Path, seed: int, say: Callable[[str], None]) -> None:
    """Mixed work without end; says `start OPERATION` before and `done` after each."""
    rng = random.Random(seed)  # noqa: S311 - reproducible, no secret
    memory = open_registry(path).get(_MEMORY)
    known = [message.message_id for message in memory.messages()]
    while True:
        _one_operation(memory, rng, known, say)


def _one_operation(memory: Memory, rng: random.Random, known: list[str], say: Callable[[str], None]) -> None:
    verb = rng.choices(["add", "bulk", "update", "delete", "learn"], weights=[5, 1, 2, 1, 2])[0]
    if verb == "learn" and known:
        hits = memory.retrieve(text_of(rng.choice(known)), limit=10)
        memory.post_process(hits, text_of(rng.choice(known)))
        return
    if verb in {"update", "delete"} and known:
        message_id, edit = known[rng.randrange(len(known))], rng.randint(1, 999)
        say(f"start {verb} {message_id} {edit}")
        if verb == "update":
            memory.update_message(message_id, text_of(message_id, edit))
        else:
            known.remove(message_id)
            memory.delete_message(message_id)
    else:
        ids = [f"{rng.getrandbits(48):x}" for _ in range(5 if verb == "bulk" else 1)]
        say(f"start add {','.join(ids)} 0")
        memory.add_messages([NewMessage(content=text_of(one), role="user", message_id=one) for one in ids])
        known += ids
    say("done")


def _kill_a_writer(path: Path, seed: int, seconds: float) -> list[str]:
    """Fork a writer, kill it so many seconds after it has begun to write; returns what it said."""
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(readable)
        with suppress(BaseException):
            write_until_killed(path, seed, lambda line: _ignore(os.write(writable, f"{line}\n".encode())))
        os._exit(1)
    os.close(writable)
    received = os.read(readable, 65536)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while part := os.read(readable, 65536):
        received += part
    os.close(readable)
    # The last line may have been cut by the kill.
    return received.decode().split("\n")[:-1]


def _ignore(_: object) -> None:
    """The number of bytes written to the pipe is of no interest."""


def _follow(model: Model, lines: list[str]) -> Model:
    """Bring the model up to what was acknowledged; returns what the operation that was cut off would have done."""
    pending: Model = {}
    for line in lines:
        if line == "done":
            model.update(pending)
            pending = {}
        else:
            _, verb, ids, edit = line.split(" ")
            pending = {one: None if verb == "delete" else int(edit) for one in ids.split(",")}
    return pending


def _check(path: Path, model: Model, pending: Model, outcome: Outcome) -> None:
    """Compare the file with the model, with and without the operation that was cut off; take over which it was."""
    started = time.perf_counter()
    with open_registry(path) as registry:
        memory = registry.get(_MEMORY)
        stored = {message.message_id: message.content for message in memory.messages()}
        outcome.slowest_reopen = max(outcome.slowest_reopen, time.perf_counter() - started)
        outcome.torn += torn_parts(memory)
        finished = {**model, **pending}
        if _differences(stored, finished):
            outcome.lost += _differences(stored, model)
        else:
            model.update(pending)
        if len(stored) > _LARGEST:
            registry.reset(_MEMORY)
            model.clear()


def _differences(stored: dict[str, str], model: Model) -> list[str]:
    """Messages that are not what the model says, missing and surplus ones included."""
    expected = {one: text_of(one, edit) for one, edit in model.items() if edit is not None}
    return [one for one in {*stored, *expected} if stored.get(one) != expected.get(one)]
