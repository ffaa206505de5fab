"""LangChain's serialiser must not promise to load what it cannot, nor write down what it should not see."""

import pytest
from langchain.agents import create_agent
from langchain_core.load import dumps, loads
from langchain_core.runnables import RunnableLambda

from tests.langchain_plugin.conftest import DIARY
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
