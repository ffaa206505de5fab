"""Post-processors: they are asked on every path, their scores explain themselves, and what they do wrong is named."""

import json
import math
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from fractions import Fraction

import numpy as np
import pytest

from streetai_core import Config, MemoryRegistry, NewMessage, PostProcessor
from streetai_core.errors import InputError, ProcessorError, StaleMemoryError
from streetai_core.recall.processing import rescored
from streetai_core.recall.processors import Diverse, Fused, MinimumScore, RecentFirst, Reranked
from streetai_core.testing.planted import PlantedEncoder, at_cosine

NOW = datetime(2026, 3, 2, 12, tzinfo=timezone.utc)
QUESTION = "where do we meet"
SAID = {"the harbour office it is": 0.8, "the old mill by the river": 0.7, "a bench in the park": 0.5}
PLAIN = Config(strategy="vector", activation_share=0.0)


def opened(path, processors=(), texts=SAID, config=PLAIN):
    """A registry with one memory, whose messages lie at these cosines to the question, each in a plane of its own."""
    vectors = {QUESTION: at_cosine(1.0)}
    vectors |= {text: at_cosine(cosine, axis=place + 1) for place, (text, cosine) in enumerate(texts.items())}
    registry = MemoryRegistry(
        path, config=config, encoder=PlantedEncoder(vectors), clock=lambda: NOW, processors=processors
    )
    messages = [
        NewMessage(content=text, role="user", conversation_id="then", created_at=NOW - timedelta(days=10 * place))
        for place, text in enumerate(texts)
    ]
    registry.get("m").add_messages(messages)
    return registry


def texts_of(hits):
    """What the hits say, in their order."""
    return [hit.signal.content for hit in hits]


CALLS = {
    "retrieve": lambda memory: memory.retrieve(QUESTION),
    "build_prompt": lambda memory: memory.build_prompt(QUESTION, conversation_id="now", token_budget=500),
    "why": lambda memory: memory.why(QUESTION),
}
TWINS = {
    "retrieve": lambda memory: memory.aretrieve(QUESTION),
    "build_prompt": lambda memory: memory.abuild_prompt(QUESTION, conversation_id="now", token_budget=500),
    "why": lambda memory: memory.awhy(QUESTION),
}


class Backwards(PostProcessor):
    """Turns the order round."""

    def process(self, found):
        """Each hit with the negative of its score."""
        return [rescored(hit, "backwards", -2 * hit.score) for hit in found.hits]


class Returning(PostProcessor):
    """Returns what a test wants."""

    def __init__(self, make):
        self.make = make

    def process(self, found):
        """Whatever it is."""
        return self.make(found.hits)


def test_every_path_asks_them(tmp_path):
    """What is left out is neither found, nor sent, nor among the hits of `why`, which says who left it out."""
    with opened(tmp_path / "m.db", [MinimumScore(0.65)], config=replace(PLAIN, history_ceiling=False)) as registry:
        memory = registry.get("m")
        kept = ["the harbour office it is", "the old mill by the river"]
        assert texts_of(memory.retrieve(QUESTION)) == kept
        prompt = memory.build_prompt(QUESTION, conversation_id="now", token_budget=500)
        assert texts_of(prompt.retrieved) == kept
        why = memory.why(QUESTION)
        assert texts_of(why.hits) == kept
        (miss,) = why.near_misses
        assert miss.hit.signal.content == "a bench in the park"
        assert "post-processor" in miss.reason
        assert texts_of(memory.retrieve(QUESTION, processors=())) == list(SAID)


def test_scores_decide_and_explain(tmp_path):
    """A changed score changes the order, and the parts still sum to it."""
    with opened(tmp_path / "m.db", [Backwards()]) as registry:
        hits = registry.get("m").retrieve(QUESTION)
        assert texts_of(hits) == list(SAID)[::-1]
        for hit in hits:
            assert hit.score == pytest.approx(sum(hit.parts.values()), abs=1e-6)
            assert hit.parts["backwards"] == pytest.approx(-2 * hit.parts["meaning"])


def test_what_is_left_out_makes_room(tmp_path):
    """The limit counts what stays: the next best hit takes the place."""
    first = Returning(lambda hits: hits[1:])
    with opened(tmp_path / "m.db", [first]) as registry:
        assert texts_of(registry.get("m").retrieve(QUESTION, limit=1)) == ["the old mill by the river"]


def test_they_follow_each_other(tmp_path):
    """Each gets what the one before it left."""
    with opened(tmp_path / "m.db", [Backwards(), MinimumScore(-0.75)]) as registry:
        assert texts_of(registry.get("m").retrieve(QUESTION)) == ["a bench in the park", "the old mill by the river"]


def test_diverse_by_hand(tmp_path):
    """Three texts in planes of their own: cosine of two is the product of theirs with the question; the weight is .5.

    .8 stays; .7 costs .5 * .56 = .28 -> .42; .5 costs .5 * max(.4, .35) = .2 -> .3.
    """
    with opened(tmp_path / "m.db", [Diverse(0.5)]) as registry:
        hits = registry.get("m").retrieve(QUESTION)
        assert [hit.score for hit in hits] == pytest.approx([0.8, 0.42, 0.3], abs=1e-5)
        assert [hit.parts["diversity"] for hit in hits] == pytest.approx([0, -0.28, -0.2], abs=1e-5)


def test_recent_first_by_hand(tmp_path):
    """Said 0, 10 and 20 days ago, half-life 10 days, lift .4: .8 + .4, .7 + .2, .5 + .1."""
    with opened(tmp_path / "m.db", [RecentFirst(half_life=10, lift=0.4)]) as registry:
        hits = registry.get("m").retrieve(QUESTION)
        assert [hit.score for hit in hits] == pytest.approx([1.2, 0.9, 0.6], abs=1e-5)


def test_reranked(tmp_path):
    """The scorer's order, spread over 0 to 1; it sees the question and the texts."""
    seen = []

    def scorer(question, texts):
        seen.append((question, texts))
        return [len(text) for text in texts]

    with opened(tmp_path / "m.db", [Reranked(scorer)]) as registry:
        hits = registry.get("m").retrieve(QUESTION)
    assert texts_of(hits) == sorted(SAID, key=len, reverse=True)
    assert [hit.score for hit in hits] == pytest.approx([1, 5 / 6, 0], abs=1e-5)
    assert seen == [(QUESTION, list(SAID))]


def test_reranked_by_equals_keeps_the_order(tmp_path):
    """A scorer that says nothing changes nothing."""
    with opened(tmp_path / "m.db", [Reranked(lambda _, texts: [7.0] * len(texts))]) as registry:
        assert texts_of(registry.get("m").retrieve(QUESTION)) == list(SAID)


FUSED = {
    # Mean 2/3, standard deviation sqrt(.14 / 9).
    "zscore": [0.8 - 2 / 3, 0.7 - 2 / 3, 0.5 - 2 / 3],
    "minmax": [1.0, 2 / 3, 0.0],
    "rrf": [1 / 61, 1 / 62, 1 / 63],
}


@pytest.mark.parametrize("kind", FUSED)
def test_fused_by_hand(tmp_path, kind):
    """Meaning alone, since no word is shared: .8, .7 and .5; words are equal, and count for nothing or for all."""
    equal = {"zscore": 0.0, "minmax": 1.0, "rrf": 1 / 61}[kind]
    scale = math.sqrt(0.14 / 9) if kind == "zscore" else 1.0
    with opened(tmp_path / "m.db", [Fused(kind, meaning=2.0, words=1.0)]) as registry:
        hits = registry.get("m").retrieve(QUESTION)
        assert [hit.score for hit in hits] == pytest.approx([2 * one / scale + equal for one in FUSED[kind]], abs=1e-4)
        assert texts_of(hits) == list(SAID)


class Worded(PostProcessor):
    """Adds numbers to what the words give, one to each hit."""

    def __init__(self, numbers):
        self.numbers = numbers

    def process(self, found):
        """The hits, best first."""
        return [rescored(hit, "words", number) for hit, number in zip(found.hits, self.numbers, strict=True)]


def test_numbers_of_numpy_can_be_logged_as_json(tmp_path):
    """A reranker gives such, and the inspector goes into logs."""
    with opened(tmp_path / "m.db", [Worded(np.array([0.1, 0.2, 0.3], dtype=np.float32))]) as registry:
        prompt = CALLS["build_prompt"](registry.get("m"))
    scores = [one["score"] for one in json.loads(json.dumps(prompt.inspector))["retrieved_signals"]]
    assert sorted(scores) == pytest.approx([0.8, 0.9, 0.9], abs=1e-3)


@pytest.mark.parametrize(
    "equal", [[0.7, 0.7, 0.7], [0.1, 0.1, 0.1], [0.1 + 0.2, 0.3, 0.3], [0.3, 0.3, 0.1 + 0.2], [7e9, 7e9 + 1, 7e9]]
)
@pytest.mark.parametrize("kind", FUSED)
def test_parts_that_differ_by_rounding_are_equal(tmp_path, kind, equal):
    """The mean of three times .7 is another number, and equal parts counted as a standard deviation more or less."""
    alike = {"zscore": 0.0, "minmax": 1.0, "rrf": 1 / 61}[kind]
    with opened(tmp_path / "m.db", [Worded(equal), Fused(kind, meaning=0.0, words=1.0)]) as registry:
        hits = registry.get("m").retrieve(QUESTION)
        assert [hit.score for hit in hits] == pytest.approx([alike] * 3, abs=1e-6)


def test_parts_that_differ_a_little_are_not_equal(tmp_path):
    """A millionth decides where all else is equal."""
    with opened(tmp_path / "m.db", [Worded([0, 1e-6, 2e-6]), Fused("minmax", meaning=0.0, words=1.0)]) as registry:
        assert texts_of(registry.get("m").retrieve(QUESTION)) == list(SAID)[::-1]


def test_a_scorer_may_give_very_small_numbers(tmp_path):
    """Those of a model can be probabilities: they are no parts, and only their order counts."""
    with opened(tmp_path / "m.db", [Reranked(lambda *_: [1e-13, 1e-12, 1e-11])]) as registry:
        assert texts_of(registry.get("m").retrieve(QUESTION)) == list(SAID)[::-1]


def test_nothing_found_asks_nobody(tmp_path):
    """A processor has at least one hit to look at."""
    with opened(tmp_path / "m.db", [Returning(lambda hits: hits[0:0])], texts={"far away": 0.0}) as registry:
        assert registry.get("m").retrieve(QUESTION) == []
        assert registry.get("empty").retrieve(QUESTION) == []


WRONG = {
    "not hits": (lambda hits: None, "must return hits"),
    "texts": (lambda hits: ["the harbour office it is"], "hits that it was given"),
    "twice the same": (lambda hits: [hits[0], hits[0]], "each once"),
    "of another memory": (
        lambda hits: [replace(hits[0], signal=replace(hits[0].signal, signal_id="other.1"))],
        "hits that it was given",
    ),
    "a score without parts": (lambda hits: [replace(hits[0], score=9.0)], "rescored"),
    "no number": (lambda hits: [rescored(hits[0], "odd", math.nan)], "rescored"),
    "a text for a score": (lambda hits: [replace(hits[0], score="high")], "rescored.*'high'"),
    "no score": (lambda hits: [replace(hits[0], score=None)], "rescored"),
    "no parts": (lambda hits: [replace(hits[0], parts=None)], "rescored"),
    "a text for a part": (lambda hits: [replace(hits[0], parts={"odd": "high"})], "rescored"),
    "a hit without a signal": (lambda hits: [replace(hits[0], signal=None)], "hits that it was given"),
    "a signal without an id": (
        lambda hits: [replace(hits[0], signal=replace(hits[0].signal, signal_id=["x"]))],
        "hits that it was given",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_they_return_is_checked(tmp_path, name):
    """A mistake is named with the processor, and does not become an answer."""
    make, message = WRONG[name]
    with opened(tmp_path / "m.db", [Returning(make)]) as registry, pytest.raises(InputError, match=message):
        registry.get("m").retrieve(QUESTION)


BAD = {
    "least is text": lambda: MinimumScore("high"),
    "least is NaN": lambda: MinimumScore(math.nan),
    "half-life 0": lambda: RecentFirst(half_life=0),
    "lift below 0": lambda: RecentFirst(half_life=1, lift=-1),
    "weight below 0": lambda: Diverse(-0.1),
    "unknown fusion": lambda: Fused("sum"),
    "fusion not text": lambda: Fused(None),
    "weight of words below 0": lambda: Fused(words=-1),
    "scorer no function": lambda: Reranked("model"),
    "no processor": lambda: MemoryRegistry("unused.db", processors=["recent"]),
    "not several": lambda: MemoryRegistry("unused.db", processors=MinimumScore),
}


@pytest.mark.parametrize("name", BAD)
def test_arguments_that_cannot_be_used(name):
    """Said when they are made, not when somebody asks a question."""
    with pytest.raises(InputError):
        BAD[name]()


NO_SCORES = {
    "too few": [1.0],
    "too many": [1.0, 2.0, 3.0, 4.0],
    "infinity": [1.0, math.inf, 2.0],
    "nothing": None,
    "one number": 5,
    "an array of no length": np.array(5.0),
    "texts": ["a", "b", "c"],
    "numbers as texts": ["1", "2", "3"],
    "digits": "123",
    "pairs": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],
    "pairs of two lengths": [[1], [2, 3], [4]],
    "one is missing": [1.0, None, 2.0],
    "objects": [object(), object(), object()],
    "too large": [10**400, 1, 2],
    "a mapping": {"a": 1.0, "b": 2.0, "c": 3.0},
}


@pytest.mark.parametrize("name", NO_SCORES)
async def test_a_scorer_that_does_not_score(tmp_path, name):
    """Whatever it gives in place of numbers, the error says what it must give, on every path and in the twin."""
    with opened(tmp_path / "m.db", [Reranked(lambda *_: NO_SCORES[name])]) as registry:
        for ask in CALLS.values():
            with pytest.raises(InputError, match="must give a finite number for each of 3 texts"):
                ask(registry.get("m"))
        with pytest.raises(InputError, match="must give a finite number for each of 3 texts"):
            await registry.get("m").aretrieve(QUESTION)


@pytest.mark.parametrize(
    "scores",
    [
        lambda texts: (float(len(text)) for text in texts),
        lambda texts: np.array([len(text) for text in texts], dtype=np.float32),
        lambda texts: [np.int64(len(text)) for text in texts],
        lambda texts: [Fraction(len(text)) for text in texts],
    ],
    ids=["generator", "array", "numpy numbers", "fractions"],
)
def test_what_counts_as_numbers(tmp_path, scores):
    """What models give; fastembed's is a generator."""
    with opened(tmp_path / "m.db", [Reranked(lambda _, texts: scores(texts))]) as registry:
        assert texts_of(registry.get("m").retrieve(QUESTION)) == sorted(SAID, key=len, reverse=True)


class Failing(PostProcessor):
    """Makes a slip; as a function, or as a generator, which does its work when it is read."""

    def __init__(self, fail):
        self.fail = fail

    def process(self, found):
        """Nothing."""
        return self.fail()


def _yielding():
    yield {}["x"]


FAILURES = {
    "at once": (lambda: {}["x"], KeyError),
    "while it is read": (_yielding, KeyError),
    # Asyncio cannot hand it on, and its caller would wait for ever.
    "no more": (lambda: next(iter(())), StopIteration),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name", FAILURES)
async def test_a_failure_is_named_and_has_its_cause(tmp_path, name, call):
    """Who catches the errors of the library catches it, and sees whose it is; as with a strategy."""
    fail, cause = FAILURES[name]
    with opened(tmp_path / "m.db", [Failing(fail)]) as registry:
        with pytest.raises(ProcessorError, match=rf"^Failing\.process raised {cause.__name__}") as caught:
            CALLS[call](registry.get("m"))
        assert isinstance(caught.value.__cause__, cause)
        with pytest.raises(ProcessorError) as caught:
            await TWINS[call](registry.get("m"))
        assert isinstance(caught.value.__cause__, cause)
        assert len(registry.get("m").retrieve(QUESTION, processors=())) == len(SAID)


def test_a_scorer_that_fails_is_no_scorer_that_gives_nonsense(tmp_path):
    """A model that is away is nothing that its caller can set right."""

    def scorer(question, texts):
        yield 1.0
        raise ConnectionError("the model is away")

    with (
        opened(tmp_path / "m.db", [Reranked(scorer)]) as registry,
        pytest.raises(ProcessorError, match=r"Reranked\.process raised ConnectionError: the model is away"),
    ):
        registry.get("m").retrieve(QUESTION)


def test_what_the_memory_says_goes_through(tmp_path):
    """A processor may ask the memory; what that says of itself is not said to be the processor's fault."""
    with opened(tmp_path / "m.db") as registry:
        old = registry.get("m")
        registry.reset("m")
        registry.get("m").add_messages([NewMessage(content=text, role="user") for text in SAID])
        with pytest.raises(StaleMemoryError):
            registry.get("m").retrieve(QUESTION, processors=[Failing(old.messages)])


async def test_the_twin_asks_them_too(tmp_path):
    """The same result."""
    with opened(tmp_path / "m.db", [Backwards()]) as registry:
        memory = registry.get("m")
        assert texts_of(await memory.aretrieve(QUESTION)) == texts_of(memory.retrieve(QUESTION))
