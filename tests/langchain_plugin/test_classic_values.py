"""`StreetAIChainMemory`: what a question and a reply may be, beside LangChain's own memory."""

import enum

import pytest
from langchain_classic.chains import ConversationChain
from langchain_classic.memory import ConversationBufferMemory
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.prompt_values import StringPromptValue
from pydantic import ValidationError

from streetai_core.errors import InputError
from tests.langchain_plugin.conftest import QUESTION, REPLY, chain_memory, spoken
from tests.langchain_plugin.scripted import ScriptedChatModel, script

pytestmark = [
    pytest.mark.filterwarnings(
        f"ignore:The class `{name}` was deprecated:langchain_core._api.deprecation.LangChainDeprecationWarning"
    )
    for name in ("ConversationChain", "ConversationBufferMemory", "InMemoryChatMessageHistory")
]

IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}


class Colour(str, enum.Enum):
    """Text that is a member of an enumeration, as an app's settings have."""

    RED = "red"


TAKEN = {
    "text": "How deep is it?",
    "no text": "",
    "blocks": [{"type": "text", "text": "How deep"}, {"type": "text", "text": " is it?"}, IMAGE],
    "an image": [IMAGE],
    "pieces": ["How deep", " is it?"],
    "a tuple": ("How deep", " is it?"),
    "no blocks": [],
    "bytes": "How tief ist's? ü".encode(),
    "a member": Colour.RED,
}
"""All that LangChain's own memory takes."""

MESSAGES = {
    "a message": HumanMessage(QUESTION),
    "blocks of a message": AIMessage([{"type": "text", "text": QUESTION}, IMAGE]),
    "messages": [HumanMessage(QUESTION)],
}
"""What it does not take, and ours does."""

REFUSED = {
    "nothing": None,
    "a number": 5,
    "a fraction": 2.5,
    "a flag": True,
    "a dict": {"a": 1},
    "an empty dict": {},
    "a block": {"type": "text", "text": "How deep is it?"},
    "numbers": [1, 2],
    "nothing in a list": [None],
    "a list in a list": [["How deep is it?"]],
    "messages and text": [HumanMessage(QUESTION), "How deep is it?"],
    "pairs": [("human", "How deep is it?")],
    "a prompt": StringPromptValue(text=QUESTION),
    "bytes that are no text": b"\xff",
    "an object": object(),
}
"""What neither takes: of each of these the `str` was stored for good."""


@pytest.mark.parametrize("name", TAKEN)
async def test_what_the_stock_memory_takes_is_taken(diary, name):
    """As question and as reply, with the same text: a chain that works must go on working. Blanks are not stored."""
    value = TAKEN[name]
    stock = ConversationBufferMemory()
    stock.save_context({"input": value}, {"response": value})
    roles = {"human": "user", "ai": "assistant"}
    texts = [(roles[one.type], str(one.text)) for one in stock.chat_memory.messages if one.text]
    memory = chain_memory(diary)

    loaded = memory.load_memory_variables({"input": value})
    memory.save_context({"input": value, **loaded}, {"response": value})
    await memory.aload_memory_variables({"input": value})
    await memory.asave_context({"input": value}, {"response": value})

    assert spoken(diary, "new") == texts * 2


@pytest.mark.parametrize("name", MESSAGES)
async def test_messages_are_taken(diary, name):
    """Agents and graphs hand them on."""
    value = MESSAGES[name]
    memory = chain_memory(diary)
    assert "one metre forty" in memory.load_memory_variables({"input": value})["history"]
    memory.save_context({"input": value}, {"response": value})
    await memory.asave_context({"input": value}, {"response": value})

    assert spoken(diary, "new") == [("user", QUESTION), ("assistant", QUESTION)] * 2


@pytest.mark.parametrize("name", REFUSED)
async def test_what_says_nothing_is_refused(diary, name):
    """6.7: Before anything is stored, with the key and what to do; a missing input became the user's word "None"."""
    value, errors = REFUSED[name], []
    with pytest.raises(ValidationError):
        ConversationBufferMemory().save_context({"input": value}, {"response": REPLY})
    memory = chain_memory(diary, on_error=errors.append)

    asked = rf"the input 'input' must be text, .* got {type(value).__name__}; .*input_key"
    with pytest.raises(InputError, match=asked):
        memory.load_memory_variables({"input": value})
    with pytest.raises(InputError, match=asked):
        await memory.aload_memory_variables({"input": value})
    with pytest.raises(InputError, match=asked):
        memory.save_context({"input": value}, {"response": REPLY})
    with pytest.raises(InputError, match=asked):
        await memory.asave_context({"input": value}, {"response": REPLY})
    answered = rf"the output 'response' must be text, .* got {type(value).__name__}; .*output_key"
    with pytest.raises(InputError, match=answered):
        memory.save_context({"input": QUESTION}, {"response": value})
    with pytest.raises(InputError, match=answered):
        await memory.asave_context({"input": QUESTION}, {"response": value})

    assert spoken(diary, "new") == []
    assert errors == []


def test_what_can_be_read_only_once_is_left_to_the_chain(diary):
    """Reading it would leave the chain with nothing."""
    pieces = iter(["How deep", " is it?"])
    with pytest.raises(InputError, match="must be text"):
        chain_memory(diary).load_memory_variables({"input": pieces})
    assert list(pieces) == ["How deep", " is it?"]


@pytest.mark.parametrize("value", [None, 5, {"a": 1}])
async def test_a_missing_input_is_told_before_the_model_is_paid(diary, value):
    """6.7: The chain raises, and the next turn is as if nothing had been asked."""
    model = ScriptedChatModel(reply=script(REPLY))
    chain = ConversationChain(llm=model, memory=chain_memory(diary))
    with pytest.raises(InputError, match="must be text"):
        chain.invoke({"input": value})
    with pytest.raises(InputError, match="must be text"):
        await chain.ainvoke({"input": value})
    assert model.prompts == []

    chain.invoke({"input": QUESTION})
    assert spoken(diary, "new") == [("user", QUESTION), ("assistant", REPLY)]
