"""Of many signals a question finds by estimates what it would find by comparing them all."""

import numpy as np
import pytest

from streetai_core import Config
from streetai_core.evaluation.speed_vectors import DIM, TopicEncoder
from streetai_core.index.codes import LEAST
from streetai_core.index.columns import SignalColumns
from streetai_core.planning.words import words_row
from streetai_core.recall.question import read_question
from streetai_core.recall.ranking import deep, rank
from streetai_core.state import MemoryState
from streetai_core.stores.types import Rows, SignalRow, WeightRow
from streetai_core.testing.factories import make_head, make_message
from tests.recall.saying import NOON, parts_of

SIZE = LEAST + 500
WORDS = ("ferry", "berth", "storm", *(f"{first}{second}o" for first in "bdfgklmnprst" for second in "aeiou"))
MOST = 25


class Compared(SignalColumns):
    """Columns that compare all signals, however many there are."""

    def estimates(self, vector):
        """The cosines."""
        return self.similarities(vector), 0.0


@pytest.fixture(scope="module")
def rows():
    """Messages of many topics, some of several signals; each tenth replaces one before it."""
    random = np.random.default_rng(6)
    texts = [" ".join(random.choice(WORDS, random.integers(4, 20))) + f" {number}" for number in range(SIZE)]
    vectors = TopicEncoder(SIZE).encode(texts, "document")
    signals, weights, words = [], [], []
    for key, (text, vector) in enumerate(zip(texts, vectors, strict=True)):
        # Every fifth and the one behind it are two signals of one message.
        sequence = key - (key % 5 == 1)
        if sequence == key:
            message = make_message(sequence, content=text, conversation_id=str(key // 20), created_at=NOON)
            words.append(words_row(message, (key - 5,) if key % 10 == 5 else ()))
        signals.append(
            SignalRow(
                key=key, sequence=sequence, chunk_index=key - sequence, kind="chunk", start=0, end=1, block_start=0,
                block_end=1, vector=vector,
            )
        )  # fmt: skip
        weights.append(WeightRow(key=key, base_weight=1.0, last_used_turn=sequence, uses=key % 3, stack=0))
    head = make_head(dim=DIM, encoder="topics", next_turn=SIZE, next_sequence=SIZE, next_signal=SIZE)
    return Rows(head=head, complete=True, signals=signals, weights=weights, stacks=[], words=words)


def asked(state, vector, strategy, common=0.0):
    """The ranking of a question."""
    text = "Which berth had the ferry before the storm?"
    question = read_question(text, vector, turn=SIZE, asked_at=NOON, common=common)
    return rank(state, question, Config(strategy=strategy), depth=deep(MOST), sure=MOST, stacks=False)[0]


@pytest.mark.parametrize("strategy", ["hybrid", "vector", "keyword"])
@pytest.mark.parametrize("common", [0.0, 0.05])
def test_estimates_find_what_comparing_all_finds(rows, strategy, common):
    """At least 99.5 % of the best, and each with its own cosine, score and parts.

    Of a message with two signals that are as near, either may be the one that is lifted.
    """
    quick, whole = MemoryState.of(rows), MemoryState.of(rows)
    compared = Compared(DIM)
    compared.__dict__.update(whole.columns.__dict__)
    whole.columns = compared
    found = expected = 0
    for vector in TopicEncoder(SIZE).encode([f"question {number}" for number in range(40)], "query"):
        one, other = asked(quick, vector, strategy, common), asked(whole, vector, strategy, common)
        of = whole.columns.column("sequence")
        best = dict(zip(of[other.rows[:MOST]].tolist(), other.scores[:MOST].tolist(), strict=True))
        expected += len(best)
        np.testing.assert_array_equal(one.similarity[:MOST], quick.columns.similarities_of(one.rows[:MOST], vector))
        np.testing.assert_allclose(one.similarity, quick.columns.similarities_of(one.rows, vector), rtol=0, atol=0.005)
        np.testing.assert_allclose(sum(parts_of(one).values()), one.scores, rtol=0, atol=1e-9)
        scores = dict(zip(of[one.rows[:MOST]].tolist(), one.scores[:MOST].tolist(), strict=True))
        found += len(best.keys() & scores.keys())
        assert all(abs(scores[message] - best[message]) < 0.01 for message in best.keys() & scores.keys())
    assert expected > 20 * MOST
    assert found >= 0.995 * expected
    assert quick.columns.estimates(vector)[1] > 0.0
