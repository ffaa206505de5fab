"""LangChain's serialiser must not promise to load what it cannot, nor write down what it should not see."""

import copy
import pickle

import pytest
from langchain.agents import create_agent
from langchain_core.load import dumps, loads
from langchain_core.runnables import RunnableLambda

from streetai_core.errors import PickledHandleError
from tests.langchain_plugin.conftest import DIARY, QUESTION
from tests.langchain_plugin.scripted import ScriptedChatModel, script

# LangChain's loader is in beta, and says so.
pytestmark = pytest.mark.filterwarnings("ignore:The function `loads` is in beta")

PARTS = {
    "middleware": lambda streetai: streetai.middleware("s1", user_id="mara"),
    "agent": lambda streetai: create_agent(ScriptedChatModel(reply=script()), middleware=[streetai.middleware("s1")]),
    "wrap": lambda streetai: streetai.wrap(RunnableLambda(str), session_id="s1"),
    "retriever": lambda streetai: streetai.retriever("s1", user_id="mara"),
    "callback handler": lambda streetai: streetai.callback_handler("s1"),
    "classic": lambda streetai: streetai.classic("s1", user_id="mara"),
    "chat history": lambda streetai: streetai.chat_history("s1", user_id="mara"),
}


@pytest.mark.parametrize("name", PARTS)
def test_no_part_pretends_to_be_loadable(diary, streetai, tmp_path, name):
    """6.13: a class outside LangChain's own is refused by its loader; and a trace has neither text nor the path."""
    part = PARTS[name](streetai)

    assert not getattr(type(part), "is_lc_serializable", bool)()
    written = dumps(part)
    assert "not_implemented" in written
    assert str(tmp_path) not in written
    assert not any(text in written for _, text in DIARY)
    with pytest.raises(NotImplementedError):
        loads(written, allowed_objects="core")


@pytest.mark.parametrize("name", PARTS)
def test_a_part_can_be_copied_and_not_pickled(diary, streetai, name):
    """A copy of a chain is on the same memory; another process has to make its own."""
    part = PARTS[name](streetai)
    again = copy.deepcopy(part)

    assert type(again) is type(part)
    if name != "agent":
        with pytest.raises(PickledHandleError, match="MemoryRegistry"):
            pickle.dumps(part)


def test_a_copied_chain_works(diary, streetai):
    """It recalls and stores as the one that it was copied from; both at once, too."""
    model = ScriptedChatModel(reply=lambda _: "It is one metre forty.")
    chat = copy.deepcopy(streetai.wrap(model, session_id="s1", user_id="mara"))
    retriever = streetai.retriever(user_id="mara", k=2).model_copy(deep=True)
    chat.invoke(QUESTION)

    assert [one.content for one in diary.messages(conversation_id="s1")] == [QUESTION, "It is one metre forty."]
    assert len(retriever.invoke(QUESTION)) == 2
