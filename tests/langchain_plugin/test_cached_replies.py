"""A model with a cache gives the very message of an earlier turn again, id and all."""

import pytest
from langchain_core.caches import InMemoryCache
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables.history import RunnableWithMessageHistory

from streetai_langchain import StreetAIMemory
from tests.langchain_plugin.conftest import QUESTION, REPLY, spoken
from tests.langchain_plugin.scripted import ScriptedChatModel
from tests.langchain_plugin.ways import ainvoke, invoke

SESSION = {"configurable": {"session_id": "new"}}
SAID = [("user", QUESTION), ("assistant", REPLY)]
PROMPT = ChatPromptTemplate.from_template("{input}")


@pytest.fixture
def cached():
    """A chain that does not show its model the past, so that the same question is answered from the cache."""
    return PROMPT | ScriptedChatModel(reply=lambda _: REPLY, cache=InMemoryCache())


@pytest.mark.parametrize("way", [invoke, ainvoke])
async def test_wrap_stores_it_each_time(registry, cached, way):
    """6.2: Another turn has another reply, though the two are equal."""
    chat = StreetAIMemory(registry).wrap(cached, input_key="input", memory_key="history")
    for _ in range(3):
        await way(chat, {"input": QUESTION}, SESSION)

    assert spoken(registry.get("new"), "new") == SAID * 3


@pytest.mark.filterwarnings("ignore:RunnableWithMessageHistory is deprecated")
@pytest.mark.parametrize("way", [invoke, ainvoke])
async def test_a_transcript_has_it_each_time(registry, cached, way):
    """6.2: The same where LangChain hands over question and reply."""
    history = StreetAIMemory(registry).chat_history
    chain = RunnableWithMessageHistory(cached, history, input_messages_key="input", history_messages_key="history")
    for _ in range(3):
        await way(chain, {"input": QUESTION}, SESSION)

    assert spoken(registry.get("new"), "new") == SAID * 3


def test_what_is_added_again_is_still_stored_once(registry):
    """6.2: A retry adds a reply alone, or after the question that it had."""
    history = StreetAIMemory(registry).chat_history("new")
    turn = [HumanMessage(QUESTION, id="1"), AIMessage(REPLY, id="2")]
    for messages in (turn, turn, turn[1:]):
        history.add_messages(messages)

    assert history.messages == turn
