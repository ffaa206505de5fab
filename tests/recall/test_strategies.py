"""What finds a memory under each strategy, through the verbs, and what a question may be."""

import logging

import pytest

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import EncoderError
from streetai_core.stores.reference import ReferenceStore
from streetai_core.testing.planted import PlantedEncoder, at_cosine
from tests.encoders.failing import Breakable
from tests.recall.saying import PADDING, Said, ask, order, state_of

FACT = "The berth of Kestrel is number thirty one."
TALK = ("The weather on the island was fine.", "Nobody has seen the ferry today.", "Supper is at seven as always.")
QUESTION = "Which berth has Kestrel?"


def memory_of(config, encoder=None):
    """A memory of a fact and of talk about other things."""
    memory = MemoryRegistry(ReferenceStore(), config=config, encoder=encoder or HashingEncoder()).get("m")
    memory.add_messages([NewMessage(content=text, role="user") for text in (*TALK, FACT)])
    return memory


def test_keyword_never_needs_the_encoder(caplog):
    """The words find the fact, without a warning; meaning counts nothing, and is nowhere."""
    encoder = Breakable()
    memory = memory_of(Config(strategy="keyword"), encoder)
    encoder.broken = True
    (hit,) = (hit for hit in memory.retrieve(QUESTION) if hit.parts["words"] > 0.5)
    assert hit.signal.content == FACT
    assert (hit.parts["meaning"], hit.similarity) == (0.0, 0.0)
    assert FACT in memory.build_prompt(QUESTION, token_budget=80).messages[-1]["content"]
    assert memory.why(QUESTION).hits[0].signal.content == FACT
    assert caplog.records == []


def test_hybrid_goes_on_by_words_when_the_encoder_fails(caplog):
    """The fact is still found, and the log says by what."""
    encoder = Breakable()
    memory = memory_of(Config(), encoder)
    encoder.broken = True
    with caplog.at_level(logging.WARNING):
        hit = memory.retrieve(QUESTION)[0]
    encoder.broken = False
    found = memory.retrieve(QUESTION)[0]
    assert hit.signal == found.signal
    assert hit.parts["words"] == found.parts["words"]
    assert hit.parts["meaning"] == 0.0 < found.parts["meaning"]
    fails, works = (record.getMessage() for record in caplog.records)
    assert "words alone" in fails
    assert works == "the encoder works again"


@pytest.mark.parametrize("config", [Config(strategy="vector"), Config.classic()])
def test_by_meaning_alone_a_failing_encoder_is_an_error(config):
    """There is nothing else to go by, and nothing found would be a lie."""
    encoder = Breakable()
    memory = memory_of(config, encoder)
    encoder.broken = True
    for verb in (memory.retrieve, memory.build_prompt, memory.why):
        with pytest.raises(EncoderError, match="the model is gone"):
            verb(QUESTION)


def test_each_strategy_finds_what_it_is_for():
    """By meaning the paraphrase, by words the rare name, by both the two of them."""
    paraphrase, rare = "She lies at pontoon nine.", "Kestrel was built in Hull."
    question, noise = "Which berth has Kestrel?", "Supper is at seven as always."
    found = {}
    for strategy in ("vector", "keyword", "hybrid"):
        encoder = PlantedEncoder(
            {
                paraphrase: at_cosine(0.6), rare: at_cosine(0.05, axis=2), noise: at_cosine(0.0, axis=3),
                question: at_cosine(1.0),
            }
        )  # fmt: skip
        registry = MemoryRegistry(ReferenceStore(), config=Config(strategy=strategy), encoder=encoder)
        memory = registry.get("m")
        # Conversations of their own, so that none lends another its words.
        memory.add_messages(
            [
                NewMessage(content=text, role="user", conversation_id=str(n))
                for n, text in enumerate((paraphrase, noise, rare))
            ]
        )
        found[strategy] = [hit.signal.content for hit in memory.retrieve(question)]
    assert found["vector"] == [paraphrase]
    assert found["keyword"] == [rare]
    assert set(found["hybrid"]) == {paraphrase, rare}


def test_the_gate_is_meaning_and_words_together():
    """Neither author nor time nor company lets in what has nothing to do with the question."""
    state = state_of(
        Said(text=f"The ferry was late, {PADDING}", cosine=0.05, name="Nora", conversation="a"),
        Said(text=f"The anchor holds well, {PADDING}", cosine=0.3, conversation="b"),
        Said(text=f"Another ferry came, {PADDING}", cosine=0.45, conversation="c"),
    )
    question = "Did Nora see the anchor recently?"
    ranking = ask(state, question, config=Config(min_relevance=0.4))
    passed = dict(zip(order(state, ranking), ranking.passed.tolist(), strict=True))
    assert passed == {0: False, 1: True, 2: True}
    every = ask(state, question, config=Config(min_relevance=-10))
    assert every.passed.all()
    none = ask(state, question, config=Config(min_relevance=10))
    assert not none.passed.any()


def test_near_misses_say_by_how_much_they_missed():
    """The two numbers that were compared are in the reason."""
    memory = memory_of(Config(min_relevance=5))
    why = memory.why(QUESTION)
    assert why.hits == ()
    best = why.near_misses[0]
    relevance = best.hit.parts["meaning"] + best.hit.parts["words"] + best.hit.parts["neighbours"]
    beside = ", words and neighbours" if best.hit.parts["neighbours"] else " and words"
    assert best.reason == f"meaning{beside} ({relevance:.3f}) are below min_relevance 5"


@pytest.mark.parametrize("strategy", ["hybrid", "vector", "keyword"])
@pytest.mark.parametrize(
    "question",
    [
        "the of and",
        "?",
        "...",
        "a",
        "berth " * 1700,
        "x" * 10_000,
        "\U0001f980" * 10,
        "When? Who? Nora's?",
        "\x00\ud800",
    ],
    ids=[
        "stop words",
        "one mark",
        "dots",
        "letter",
        "10,000 characters",
        "one word of 10,000",
        "emoji",
        "whens",
        "junk",
    ],
)
def test_any_question_is_answered(strategy, question):
    """In an empty memory, in one of a single message, and in one of several; nothing is ever raised."""
    for texts in ((), (FACT,), (FACT, *TALK)):
        registry = MemoryRegistry(ReferenceStore(), config=Config(strategy=strategy), encoder=HashingEncoder())
        memory = registry.get("m")
        memory.add_messages([NewMessage(content=text, role="user", name="Nora") for text in texts])
        hits = memory.retrieve(question)
        assert len(hits) <= len(texts)
        for hit in hits:
            assert hit.score == pytest.approx(sum(hit.parts.values()), abs=1e-9)
        assert memory.build_prompt(question).messages[-1]["content"].endswith(question[-10:].replace("\x00\ud800", ""))
        assert len(memory.why(question).hits) == len(hits)


def test_a_question_of_stop_words_finds_nothing_by_words():
    """They stand in every message."""
    assert memory_of(Config(strategy="keyword")).retrieve("what is the of and") == []


def test_the_words_of_a_pasted_document_are_read_at_its_beginning():
    """A question of a megabyte costs no more than one of some thousand characters."""
    memory = memory_of(Config(strategy="keyword"))
    assert memory.retrieve(f"{QUESTION} {'lorem ' * 200_000}")[0].signal.content == FACT
    assert memory.retrieve(f"{'lorem ' * 200_000} {QUESTION}") == []
