"""`StreetAIChainMemory`: which input is the question, which output the reply, and which settings are refused."""

import pytest
from langchain_classic.memory import CombinedMemory, SimpleMemory
from langchain_core.messages import AIMessage
from pydantic import ValidationError

from streetai_langchain import StreetAIChainMemory
from tests.langchain_plugin.conftest import QUESTION, REPLY, chain_memory, spoken


def test_several_memories_in_one_chain(diary):
    """In a `CombinedMemory` each keeps to its own variable and learns from its own recall."""
    turns = []
    ours = chain_memory(diary, memory_key="past", on_turn=turns.append)
    combined = CombinedMemory(memories=[SimpleMemory(memories={"place": "Kiel"}), ours])

    inputs = {"input": QUESTION, **combined.load_memory_variables({"input": QUESTION})}
    combined.save_context(inputs, {"response": REPLY})

    assert spoken(diary, "new") == [("user", QUESTION), ("assistant", REPLY)]
    assert turns[0].updates


def test_a_turn_saved_by_hand_under_another_key(diary):
    """The key that was asked with is gone at the end: the one that is there is taken."""
    memory = chain_memory(diary)
    loaded = memory.load_memory_variables({"input": QUESTION})

    memory.save_context({"question": QUESTION, **loaded}, {"response": REPLY})

    assert spoken(diary, "new") == [("user", QUESTION), ("assistant", REPLY)]


@pytest.mark.parametrize(
    ("outputs", "reply"),
    [
        ({"anything": "a"}, "a"),
        ({"output": "b", "intermediate_steps": []}, "b"),
        ({"source_documents": [], "answer": "c", "text": "d"}, "c"),
        ({"generated": 1, "result": "e"}, "e"),
        ({"response": AIMessage([{"type": "text", "text": "f"}]), "x": 1}, "f"),
    ],
)
def test_the_reply_is_found_among_the_outputs(diary, outputs, reply):
    """The only output, or the one with a usual name, whatever its type."""
    chain_memory(diary).save_context({"question": "q"}, outputs)

    assert spoken(diary, "new") == [("user", "q"), ("assistant", reply)]


def test_keys_can_be_named(diary):
    """Named keys win over guessing."""
    memory = chain_memory(diary, input_key="b", output_key="y")

    memory.load_memory_variables({"a": "1", "b": "2"})
    memory.save_context({"a": "1", "b": "2"}, {"output": "3", "y": "4"})

    assert spoken(diary, "new") == [("user", "2"), ("assistant", "4")]


@pytest.mark.parametrize(
    ("options", "inputs", "outputs", "message"),
    [
        ({}, {"a": "1", "b": "2"}, {"o": "3"}, "^One input key expected got "),
        ({}, {"history": "", "stop": ["x"]}, {"o": "3"}, "^One input key expected got "),
        ({}, {"a": "1", "stop": ["x"]}, {"o": "3", "p": "4"}, "^Got multiple output keys: "),
        ({}, {"a": "1"}, {}, "^Got multiple output keys: "),
        ({"input_key": "c"}, {"a": "1"}, {"o": "3"}, "input_key 'c' is not among the inputs"),
        ({"output_key": "c"}, {"a": "1"}, {"o": "3"}, "output_key 'c' is not among the outputs"),
    ],
)
async def test_keys_that_cannot_be_told_raise(diary, options, inputs, outputs, message):
    """6.7: A mistake of the caller is not hidden, and nothing is stored."""
    memory = chain_memory(diary, **options)

    with pytest.raises(ValueError, match=message):
        memory.save_context(inputs, outputs)
    with pytest.raises(ValueError, match=message):
        await memory.asave_context(inputs, outputs)
    assert spoken(diary, "new") == []


def test_a_wrong_question_key_raises_before_the_model_is_paid(diary):
    """6.7: Loading already says that the question cannot be told."""
    with pytest.raises(ValueError, match=r"^One input key expected got "):
        chain_memory(diary).load_memory_variables({"a": "1", "b": "2"})


@pytest.mark.parametrize(
    "options",
    [
        {"conversation_id": ""},
        {"conversation_id": "a\0b"},
        {"token_budget": 0},
        {"token_budget": True},
        {"memory_key": ""},
        {"memory": "memory.db"},
        {"return_mesages": True},
    ],
)
def test_wrong_settings_are_refused_at_once(diary, options):
    """6.7: Not in the middle of a conversation."""
    with pytest.raises(ValidationError):
        StreetAIChainMemory(**({"memory": diary} | options))
