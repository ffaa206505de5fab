"""Speed measured: what each verb costs at several sizes of a memory, and what of it is the encoder."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from streetai_core.config import Config
from streetai_core.encoders.base import Encoder
from streetai_core.evaluation.provenance import provenance
from streetai_core.memory import Memory
from streetai_core.registry import MemoryRegistry
from streetai_core.types import NewMessage

SIZES = (1_000, 10_000)
"""Messages in a memory, each of one signal."""

REPEATS = 30
"""Timings of each verb: enough for a median; the first is not counted."""

_TAIL = 0.95
_WORDS = 4_000
"""Vocabulary of the made-up messages: about that of a long chat."""
_MESSAGE_WORDS = 12
_MILLISECONDS = 1_000
_BATCH = 2_000
"""Messages stored at a time; one transaction of all of them would hold every vector twice."""


@dataclass(frozen=True, slots=True)
class Timing:
    """One verb at one size, in milliseconds."""

    verb: str
    size: int
    median: float
    tail: float
    """95th percentile."""

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {"verb": self.verb, "size": self.size, "median_ms": self.median, "p95_ms": self.tail}


def measure_speed(
    config: Config,
    encoder: Encoder,
    *,
    sizes: Sequence[int] = SIZES,
    repeats: int = REPEATS,
    watch: Callable[[str], None] | None = None,
) -> list[Timing]:
    """Time every verb on memories of made-up messages, the same in each run.

    `encode` is the encoder alone on the same questions; dividing by it says what the memory adds. Texts that are timed
    were never encoded before, because a cache would hide what encoding costs.

    Args:
        config: settings of the memory.
        encoder: of the memory, without a cache on disk.
        sizes: messages, each from 1.
        repeats: timings of each verb, from 2.
        watch: told what is done next, once for each size and verb.
    """
    timings: list[Timing] = []
    for size in sizes:
        with TemporaryDirectory(prefix="streetai-bench-", ignore_cleanup_errors=True) as folder:
            timings += _at_size(Path(folder) / "memory.db", config, encoder, _Timer(size, repeats, watch))
    return timings


def speed_report(timings: Sequence[Timing], config: Config, encoder: Encoder) -> dict[str, Any]:
    """All timings, each also as a multiple of the encoder's own at that size, and what made them, as JSON values."""
    alone = {one.size: one.median for one in timings if one.verb == "encode"}
    return {
        "benchmark": "speed",
        **provenance(),
        "encoder": encoder.fingerprint,
        "config": config.to_dict(),
        "timings": [{**one.to_dict(), "times_encoder": one.median / alone[one.size]} for one in timings],
    }


VERBS = ("add 1000", "encode", "add", "retrieve", "build_prompt", "post_process", "open")
"""What is timed, in this order; `open` is a new registry on the file and its first question."""


def _at_size(path: Path, config: Config, encoder: Encoder, timer: _Timer) -> Iterator[Timing]:
    texts = made_up_texts(timer.size)
    with MemoryRegistry(path, config=config, encoder=encoder) as registry:
        memory = registry.get("speed")
        yield timer.once("add 1000", lambda: _store(memory, texts), per=timer.size / 1_000)
        yield timer.each("encode", lambda text: encoder.encode([text], "query"))
        yield timer.each("add", lambda text: memory.add_message(text, role="user"))
        yield timer.each("retrieve", memory.retrieve)
        yield timer.each("build_prompt", lambda text: memory.build_prompt(text, token_budget=1_500))
        hits = memory.retrieve(texts[0])
        yield timer.each("post_process", lambda text: memory.post_process(hits, text))

    def reopen(text: str) -> None:
        with MemoryRegistry(path, config=config, encoder=encoder) as again:
            again.get("speed").retrieve(text)

    yield timer.each("open", reopen)


class _Timer:
    """Times verbs on texts that nobody has seen before."""

    def __init__(self, size: int, repeats: int, watch: Callable[[str], None] | None) -> None:
        self.size = size
        self._repeats = repeats
        self._watch = watch
        self._fresh = iter(made_up_texts(len(VERBS) * (repeats + 1), seed=f"questions {size}"))

    def once(self, verb: str, work: Callable[[], object], *, per: float) -> Timing:
        """One run of something long, divided by `per`."""
        took = self._timed(work) / per
        self._tell(verb)
        return Timing(verb, self.size, took, took)

    def each(self, verb: str, work: Callable[[str], object]) -> Timing:
        """As many runs as asked for; a first one, which fills caches, is not counted."""
        work(next(self._fresh))
        took = sorted(self._timed(partial(work, next(self._fresh))) for _ in range(self._repeats))
        self._tell(verb)
        return Timing(verb, self.size, median(took), took[min(len(took) - 1, int(_TAIL * len(took)))])

    def _tell(self, verb: str) -> None:
        if self._watch is not None:
            self._watch(f"{verb} at {self.size}")

    def _timed(self, work: Callable[[], object]) -> float:
        start = perf_counter()
        work()
        return (perf_counter() - start) * _MILLISECONDS


def made_up_texts(count: int, *, seed: str = "messages") -> list[str]:
    """Short messages of made-up words with the frequencies of a language (Zipf), no two of them equal."""
    generator = random.Random(seed)  # noqa: S311 - not for secrets
    words = ["".join(generator.choices("abcdefghijklmnoprstuvwy", k=2 + number % 7)) for number in range(_WORDS)]
    weights = [1 / (number + 1) for number in range(_WORDS)]
    return [
        f"{' '.join(generator.choices(words, weights, k=_MESSAGE_WORDS))} {seed} {number}" for number in range(count)
    ]


def _store(memory: Memory, texts: Sequence[str]) -> None:
    for start in range(0, len(texts), _BATCH):
        memory.add_messages([NewMessage(content=text, role="user") for text in texts[start : start + _BATCH]])
