"""What every strategy has to do, as tests to inherit.

    class TestMyStrategy(StrategySuite):
        def make_strategy(self):
            return MyStrategy()

pytest collects the inherited tests; nothing else is needed.
"""

# ruff: noqa: S101 - assert is how a pytest suite reports; the library itself never imports this module

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from datetime import datetime, timedelta, timezone
from typing import Any

import numpy as np

from streetai_core.encoders.base import InputKind
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.registry import MemoryRegistry
from streetai_core.stores.reference import ReferenceStore
from streetai_core.strategy import Judged, Scores, Strategy, Unranked, judged
from streetai_core.types import Matrix, NewMessage

_NOON = datetime(2026, 3, 2, 12, tzinfo=timezone.utc)

_THREADS = 8
"""More than the cores of a small machine, so that calls really overlap."""

_SEED = 7
"""Of the order in which signals are told a second time."""

QUESTIONS = ("Where do I live?", "What did Mara say on 1 March 2026?", "ok", "?", "明日の会議は何時からですか。")
"""About somebody, about a day, and about nothing."""

SAID = (
    NewMessage(content="I live in Lyon.", role="user", conversation_id="a", name="Mara"),
    NewMessage(content="Where exactly?", role="assistant", conversation_id="a"),
    NewMessage(content="I no longer live in Lyon, I moved to Nice.", role="user", conversation_id="a", name="Mara"),
    NewMessage(content="Always answer in French.", role="user"),
    NewMessage(content="ok", role="user", conversation_id="b", name="Tom"),
    NewMessage(content='{"temperature": 21}', role="tool", conversation_id="b"),
    NewMessage(content="```python\ndef mean(values):\n    return sum(values) / len(values)\n```", role="assistant"),
    NewMessage(content="The train leaves from platform seven. " * 40, role="user", source="document"),
    NewMessage(content="Где мои ключи? 明日の会議は何時からですか。 🎉", role="user", trust=0.0),
)
"""Short, long, code, other scripts; of several people, conversations, days and sources; one that replaces another."""


class StrategySuite:
    """Conformance tests of `Strategy`. Subclass it with `make_strategy`; each test makes one of its own."""

    def make_strategy(self) -> Strategy:
        """A new strategy, set up the same way each time."""
        raise NotImplementedError(f"{type(self).__name__} must define make_strategy()")

    def test_every_signal_gets_a_score(self) -> None:
        """Whatever is asked: a number or minus infinity for each, or parts by name."""
        for question in QUESTIONS:
            judged(self.make_strategy(), told(question))

    def test_one_signal_gets_a_score(self) -> None:
        """Nothing to compare it with, nothing to divide by."""
        for message in SAID:
            judged(self.make_strategy(), told(QUESTIONS[0], [message]))

    def test_it_goes_on_without_a_vector(self) -> None:
        """Where the encoder fails there is no meaning to go by."""
        for question in QUESTIONS:
            judged(self.make_strategy(), told(question, encoder=_Failing()))

    def test_the_order_of_signals_tells_nothing(self) -> None:
        """Told in another order, each signal has the score that it had: its row is another one at another time."""
        strategy = self.make_strategy()
        for question in QUESTIONS:
            known = told(question)
            order = np.random.default_rng(_SEED).permutation(len(known))
            before, after = judged(strategy, known), judged(strategy, _reordered(known, order))
            assert np.allclose(before.scores[order], after.scores), f"{before.scores[order]} became {after.scores}"

    def test_threads_get_the_same_scores(self) -> None:
        """Several threads ask one strategy at once and each gets what a single thread gets."""
        strategy, known = self.make_strategy(), told(QUESTIONS[0])

        def ask(_: int) -> Judged:
            return judged(strategy, known)

        with ThreadPoolExecutor(_THREADS) as threads:
            found = list(threads.map(ask, range(_THREADS)))
        expected = judged(self.make_strategy(), known).scores
        for one in found:
            assert np.allclose(one.scores, expected), f"{one.scores} in a thread, {expected} without"


def told(question: str, said: Sequence[NewMessage] = SAID, encoder: HashingEncoder | None = None) -> Unranked:
    """What a strategy is told of a question to a memory of these messages, said a day after each other."""
    listening = _Listening()
    with MemoryRegistry(ReferenceStore(), encoder=encoder or HashingEncoder(), clock=lambda: _NOON) as registry:
        first = _NOON - timedelta(days=len(said))
        registry.get("m").add_messages(
            [replace(message, created_at=first + timedelta(days=day)) for day, message in enumerate(said)]
        )
        registry.get("m").retrieve(question, strategy=listening)
    [known] = listening.heard
    return known


class _Listening(Strategy):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.heard: list[Unranked] = []

    def score(self, known: Unranked) -> Scores:
        """Nothing is found."""
        self.heard.append(known)
        return np.full(len(known), -np.inf)


class _Failing(HashingEncoder):
    """Makes no vector of a question."""

    def embed(self, texts: Sequence[str], kind: InputKind) -> Matrix:
        """Vectors of documents alone."""
        if kind == "query":
            raise OSError("the model is gone")
        return super().embed(texts, kind)


def _reordered(known: Unranked, order: np.ndarray) -> Unranked:
    """A copy with its signals in another order."""
    values: dict[str, Any] = {field.name: getattr(known, field.name) for field in fields(known)}
    parallel = {
        name: value[order] for name, value in values.items() if isinstance(value, np.ndarray) and name != "vector"
    }
    return replace(known, **parallel, parts={name: part[order] for name, part in known.parts.items()})
