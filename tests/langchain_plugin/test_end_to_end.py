"""A user's days with a chain, a real model of meaning and a real file."""

import pytest
from langchain_classic.chains import ConversationChain
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables.history import RunnableWithMessageHistory

from streetai_core.encoders import OfflineMiniLM, offline_available
from streetai_langchain import StreetAIMemory
from tests.langchain_plugin.scripted import ScriptedChatModel, script, text_of_prompt

pytestmark = [
    pytest.mark.skipif(not offline_available(), reason="needs the extra `offline`"),
    # The classes that are tested here are deprecated, and in wide use: they warn when they are made, and only then.
    pytest.mark.filterwarnings(
        "ignore:The class `ConversationChain` was:langchain_core._api.deprecation.LangChainDeprecationWarning"
    ),
    pytest.mark.filterwarnings(
        "ignore:RunnableWithMessageHistory is deprecated:langchain_core._api.deprecation.LangChainDeprecationWarning"
    ),
]

MONDAY = (
    ("I was diagnosed with coeliac disease last spring.", "I am sorry to hear that. I will keep it in mind."),
    ("My daughter Ida plays the cello in the youth orchestra.", "How lovely. The cello is a demanding instrument."),
    ("We moved from Oslo to a farm near Bergen.", "A farm near Bergen must be beautiful, and rainy."),
    ("The old tractor needs a new gearbox.", "A used gearbox may be the cheaper choice for an old tractor."),
    ("I usually get up at five to milk the goats.", "Goats do like their routine."),
)


@pytest.fixture
def path(tmp_path):
    """The file of an application that ran on Monday and was stopped."""
    path = tmp_path / "memory.db"
    with StreetAIMemory(path, embeddings=OfflineMiniLM()) as streetai:
        chain = ConversationChain(
            llm=ScriptedChatModel(reply=script(*(reply for _, reply in MONDAY))),
            memory=streetai.classic("monday", user_id="sol"),
        )
        for question, _ in MONDAY:
            chain.invoke({"input": question})
    return path


def test_a_second_session_recalls_a_fact_of_the_first(path):
    """Asked in other words, in another session, after a restart; and the reply makes the fact stronger."""
    turns = []
    with StreetAIMemory(path, embeddings=OfflineMiniLM()) as streetai:
        model = ScriptedChatModel(reply=script("With coeliac disease rye bread is out: it has gluten."))
        chain = ConversationChain(llm=model, memory=streetai.classic("tuesday", user_id="sol", on_turn=turns.append))

        chain.invoke({"input": "Which foods should I avoid because of my illness?"})

        sent = text_of_prompt(model.prompts[0])
        assert "user: I was diagnosed with coeliac disease last spring." in sent
        assert "tractor" not in sent
        fact = next(update for update in turns[0].updates if "coeliac" in update["content"])
        assert fact["action"] == "boost"
        assert fact["new_weight"] > fact["old_weight"]


async def test_async_streaming_recalls_too(path):
    """The same through `astream`."""
    with StreetAIMemory(path, embeddings=OfflineMiniLM()) as streetai:
        model = ScriptedChatModel(reply=script("Ida plays the cello."))
        chain = ConversationChain(llm=model, memory=streetai.classic("tuesday", user_id="sol"))

        async for _ in chain.astream({"input": "What instrument does my daughter play?"}):
            pass

        assert "user: My daughter Ida plays the cello in the youth orchestra." in text_of_prompt(model.prompts[0])


def test_a_chat_history_goes_on_where_the_chain_stopped(path):
    """Another kind of component, after a restart, on the same session."""
    with StreetAIMemory(path, embeddings=OfflineMiniLM()) as streetai:
        model = ScriptedChatModel(reply=script("You get up at five."))
        prompt = ChatPromptTemplate([MessagesPlaceholder("history"), ("human", "{input}")])
        chain = RunnableWithMessageHistory(
            prompt | model,
            lambda session_id: streetai.chat_history(session_id, user_id="sol", window=2),
            input_messages_key="input",
            history_messages_key="history",
        )

        chain.invoke({"input": "When do I get up?"}, {"configurable": {"session_id": "monday"}})

        sent = [(type(message), message.content) for message in model.prompts[0]]
        assert sent == [(HumanMessage, MONDAY[-1][0]), (AIMessage, MONDAY[-1][1]), (HumanMessage, "When do I get up?")]
        assert len(streetai.chat_history("monday", user_id="sol").messages) == 2 * len(MONDAY) + 2
