"""`StreetAIChainMemory` when the memory fails: the conversation goes on."""

import logging

import pytest

from streetai_core.encoders import HashingEncoder
from streetai_langchain import StreetAIMemory
from tests.langchain_plugin.conftest import FACT, QUESTION, REPLY, chain_memory, seed, spoken


class BreakableEncoder(HashingEncoder):
    """The hashing encoder, until it is broken."""

    broken = False

    def embed(self, texts, kind):
        """Fail if broken."""
        if self.broken:
            raise OSError("the model is gone")
        return super().embed(texts, kind)


@pytest.fixture
def breakable(tmp_path):
    """A facade over an encoder that can be broken, and the errors that it reported."""
    errors = []
    encoder = BreakableEncoder()
    with StreetAIMemory(tmp_path / "breakable.db", embeddings=encoder, on_error=errors.append) as streetai:
        seed(streetai.registry)
        yield streetai, encoder, errors


async def test_a_failing_encoder_costs_recall_only(breakable, caplog):
    """Loading gives an empty history, saving stores nothing; both are logged once and reported, and neither raises."""
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


async def test_a_failure_to_learn_does_not_lose_the_turn(breakable):
    """Learning encodes the reply's sentences; if that fails the turn is stored and told all the same."""
    streetai, encoder, errors = breakable
    turns = []
    memory = streetai.classic("new", user_id="mara", on_turn=turns.append)
    inputs = {"input": QUESTION, **memory.load_memory_variables({"input": QUESTION})}
    # Two sentences, which are stored as one chunk and compared one by one: the chunk is known, the sentences are not.
    reply = "Your boat has a draught. It is one metre forty."
    streetai.registry.encoder.encode([reply, QUESTION])
    encoder.broken = True

    memory.save_context(inputs, {"response": reply})
    await memory.asave_context(inputs, {"response": reply})

    assert spoken(streetai.registry.get("mara"), "new") == [("user", QUESTION), ("assistant", reply)] * 2
    assert [(turn.prompt is not None, list(turn.updates)) for turn in turns] == [(True, []), (True, [])]
    assert len(errors) == 2


async def test_a_closed_registry_costs_no_reply(streetai):
    """Everything but `clear`, whose failure has to be known, goes on without the memory."""
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
    """The budget cannot hold the question; that is reported, and the chain goes on."""
    errors = []
    memory = chain_memory(diary, token_budget=5, on_error=errors.append)

    assert memory.load_memory_variables({"input": QUESTION * 5}) == {"history": ""}
    assert "token_budget" in str(errors[0])


def test_failing_callbacks_are_logged_only(diary, caplog):
    """Neither `on_error` nor `on_turn` can break a conversation."""

    def fail(_):
        raise LookupError("callback")

    with caplog.at_level(logging.ERROR, logger="streetai_langchain"):
        chain_memory(diary, token_budget=1, on_error=fail).load_memory_variables({"input": QUESTION})
        chain_memory(diary, on_turn=fail).save_context({"input": "q"}, {"response": "r"})

    assert [record.getMessage() for record in caplog.records] == ["on_error failed", "on_turn failed"]
    assert spoken(diary, "new") == [("user", "q"), ("assistant", "r")]
