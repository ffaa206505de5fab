"""`StreetAICallbackHandler`: the same as the instrumentation, through the older callbacks."""

import asyncio

import pytest
from llama_index.core import Settings
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.callbacks import CallbackManager
from llama_index.core.callbacks.base_handler import BaseCallbackHandler
from llama_index.core.callbacks.schema import CBEventType, EventPayload
from llama_index.core.chat_engine import CondensePlusContextChatEngine, ContextChatEngine, SimpleChatEngine
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.tools import RetrieverTool

from streetai_core.errors import InputError
from streetai_llamaindex import StreetAICallbackHandler, StreetAIInstrumentation
from tests.llamaindex_plugin.conftest import FACT, QUESTION, REPLY, SESSION, assistant, said, steps, user
from tests.llamaindex_plugin.engines import ENGINES, FRAMEWORK_WARNINGS
from tests.llamaindex_plugin.scripted import Draught, Script, ScriptedChat, ScriptedCompletion, calls, text_of_prompt
from tests.llamaindex_plugin.styles import STYLES, achat, chat

pytestmark = FRAMEWORK_WARNINGS

every_style = pytest.mark.parametrize("style", STYLES, ids=lambda style: style.__name__)


@pytest.fixture(params=["registry", "memory"])
def handler(request, memory):
    """A handler in the settings, for all sessions or for one."""
    made = StreetAICallbackHandler(memory if request.param == "memory" else memory.registry)
    before = Settings.callback_manager
    Settings.callback_manager = CallbackManager([made])
    yield made
    Settings.callback_manager = before


def script_of(reply=REPLY):
    """A model that gives a standalone question where it is asked for one, else a reply."""
    return Script(lambda messages: QUESTION if "standalone" in text_of_prompt(messages) else reply)


def model(script=None):
    """A chat model with the callbacks of the settings."""
    return ScriptedChat(script=script or script_of(), callback_manager=Settings.callback_manager)


def retriever_of(memory):
    """A retriever with the callbacks of the settings."""
    return memory.as_retriever(similarity_top_k=2, callback_manager=Settings.callback_manager)


def query_engine(memory, llm, **options):
    """A query engine over the memory alone."""
    return RetrieverQueryEngine.from_args(retriever_of(memory), llm=llm, **options)


@pytest.mark.parametrize("on_loop", [False, True])
async def test_a_structured_answer(memory, handler, on_loop):
    """9.8: A chat model gives it by a call, which is no call of a tool that anybody has."""
    engine = query_engine(memory, model(script_of(calls("Draught", {"text": REPLY}))), output_cls=Draught)
    answer = await engine.aquery(QUESTION) if on_loop else await asyncio.to_thread(engine.query, QUESTION)
    assert REPLY in str(answer)
    await asyncio.to_thread(handler.flush)
    assert steps(memory) == 2


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("on_loop", [False, True], ids=["threads", "loop"])
async def test_a_query_engine(memory, handler, streaming, on_loop):
    """9.8: Without a memory the handler learns: each node once, and the one that was used is praised."""
    engine = query_engine(memory, model(), streaming=streaming)

    def ask():
        return str(engine.query(QUESTION))

    async def aask():
        response = await engine.aquery(QUESTION)
        return "".join([word async for word in response.response_gen]) if streaming else str(response)

    for number in (1, 2):
        assert (await aask() if on_loop else await asyncio.to_thread(ask)) == REPLY
        await asyncio.to_thread(handler.flush)
        assert steps(memory) == 2 * number
    core = memory.registry.get(SESSION)
    signal = next(one for one in core.signals if one.content == FACT)
    assert [step.action for step in core.history(signal.signal_id)] == ["boost", "boost"]
    assert len(said(memory)) == 42


def test_a_model_that_completes_texts(memory, handler):
    """9.8: A model without a chat is heard by what the engine has made of its text."""
    llm = ScriptedCompletion(script=script_of(), callback_manager=Settings.callback_manager)
    assert str(query_engine(memory, llm).query(QUESTION)) == REPLY
    handler.flush()
    assert steps(memory) == 2


@every_style
@pytest.mark.parametrize("kind", [ContextChatEngine, CondensePlusContextChatEngine])
async def test_beside_a_stock_memory(memory, handler, kind, style):
    """9.8: A chat engine with LlamaIndex's own memory: one learning step a turn."""
    stock = ChatMemoryBuffer.from_defaults(token_limit=400)
    engine = kind.from_defaults(retriever_of(memory), llm=model(), memory=stock)
    for number in (1, 2):
        assert await style(engine, stock, QUESTION) == REPLY
        await asyncio.to_thread(handler.flush)
        assert steps(memory) == 2 * number


@every_style
@pytest.mark.parametrize("both", [False, True], ids=["handler", "handler and instrumentation"])
async def test_beside_our_memory(memory, handler, style, both):
    """9.8: Memory, retriever, handler, and instrumentation too: the memory learns, and nobody a second time."""
    instrumentation = StreetAIInstrumentation(memory)
    if both:
        instrumentation.install()
    try:
        engine = ContextChatEngine.from_defaults(retriever_of(memory), llm=model(), memory=memory)
        before = memory.registry.get(SESSION).stats()["turn_counter"]
        assert await style(engine, memory, QUESTION) == REPLY
    finally:
        await asyncio.to_thread(instrumentation.uninstall)
    await asyncio.to_thread(handler.flush)
    assert memory.last_turn.outcome == "answered"
    assert steps(memory) == len(memory.conversation.turns.last.retrieved)
    assert memory.registry.get(SESSION).stats()["turn_counter"] == before + 2


@pytest.mark.parametrize("engine", ENGINES, ids=str)
async def test_engines_with_the_memory_alone(memory, handler, engine):
    """9.8: Every engine and agent with the memory learns once, whether or not there is a handler."""
    built = engine.build(memory, Script(engine.script(lambda _: REPLY)))
    assert await chat(built, memory, "What is the draught of my boat? (q1)") == REPLY
    await asyncio.to_thread(handler.flush)
    assert steps(memory) == len(memory.last_turn.hits) > 0


@pytest.mark.parametrize("also", ["handler", "instrumentation"])
def test_both_handlers_learn_once(memory, handler, also):
    """9.8: Two that listen to one query engine are one that learns."""
    instrumentation = StreetAIInstrumentation(memory)
    if also == "instrumentation":
        instrumentation.install()
    else:
        Settings.callback_manager.add_handler(StreetAICallbackHandler(memory))
    try:
        assert str(query_engine(memory, model()).query(QUESTION)) == REPLY
    finally:
        instrumentation.uninstall()
    assert steps(memory) == 2


async def test_an_agents_tool(memory, handler):
    """9.8: What an agent's tool has retrieved is learned from once, from the agent's answer."""
    tool = RetrieverTool.from_defaults(retriever_of(memory), description="What was said.")
    script = Script(
        lambda messages: REPLY if messages[-1].role == "tool" else calls(tool.metadata.name, {"input": QUESTION})
    )
    assert str(await FunctionAgent(tools=[tool], llm=model(script)).run(QUESTION)) == REPLY
    await asyncio.to_thread(handler.flush)
    assert steps(memory) == 2


def test_by_hand(memory, handler):
    """9.8: An application that retrieves and then asks a model itself is learned from."""
    nodes = retriever_of(memory).retrieve(QUESTION)
    model().chat([user("\n".join(node.text for node in nodes))])
    assert steps(memory) == 2


def test_what_was_read_from_a_memory(memory):
    """9.8: A memory that is read and never written is learned from."""
    llm = ScriptedChat(script=script_of(), callback_manager=CallbackManager([StreetAICallbackHandler(memory)]))
    llm.chat([*memory.get(input=QUESTION), user(QUESTION)])
    assert (memory.last_turn.reply, memory.last_turn.outcome) == (REPLY, "answered")
    assert steps(memory) == len(memory.last_turn.hits) > 0
    known = steps(memory)
    memory.put(user(QUESTION))
    memory.put(llm.chat(memory.get()).message)
    assert steps(memory) == known + len(memory.last_turn.hits)


@pytest.mark.parametrize("fails", ["model", "stream"])
def test_failures_teach_nothing(memory, handler, fails):
    """9.6: The model fails, or its stream breaks off: neither praise nor blame."""

    def down(_):
        raise ConnectionError("the model is down")

    script = Script(down) if fails == "model" else Script(lambda _: REPLY, fail_after=2)
    engine = query_engine(memory, model(script), streaming=fails == "stream")
    with pytest.raises(ConnectionError):
        list(getattr(engine.query(QUESTION), "response_gen", ()))
    assert steps(memory) == 0


async def test_several_at_once(memory, handler):
    """9.7: Three chats at once: each reply is judged against its own nodes."""
    questions = {f"What came on day {day}?": f"On day {day} the wind came from the north-west." for day in (3, 8, 15)}
    script = Script(lambda messages: next(reply for q, reply in questions.items() if q in text_of_prompt(messages)))

    async def one(question):
        stock = ChatMemoryBuffer.from_defaults(token_limit=400)
        return await achat(
            ContextChatEngine.from_defaults(retriever_of(memory), llm=model(script), memory=stock), stock, question
        )

    assert await asyncio.gather(*map(one, questions)) == list(questions.values())
    await asyncio.to_thread(handler.flush)
    assert steps(memory) == 2 * len(questions)


def test_it_never_raises(memory):
    """9.14: Payloads that nobody expects cost no reply: they are reported."""
    failures = []
    handler = StreetAICallbackHandler(memory, on_error=failures.append)
    assert isinstance(handler, BaseCallbackHandler)
    handler.on_event_end(CBEventType.RETRIEVE, {EventPayload.NODES: [7]})
    handler.on_event_start(CBEventType.LLM, None)
    handler.on_event_end(CBEventType.LLM, {EventPayload.RESPONSE: None}, event_id="unknown")
    handler.on_event_end(CBEventType.SYNTHESIZE)
    handler.end_trace()
    assert [type(failure) for failure in failures] == [AttributeError]
    with pytest.raises(InputError, match="engine must be"):
        StreetAICallbackHandler(None)


def test_other_sessions(memory, make):
    """9.16: A handler for one session leaves the others alone."""
    other = make("tom")
    other.put_messages([user(FACT), assistant("Good to know.")])
    manager = CallbackManager([StreetAICallbackHandler(memory)])
    retriever = other.as_retriever(callback_manager=manager)
    llm = ScriptedChat(script=script_of(), callback_manager=manager)
    RetrieverQueryEngine.from_args(retriever, llm=llm, callback_manager=manager).query(QUESTION)
    stock = ChatMemoryBuffer.from_defaults(token_limit=400)
    SimpleChatEngine.from_defaults(llm=llm, memory=stock).chat(QUESTION)
    assert steps(other, "tom") == 0
    assert steps(memory) == 0
