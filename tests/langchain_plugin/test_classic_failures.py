"""`StreetAIChainMemory` when the memory fails: the conversation goes on."""

import logging

import pytest

from streetai_core import Config
from streetai_langchain import StreetAIMemory
from tests.encoders.failing import Breakable
from tests.langchain_plugin.conftest import FACT, QUESTION, REPLY, chain_memory, seed, spoken

SENTENCES = ("Your boat has a draught.", "It is one metre forty.")


BY_MEANING = Config(strategy="vector")
"""Recall has nothing else to go by when the encoder fails."""

LEARNS_BY_MEANING = Config.classic(min_chunk_chars=0, min_chunk_words=0)
"""Learning needs the encoder as well, and storing embeds one sentence at a time."""


@pytest.fixture(params=[BY_MEANING])
def breakable(request, tmp_path):
    """A facade over an encoder that can be broken, and the errors that it reported."""
    errors = []
    encoder = Breakable()
    path = tmp_path / "breakable.db"
    with StreetAIMemory(path, config=request.param, embeddings=encoder, on_error=errors.append) as streetai:
        seed(streetai.registry)
        yield streetai, encoder, errors


async def test_a_failing_encoder_costs_recall_only(breakable, caplog):
    """6.7: Loading gives an empty history, saving stores nothing; each is logged and reported once, neither raises."""
    streetai, encoder, errors = breakable
    memory = streetai.classic("new", user_id="mara")
    encoder.broken = True

    with caplog.at_level(logging.WARNING, logger="streetai_langchain"):
        loaded = memory.load_memory_variables({"input": QUESTION})
        assert await memory.aload_memory_variables({"input": "Another question"}) == {"history": ""}
        memory.save_context({"input": QUESTION, **loaded}, {"response": REPLY})
        await memory.asave_context({"input": QUESTION, **loaded}, {"response": REPLY})

    assert loaded == {"history": ""}
    assert [type(error).__name__ for error in errors] == ["EncoderError"] * 4
    assert len(caplog.records) == 4
    encoder.broken = False
    assert spoken(streetai.registry.get("mara"), "new") == []
    assert FACT in memory.load_memory_variables({"input": QUESTION})["history"]


@pytest.mark.parametrize("breakable", [Config()], indirect=True)
async def test_without_the_encoder_words_still_recall(breakable, caplog):
    """6.7: The fact is found by its words, and the turn is stored; a warning in the log says so, and nothing failed."""
    streetai, encoder, errors = breakable
    memory = streetai.classic("new", user_id="mara")
    encoder.broken = True

    for loaded in (
        memory.load_memory_variables({"input": QUESTION}),
        await memory.aload_memory_variables({"input": QUESTION}),
    ):
        assert FACT in loaded["history"]
    assert [(record.name, record.levelname) for record in caplog.records] == [
        ("streetai_core.encoders.outage", "WARNING")
    ]
    memory.save_context({"input": QUESTION}, {"response": REPLY})
    assert spoken(streetai.registry.get("mara"), "new") == [("user", QUESTION), ("assistant", REPLY)]
    assert errors == []


@pytest.mark.parametrize("breakable", [LEARNS_BY_MEANING], indirect=True)
async def test_a_failure_to_learn_does_not_lose_the_turn(breakable):
    """6.7: Learning may encode the reply; if that fails the turn is stored and told all the same."""
    streetai, encoder, errors = breakable
    turns = []
    memory = streetai.classic("new", user_id="mara", on_turn=turns.append)
    inputs = {"input": QUESTION, **memory.load_memory_variables({"input": QUESTION})}
    # Stored as two chunks, and learned from as a whole: the chunks are known to the encoder's cache, the whole is not.
    reply = " ".join(SENTENCES)
    streetai.registry.encoder.encode([*SENTENCES, QUESTION])
    encoder.broken = True

    memory.save_context(inputs, {"response": reply})
    await memory.asave_context(inputs, {"response": reply})

    assert spoken(streetai.registry.get("mara"), "new") == [("user", QUESTION), ("assistant", reply)] * 2
    assert [(turn.prompt is not None, list(turn.updates)) for turn in turns] == [(True, []), (True, [])]
    assert len(errors) == 2


async def test_a_closed_registry_costs_no_reply(streetai):
    """6.7: Everything but `clear`, whose failure has to be known, goes on without the memory."""
    errors = []
    memory = streetai.classic("s1", on_error=errors.append)
    streetai.registry.close()

    assert memory.load_memory_variables({"input": "q"}) == {"history": ""}
    assert await memory.aload_memory_variables({"input": "q"}) == {"history": ""}
    memory.save_context({"input": "q"}, {"response": "r"})
    await memory.asave_context({"input": "q"}, {"response": "r"})

    assert [type(error).__name__ for error in errors] == ["ClosedError"] * 4
    with pytest.raises(RuntimeError, match="closed"):
        memory.clear()


def test_a_question_over_the_budget_is_asked_without_a_past(diary):
    """6.7, 6.8: The budget cannot hold the question; that is reported, and the chain goes on."""
    errors = []
    memory = chain_memory(diary, token_budget=5, on_error=errors.append)

    assert memory.load_memory_variables({"input": QUESTION * 5}) == {"history": ""}
    assert "token_budget" in str(errors[0])


def test_failing_callbacks_are_logged_only(diary, caplog):
    """6.7: Neither `on_error` nor `on_turn` can break a conversation."""

    def fail(_):
        raise LookupError("callback")

    with caplog.at_level(logging.ERROR, logger="streetai_langchain"):
        chain_memory(diary, token_budget=1, on_error=fail).load_memory_variables({"input": QUESTION})
        chain_memory(diary, on_turn=fail).save_context({"input": "q"}, {"response": "r"})

    assert [record.getMessage() for record in caplog.records] == ["on_error failed", "on_turn failed"]
    assert spoken(diary, "new") == [("user", "q"), ("assistant", "r")]
