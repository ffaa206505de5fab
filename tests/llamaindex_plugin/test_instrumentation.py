"""`StreetAIInstrumentation`: pipelines that only use the retriever are learned from, and others are left alone."""

import asyncio
import threading

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.chat_engine import CondensePlusContextChatEngine, ContextChatEngine, SimpleChatEngine
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.instrumentation.event_handlers import NullEventHandler
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.tools import QueryEngineTool, RetrieverTool

from streetai_core.errors import InputError
from streetai_llamaindex import StreetAIInstrumentation, StreetAIRetriever
from tests.event_loop import never_blocked
from tests.llamaindex_plugin.conftest import FACT, QUESTION, REPLY, SESSION, assistant, said, steps, talk, user
from tests.llamaindex_plugin.engines import ENGINES, FRAMEWORK_WARNINGS
from tests.llamaindex_plugin.scripted import Draught, Script, ScriptedChat, ScriptedCompletion, calls, text_of_prompt
from tests.llamaindex_plugin.styles import STYLES, chat, cut

pytestmark = FRAMEWORK_WARNINGS

every_style = pytest.mark.parametrize("style", STYLES, ids=lambda style: style.__name__)


@pytest.fixture(params=["registry", "memory"])
def listening(request, memory):
    """An instrumentation that is installed, for all sessions or for one."""
    instrumentation = StreetAIInstrumentation(memory if request.param == "memory" else memory.registry).install()
    yield instrumentation
    instrumentation.uninstall()
    assert not instrumentation.installed


def script_of(reply=REPLY):
    """A model that gives a standalone question where it is asked for one, else a reply."""
    return Script(lambda messages: QUESTION if "standalone" in text_of_prompt(messages) else reply)


def query_engine(memory, llm, **options):
    """A query engine over the memory alone."""
    return RetrieverQueryEngine.from_args(memory.as_retriever(similarity_top_k=2), llm=llm, **options)


async def query(engine):
    """Ask the engine, and read all of the answer."""
    return str(await asyncio.to_thread(engine.query, QUESTION))


async def aquery(engine):
    """The same on the event loop."""
    return str(await engine.aquery(QUESTION))


async def stream(engine):
    """Word by word: the model works after the call of the engine has ended."""
    return "".join(await asyncio.to_thread(lambda: list(engine.query(QUESTION).response_gen)))


async def astream(engine):
    """The same on the event loop."""
    response = await engine.aquery(QUESTION)
    return "".join([word async for word in response.response_gen])


QUERIES = [(query, False), (aquery, False), (stream, True), (astream, True)]


@pytest.mark.parametrize(("ask", "streaming"), QUERIES, ids=lambda value: getattr(value, "__name__", ""))
async def test_a_query_engine(memory, listening, ask, streaming):
    """9.8: Without a memory the handler learns: each node once, and the one that was used is praised."""
    engine = query_engine(memory, ScriptedChat(script=script_of()), streaming=streaming)
    for number in (1, 2):
        assert await ask(engine) == REPLY
        await asyncio.to_thread(listening.flush)
        assert steps(memory) == 2 * number
    core = memory.registry.get(SESSION)
    signal = next(one for one in core.signals if one.content == FACT)
    assert [step.action for step in core.history(signal.signal_id)] == ["boost", "boost"]
    assert len(said(memory)) == 42


@pytest.mark.parametrize("ask", [query, aquery], ids=lambda ask: ask.__name__)
async def test_a_structured_answer(memory, listening, ask):
    """9.8: A chat model gives it by a call, which is no call of a tool that anybody has."""
    script = script_of(calls("Draught", {"text": REPLY}))
    engine = query_engine(memory, ScriptedChat(script=script), output_cls=Draught)
    assert REPLY in await ask(engine)
    await asyncio.to_thread(listening.flush)
    assert steps(memory) == 2


@pytest.mark.parametrize("ask", [query, aquery], ids=lambda ask: ask.__name__)
async def test_a_model_that_completes_texts(memory, listening, ask):
    """9.8: A model without a chat is heard by what the engine has made of its text."""
    assert await ask(query_engine(memory, ScriptedCompletion(script=script_of()))) == REPLY
    await asyncio.to_thread(listening.flush)
    assert steps(memory) == 2


@every_style
@pytest.mark.parametrize("kind", [ContextChatEngine, CondensePlusContextChatEngine])
async def test_beside_a_stock_memory(memory, listening, kind, style):
    """9.8: A chat engine with LlamaIndex's own memory: one learning step a turn, none for condensed questions."""
    stock = ChatMemoryBuffer.from_defaults(token_limit=400)
    retriever = memory.as_retriever(similarity_top_k=2)
    engine = kind.from_defaults(retriever, llm=ScriptedChat(script=script_of()), memory=stock)
    for number in (1, 2):
        assert await style(engine, stock, QUESTION) == REPLY
        await asyncio.to_thread(listening.flush)
        assert steps(memory) == 2 * number


@every_style
@pytest.mark.parametrize("kind", [ContextChatEngine, CondensePlusContextChatEngine])
async def test_beside_our_memory(memory, listening, kind, style):
    """9.8: With the memory and the retriever in one engine the memory learns, and nobody a second time."""
    retriever = memory.as_retriever(similarity_top_k=2)
    engine = kind.from_defaults(retriever, llm=ScriptedChat(script=script_of()), memory=memory)
    before = memory.registry.get(SESSION).stats()["turn_counter"]
    assert await style(engine, memory, QUESTION) == REPLY
    await asyncio.to_thread(listening.flush)
    assert memory.last_turn.outcome == "answered"
    assert steps(memory) == len(memory.conversation.turns.last.retrieved)
    assert memory.registry.get(SESSION).stats()["turn_counter"] == before + 2


@pytest.mark.parametrize("engine", ENGINES, ids=str)
async def test_engines_with_the_memory_alone(memory, listening, engine):
    """9.8: Every engine and agent with the memory learns once, whether or not there is a handler."""
    question = "What is the draught of my boat? (q1)"
    built = engine.build(memory, Script(engine.script(lambda _: REPLY)))
    assert await chat(built, memory, question) == REPLY
    await asyncio.to_thread(listening.flush)
    assert steps(memory) == len(memory.last_turn.hits) > 0


@pytest.mark.parametrize("of", ["query engine", "retriever"])
async def test_an_agents_tool(memory, listening, of):
    """9.8: What an agent's tool has retrieved is learned from once, from the agent's answer."""
    if of == "retriever":
        tool = RetrieverTool.from_defaults(memory.as_retriever(similarity_top_k=2), description="What was said.")
    else:
        tool = QueryEngineTool.from_defaults(
            query_engine(memory, ScriptedChat(script=script_of())), description="What was said."
        )
    script = Script(
        lambda messages: REPLY if messages[-1].role == "tool" else calls(tool.metadata.name, {"input": QUESTION})
    )
    assert str(await FunctionAgent(tools=[tool], llm=ScriptedChat(script=script)).run(QUESTION)) == REPLY
    await asyncio.to_thread(listening.flush)
    assert steps(memory) == 2


def test_by_hand(memory, listening):
    """9.8: An application that retrieves and then asks a model itself is learned from."""
    llm = ScriptedChat(script=script_of())
    nodes = memory.as_retriever(similarity_top_k=2).retrieve(QUESTION)
    llm.chat([user("\n".join(node.text for node in nodes))])
    listening.flush()
    assert steps(memory) == 2


def test_what_was_read_from_a_memory(memory):
    """9.8: A memory that is read and never written is learned from; one that gets the reply learns by itself."""
    llm = ScriptedChat(script=script_of())
    instrumentation = StreetAIInstrumentation(memory).install()
    try:
        llm.chat([*memory.get(input=QUESTION), user(QUESTION)])
        assert steps(memory) == len(memory.last_turn.hits) > 0
        assert memory.last_turn.reply == REPLY
        known, before = steps(memory), memory.registry.get(SESSION).stats()["turn_counter"]
        memory.put(user(QUESTION))
        reply = llm.chat(memory.get()).message
        memory.put(reply)
        assert steps(memory) == known + len(memory.last_turn.hits)
        assert memory.registry.get(SESSION).stats()["turn_counter"] == before + 2
        list(llm.stream_chat([*memory.get(input="What came on day 3?"), user("What came on day 3?")]))
        assert memory.last_turn.outcome == "answered"
    finally:
        instrumentation.uninstall()


def test_a_prompt_from_the_memory_is_nearer(memory):
    """9.7: A retrieval for something else, in the same context before, gets no credit for the reply."""
    instrumentation = StreetAIInstrumentation(memory).install()
    [other] = memory.as_retriever(similarity_top_k=1).retrieve("the wind on day 7")
    prompt = [*memory.get(input=QUESTION), user(QUESTION)]
    ScriptedChat(script=script_of()).chat(prompt)
    instrumentation.uninstall()
    assert memory.last_turn.reply == REPLY
    assert steps(memory) == len(memory.last_turn.hits) > 0
    recalled = {hit.signal.signal_id for hit in memory.last_turn.hits}
    assert other.node_id in recalled or not memory.registry.get(SESSION).history(other.node_id)


@pytest.mark.parametrize("fails", ["model", "stream"])
def test_failures_teach_nothing(memory, listening, fails):
    """9.6: The model fails, or its stream breaks off: neither praise nor blame."""

    def down(_):
        raise ConnectionError("the model is down")

    script = Script(down) if fails == "model" else Script(lambda _: REPLY, fail_after=2)
    engine = query_engine(memory, ScriptedChat(script=script), streaming=fails == "stream")
    with pytest.raises(ConnectionError):
        list(getattr(engine.query(QUESTION), "response_gen", ()))
    listening.flush()
    assert steps(memory) == 0


def test_nothing_but_a_retrieval(memory, listening):
    """9.6: A bare retrieval, a tool call and "Empty Response" are no replies."""
    retriever = memory.as_retriever(similarity_top_k=2)
    retriever.retrieve(QUESTION)
    ScriptedChat(script=Script(lambda _: calls("tide", {"harbour": "Kiel"}))).chat([user(QUESTION)])
    ScriptedChat(script=Script(lambda _: "Empty Response")).chat([user(QUESTION)])
    listening.flush()
    assert steps(memory) == 0


async def test_a_stream_that_is_closed_early(memory, listening):
    """9.19: The reader goes away, the engine reads on: the whole reply is learned from."""
    stock = ChatMemoryBuffer.from_defaults(token_limit=400)
    retriever = memory.as_retriever(similarity_top_k=2)
    engine = ContextChatEngine.from_defaults(retriever, llm=ScriptedChat(script=script_of()), memory=stock)
    await cut(engine, stock, QUESTION)
    listening.flush()
    assert steps(memory) == 2
    assert memory.last_turn.reply == REPLY


async def test_several_at_once(memory, listening):
    """9.7: Three streams at once, as tasks and as threads: each reply is judged against its own nodes."""
    questions = {f"What came on day {day}?": f"On day {day} the wind came from the north-west." for day in (3, 8, 15)}
    script = Script(lambda messages: next(reply for q, reply in questions.items() if q in text_of_prompt(messages)))
    engine = query_engine(memory, ScriptedChat(script=script), streaming=True)
    everyone = threading.Barrier(len(questions))

    async def one(question):
        response = await engine.aquery(question)
        return "".join([word async for word in response.response_gen])

    def other(question):
        response = engine.query(question)
        everyone.wait()
        return "".join(response.response_gen)

    assert await asyncio.gather(*map(one, questions)) == list(questions.values())
    assert await asyncio.gather(*(asyncio.to_thread(other, one) for one in questions)) == list(questions.values())
    await asyncio.to_thread(listening.flush)
    assert steps(memory) == 2 * 2 * len(questions)


async def test_it_never_blocks_the_loop(memory):
    """9.15: What is heard on an event loop is learned on a worker thread."""
    retriever = memory.as_retriever(similarity_top_k=2)
    llm = ScriptedChat(script=script_of())
    instrumentation = StreetAIInstrumentation(memory).install()
    with never_blocked() as blocking:
        await retriever.aretrieve(QUESTION)
        await llm.achat([user(QUESTION)])
    assert blocking == []
    await asyncio.to_thread(instrumentation.uninstall)
    assert steps(memory) == 2


def test_install_and_uninstall(memory):
    """Installed twice it listens once; what others have installed stays."""
    dispatcher = get_dispatcher()
    others = NullEventHandler()
    before = list(dispatcher.span_handlers)
    dispatcher.add_event_handler(others)
    first = StreetAIInstrumentation(memory)
    assert not first.installed
    assert first.install() is first.install()
    second = StreetAIInstrumentation(memory.registry).install()
    assert query_engine(memory, ScriptedChat(script=script_of())).query(QUESTION).response == REPLY
    first.uninstall()
    second.uninstall()
    first.uninstall()
    assert steps(memory) == 2
    assert others in dispatcher.event_handlers
    dispatcher.event_handlers.remove(others)
    assert list(dispatcher.span_handlers) == before
    query_engine(memory, ScriptedChat(script=script_of())).query(QUESTION)
    assert steps(memory) == 2


def test_other_sessions_and_engines(memory, make, registry):
    """9.16: A handler for one session leaves the others alone."""
    other = make("tom")
    other.put_messages([user(FACT), assistant("Good to know.")])
    instrumentation = StreetAIInstrumentation(memory).install()
    query_engine(other, ScriptedChat(script=script_of())).query(QUESTION)
    instrumentation.uninstall()
    assert steps(other, "tom") == 0
    with pytest.raises(InputError, match="engine must be"):
        StreetAIInstrumentation(7)


def test_failures_are_reported(make):
    """9.14: The memory fails while it learns: the reply is there, and the failure is told."""
    failures = []
    memory = make()
    talk(memory)
    registry = memory.registry

    def answer(_):
        registry.close()
        return REPLY

    instrumentation = StreetAIInstrumentation(memory, on_error=failures.append).install()
    response = query_engine(memory, ScriptedChat(script=Script(answer))).query(QUESTION)
    instrumentation.uninstall()
    assert response.response == REPLY
    assert len(failures) == 1


def test_engines_without_our_retriever(memory, listening):
    """Everything else in the process goes on as if nobody listened."""
    stock = ChatMemoryBuffer.from_defaults(token_limit=400)
    engine = SimpleChatEngine.from_defaults(llm=ScriptedChat(script=script_of()), memory=stock)
    assert engine.chat(QUESTION).response == REPLY
    assert StreetAIRetriever(memory, session_id="nobody").retrieve(QUESTION) == []
    assert steps(memory) == 0
