"""No async path of any view blocks the event loop: not to recall, store, learn, or give up."""

import asyncio
import contextlib
import inspect
from types import SimpleNamespace

import pytest
from langchain_classic.chains import ConversationChain
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_core.runnables.history import RunnableWithMessageHistory

import streetai_langchain
from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_langchain import StreetAIMemory
from streetai_langchain.tools import MemoryTools
from tests.event_loop import never_blocked
from tests.langchain_plugin.agents import Agent, calls
from tests.langchain_plugin.conftest import QUESTION, REPLY, seed
from tests.langchain_plugin.scripted import ScriptedChatModel, script
from tests.langchain_plugin.ways import acut, astream

# Both classes are deprecated, and in wide use: they warn when they are made, and only then.
pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{what}:langchain_core._api.deprecation.LangChainDeprecationWarning")
    for what in ("The class `ConversationChain` was", "RunnableWithMessageHi")
]

MARA = {"configurable": {"user_id": "mara", "session_id": "new", "thread_id": "new"}}
ASKED = {"input": QUESTION}
WITH_HISTORY = ChatPromptTemplate.from_messages([MessagesPlaceholder("history"), ("human", "{input}")])
WITH_DOCUMENTS = ChatPromptTemplate.from_template("{documents}\n\n{question}")


@pytest.fixture
def served(tmp_path):
    """A facade on a real file, the errors that it hides, and an id; opened anew, so that nothing is in RAM yet."""
    with MemoryRegistry(tmp_path / "memory.db", encoder=HashingEncoder()) as registry:
        message_id = seed(registry).messages()[0].message_id
    errors = []
    with StreetAIMemory(tmp_path / "memory.db", embeddings=HashingEncoder(), on_error=errors.append) as streetai:
        yield SimpleNamespace(streetai=streetai, errors=errors, message_id=message_id)


def speaker(*replies):
    """A model that says the replies one after the other."""
    return ScriptedChatModel(reply=script(*replies or [REPLY]))


def wrapped(served, *replies):
    """A chain with a memory."""
    return served.streetai.wrap(WITH_HISTORY | speaker(*replies), input_key="input", memory_key="history")


# --------------------------------------------------------------------- agents


# To compile a graph, LangGraph may read source code, so these make the agent before the loop is watched.


def agent_invoked(served):
    """A turn with a tool, and the next one."""
    graph = Agent(served.streetai, (calls("Kiel"), REPLY, REPLY)).graph

    async def run():
        await graph.ainvoke({"messages": [HumanMessage(QUESTION)]}, MARA)
        await graph.ainvoke({"messages": [HumanMessage("And my sister Lena?")]}, MARA)

    return run()


def agent_streamed(served):
    """The same, token by token."""
    graph = Agent(served.streetai, (calls("Kiel"), REPLY)).graph

    async def run():
        async for _ in graph.astream({"messages": [HumanMessage(QUESTION)]}, MARA, stream_mode="messages"):
            pass

    return run()


def agent_failing(served):
    """The model breaks off."""
    graph = Agent(served.streetai, (calls("Kiel"), ConnectionError("down"))).graph

    async def run():
        with pytest.raises(ConnectionError):
            await graph.ainvoke({"messages": [HumanMessage(QUESTION)]}, MARA)

    return run()


def agent_closed(served):
    """Nobody wants to hear the end."""
    graph = Agent(served.streetai, (calls("Kiel"), REPLY)).graph

    async def run():
        stream = graph.astream({"messages": [HumanMessage(QUESTION)]}, MARA, stream_mode="updates")
        await anext(stream)
        await stream.aclose()

    return run()


# ----------------------------------------------------------------------- wrap


async def wrap_invoked(served):
    """Recall, storing and learning."""
    await wrapped(served).ainvoke(ASKED, MARA)


async def wrap_streamed(served):
    """The same piece by piece."""
    await astream(wrapped(served), ASKED, MARA)


async def wrap_batched(served):
    """Two at once."""
    await wrapped(served, REPLY, REPLY).abatch([ASKED, {"input": "And my sister Lena?"}], [MARA, MARA])


async def wrap_failing(served):
    """The model gives no answer, in both ways to ask; the user's message is stored."""
    chat = wrapped(served, ConnectionError("down"), ConnectionError("down"))
    with pytest.raises(ConnectionError):
        await chat.ainvoke(ASKED, MARA)
    with pytest.raises(ConnectionError):
        await astream(chat, ASKED, MARA)


async def wrap_closed(served):
    """The stream is closed after two pieces; what came of the reply is stored."""
    await acut(wrapped(served), ASKED, MARA)


async def wrap_cancelled(served):
    """Somebody presses stop before the first word; the user's message is stored."""
    for way in (lambda chat: chat.ainvoke(ASKED, MARA), lambda chat: astream(chat, ASKED, MARA)):
        waiting = asyncio.Event()

        async def never(_, waiting=waiting):
            waiting.set()
            await asyncio.Event().wait()

        chat = served.streetai.wrap(
            RunnableLambda(lambda value: value, afunc=never), input_key="input", memory_key="history"
        )
        task = asyncio.ensure_future(way(chat))
        await waiting.wait()
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


# ------------------------------------------------------- retriever and handler


async def retriever_invoked(served):
    """One question."""
    assert len(await served.streetai.retriever(k=3).ainvoke(QUESTION, MARA)) == 3


async def retriever_batched(served):
    """Several at once."""
    await served.streetai.retriever(k=3).abatch([QUESTION, "And my sister?"], [MARA, MARA])


def learning_chain(served):
    """A chain of an application's own."""
    given = {"documents": served.streetai.retriever(k=2), "question": RunnablePassthrough()}
    return given | WITH_DOCUMENTS | speaker(REPLY, REPLY) | StrOutputParser()


async def handler_told(served):
    """A handler learns from an async run and from an async stream."""
    config = {**MARA, "callbacks": [served.streetai.callback_handler()]}
    chain = learning_chain(served)
    await chain.ainvoke(QUESTION, config)
    await astream(chain, QUESTION, config)


async def handler_tracking(served):
    """The same inside a block."""
    with served.streetai.track():
        await learning_chain(served).ainvoke(QUESTION, MARA)


async def documents_given_back(served):
    """An application learns by itself."""
    documents = await served.streetai.retriever(k=2).ainvoke(QUESTION, MARA)
    assert await served.streetai.apost_process("new", documents, REPLY, user_id="mara")


# -------------------------------------------------------- classic and history


async def classic_chain(served):
    """Two turns of a chain."""
    chain = ConversationChain(llm=speaker(REPLY, REPLY), memory=served.streetai.classic("new", user_id="mara"))
    await chain.ainvoke(ASKED)
    await chain.ainvoke({"input": "And my sister Lena?"})


async def classic_by_hand(served):
    """Each method."""
    memory = served.streetai.classic("new", user_id="mara")
    loaded = await memory.aload_memory_variables(ASKED)
    await memory.asave_context({**ASKED, **loaded}, {"response": REPLY})
    await memory.aclear()


async def history_in_a_chain(served):
    """LangChain makes the handle on the event loop."""
    chat = RunnableWithMessageHistory(
        WITH_HISTORY | speaker(REPLY, REPLY),
        served.streetai.chat_history,
        input_messages_key="input",
        history_messages_key="history",
    )
    await chat.ainvoke(ASKED, {"configurable": {"session_id": "mara"}})
    await astream(chat, ASKED, {"configurable": {"session_id": "mara"}})


async def history_by_hand(served):
    """Each method."""
    history = served.streetai.chat_history("new", user_id="mara", window=2)
    await history.aadd_messages([HumanMessage("Ahoy"), AIMessage("Ahoy, captain"), HumanMessage("Bye")])
    assert [message.text for message in await history.aget_messages()] == ["Bye"]
    await history.aclear()


# ---------------------------------------------------------------------- tools


async def tools_called(served):
    """Each tool, and a wrong id."""
    tools = {tool.name: tool for tool in served.streetai.tools()}
    await tools["search_memory"].ainvoke({"query": QUESTION}, MARA)
    await tools["remember"].ainvoke({"text": "Mara likes the sea."}, MARA)
    await tools["update_message"].ainvoke({"message_id": served.message_id, "text": "I am Mara."}, MARA)
    await tools["forget"].ainvoke({"message_id": served.message_id}, MARA)
    await tools["forget"].ainvoke({"message_id": served.message_id}, MARA)


PATHS = {
    agent_invoked: "StreetAIMemoryMiddleware.abefore_agent awrap_model_call aafter_agent",
    agent_streamed: "",
    agent_failing: "",
    agent_closed: "",
    wrap_invoked: "StreetAIRunnable.ainvoke",
    wrap_streamed: "StreetAIRunnable.astream",
    wrap_batched: "",
    wrap_failing: "",
    wrap_closed: "",
    wrap_cancelled: "",
    retriever_invoked: "StreetAIRetriever.ainvoke",
    retriever_batched: "",
    handler_told: "",
    handler_tracking: "",
    documents_given_back: "StreetAIMemory.apost_process",
    classic_chain: "",
    classic_by_hand: "StreetAIChainMemory.aload_memory_variables asave_context aclear",
    history_in_a_chain: "",
    history_by_hand: "StreetAIChatMessageHistory.aget_messages aadd_messages aclear",
    tools_called: "MemoryTools.asearch_memory aremember aupdate_message aforget",
}
"""What gives a coroutine to run, and the async methods that it is there for."""


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.__name__)
async def test_an_async_path_never_blocks_the_loop(served, path):
    """A web server stands still for all its users while one of them waits for the memory."""
    run = path(served)
    with never_blocked() as blocking:
        await run
    assert blocking == []
    assert served.errors == []


def test_no_async_method_is_left_out():
    """A new async method that blocks the loop goes unseen."""
    public = [getattr(streetai_langchain, name) for name in streetai_langchain.__all__]
    ours = [one for one in [*public, MemoryTools] if inspect.isclass(one)]
    found = {
        f"{one.__name__}.{name}"
        for one in ours
        for name, value in vars(one).items()
        if not name.startswith("_") and (inspect.iscoroutinefunction(value) or inspect.isasyncgenfunction(value))
    }
    covered = {
        f"{owner}.{name}"
        for owner, _, names in (methods.partition(".") for methods in PATHS.values())
        for name in names.split()
    }
    assert covered == found
