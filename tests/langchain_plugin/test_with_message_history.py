"""The chat history under `RunnableWithMessageHistory`, in every style of call."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from langchain_core.chat_history import InMemoryChatMessageHistory
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import ConfigurableFieldSpec, RunnableLambda
from langchain_core.runnables.history import RunnableWithMessageHistory

from streetai_core.errors import InputError
from tests.langchain_plugin.conftest import FACT, QUESTION, REPLY, spoken
from tests.langchain_plugin.scripted import ScriptedChatModel, script, text_of_prompt
from tests.learning import learning_steps

# The class that is tested here is deprecated, and in wide use: it warns when it is made, and only then.
pytestmark = pytest.mark.filterwarnings(
    "ignore:RunnableWithMessageHistory is deprecated:langchain_core._api.deprecation.LangChainDeprecationWarning",
    "ignore:The class `InMemoryChatMessageHistory`:langchain_core._api.deprecation.LangChainDeprecationWarning",
)

SESSION = {"configurable": {"session_id": "s1"}}
TURNS = [("user", "one"), ("assistant", "Reply to one"), ("user", "two"), ("assistant", "Reply to two")]


def echo(messages):
    """Answer the newest message."""
    return f"Reply to {messages[-1].text}"


class Keyed:
    """A prompt with a place for the history, and the input apart from it."""

    def __init__(self, model, factory):
        prompt = ChatPromptTemplate([MessagesPlaceholder("history"), ("human", "{input}")])
        self.runnable = RunnableWithMessageHistory(
            prompt | model, factory, input_messages_key="input", history_messages_key="history"
        )

    @staticmethod
    def input(text):
        """What to invoke with."""
        return {"input": text}


class Raw:
    """A bare model: history and input are one list, told apart by their number."""

    def __init__(self, model, factory):
        self.runnable = RunnableWithMessageHistory(model, factory)

    @staticmethod
    def input(text):
        """What to invoke with."""
        return [HumanMessage(text)]


async def _invoke(runnable, value):
    runnable.invoke(value, SESSION)


async def _ainvoke(runnable, value):
    await runnable.ainvoke(value, SESSION)


async def _stream(runnable, value):
    for _ in runnable.stream(value, SESSION):
        pass


async def _astream(runnable, value):
    async for _ in runnable.astream(value, SESSION):
        pass


@pytest.mark.parametrize("mode", [Keyed, Raw])
@pytest.mark.parametrize("call", [_invoke, _ainvoke, _stream, _astream])
async def test_two_turns(streetai, mode, call):
    """6.4, 6.11: Every style stores each turn once and sends the first one with the second."""
    model = ScriptedChatModel(reply=echo)
    wrapped = mode(model, streetai.chat_history)

    await call(wrapped.runnable, wrapped.input("one"))
    await call(wrapped.runnable, wrapped.input("two"))

    assert spoken(streetai.registry.get("s1"), "s1") == TURNS
    assert [text_of_prompt(prompt) for prompt in model.prompts] == ["one", "one\nReply to one\ntwo"]
    assert [type(message) for message in streetai.chat_history("s1").messages] == [HumanMessage, AIMessage] * 2


@pytest.mark.parametrize("mode", [Keyed, Raw])
async def test_a_window_of_one_turn(streetai, mode):
    """6.11: With a window only the newest turn is sent, and still nothing is lost or stored twice."""
    model = ScriptedChatModel(reply=echo)
    wrapped = mode(model, lambda session_id: streetai.chat_history(session_id, window=2))

    for text in ("one", "two", "three"):
        await wrapped.runnable.ainvoke(wrapped.input(text), SESSION)

    assert text_of_prompt(model.prompts[-1]) == "two\nReply to two\nthree"
    assert spoken(streetai.registry.get("s1"), "s1") == [*TURNS, ("user", "three"), ("assistant", "Reply to three")]


@pytest.mark.parametrize("mode", [Keyed, Raw])
@pytest.mark.parametrize("window", [None, 2])
def test_overlapping_turns_lose_nothing(streetai, mode, window):
    """6.11: Four turns of one session at the same time: all of their messages are stored, each once."""
    together = threading.Barrier(4)

    def reply(messages):
        together.wait(timeout=60)
        return echo(messages)

    streetai.chat_history("s1").add_messages([HumanMessage("zero"), AIMessage("Reply to zero")])
    wrapped = mode(ScriptedChatModel(reply=reply), lambda session_id: streetai.chat_history(session_id, window=window))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda text: wrapped.runnable.invoke(wrapped.input(text), SESSION), "abcd"))

    said = spoken(streetai.registry.get("s1"), "s1")
    pairs = list(zip(said[::2], said[1::2], strict=True))
    assert sorted(pairs) == sorted((("user", text), ("assistant", f"Reply to {text}")) for text in ["zero", *"abcd"])


def test_a_failed_turn_leaves_nothing_behind(streetai):
    """The model fails: nothing is stored, and the next turn is an ordinary one."""
    wrapped = Keyed(ScriptedChatModel(reply=script(ConnectionError("down"), "Reply to two")), streetai.chat_history)

    with pytest.raises(ConnectionError):
        wrapped.runnable.invoke(wrapped.input("one"), SESSION)
    wrapped.runnable.invoke(wrapped.input("two"), SESSION)

    assert spoken(streetai.registry.get("s1"), "s1") == TURNS[2:]


async def test_a_stream_that_breaks_off_leaves_nothing_behind(streetai):
    """Half a reply is not stored, with and without the event loop, and the next turn is an ordinary one."""
    model = ScriptedChatModel(reply=echo, fail_after=2)
    wrapped = Keyed(model, streetai.chat_history)

    for call in (_stream, _astream):
        with pytest.raises(ConnectionError):
            await call(wrapped.runnable, wrapped.input("one"))
    assert streetai.chat_history("s1").messages == []

    model.fail_after = None
    await _stream(wrapped.runnable, wrapped.input("one"))
    assert spoken(streetai.registry.get("s1"), "s1") == TURNS[:2]


@pytest.mark.parametrize("call", [_invoke, _ainvoke, _stream, _astream])
async def test_tool_calls_are_part_of_the_transcript(streetai, call):
    """6.8: A reply that calls a tool is stored as one message, streamed or not, and does not tick."""
    asked = AIMessage("Let me look.", tool_calls=[{"name": "depth", "args": {"harbour": "Kiel"}, "id": "c1"}])
    model = ScriptedChatModel(reply=script(asked, "Four metres."))
    wrapped = Raw(model.bind_tools([{"name": "depth"}]), streetai.chat_history)

    await call(wrapped.runnable, [HumanMessage("How deep is it?")])
    await call(wrapped.runnable, [ToolMessage("4 m", tool_call_id="c1")])

    human, calling, result, reply = streetai.chat_history("s1").messages
    assert (type(calling), calling.content, calling.tool_calls) == (AIMessage, asked.content, asked.tool_calls)
    assert [human.content, result.content, reply.content] == ["How deep is it?", "4 m", "Four metres."]
    assert [message.type for message in model.prompts[1]] == ["human", "ai", "tool"]
    assert streetai.registry.get("s1").stats()["turn_counter"] == 2


def test_user_and_session_from_the_configuration(streetai):
    """Both ids can come with the call; a small function passes them on."""
    runnable = RunnableWithMessageHistory(
        ScriptedChatModel(reply=echo),
        lambda session_id, user_id: streetai.chat_history(session_id, user_id=user_id),
        history_factory_config=[
            ConfigurableFieldSpec(id=name, annotation=str, default="") for name in ("session_id", "user_id")
        ],
    )

    runnable.invoke([HumanMessage("one")], {"configurable": {"session_id": "s1", "user_id": "mara"}})

    assert spoken(streetai.registry.get("mara"), "s1") == TURNS[:2]


def test_a_reply_survives_a_memory_that_cannot_store(streetai):
    """6.7: The registry is closed during the turn; the caller still gets the reply."""

    def reply(messages):
        streetai.registry.close()
        return echo(messages)

    wrapped = Keyed(ScriptedChatModel(reply=reply), streetai.chat_history)

    assert wrapped.runnable.invoke(wrapped.input("one"), SESSION).content == "Reply to one"


def test_sessions_are_apart(streetai):
    """6.3: What is said in one session is not in the transcript of another."""
    model = ScriptedChatModel(reply=echo)
    wrapped = Keyed(model, streetai.chat_history)

    wrapped.runnable.invoke(wrapped.input("one"), SESSION)
    wrapped.runnable.invoke(wrapped.input("two"), {"configurable": {"session_id": "s2"}})

    assert text_of_prompt(model.prompts[1]) == "two"


@pytest.mark.parametrize("session_id", ["", "  ", None, 7])
def test_a_missing_session_is_refused(streetai, session_id):
    """6.3: There is no session that is shared by those who forgot to name one."""
    wrapped = Keyed(ScriptedChatModel(reply=echo), streetai.chat_history)

    with pytest.raises(InputError, match="session_id"):
        wrapped.runnable.invoke(wrapped.input("one"), {"configurable": {"session_id": session_id}})


def _keyed_round_wrap(streetai, model, factory):
    """A wrapped chain whose place for the past is filled by the history first."""
    prompt = ChatPromptTemplate([MessagesPlaceholder("history"), ("human", "{input}")])
    chain = streetai.wrap(prompt | model, input_key="input", memory_key="history", user_id="mara")
    return RunnableWithMessageHistory(chain, factory, input_messages_key="input", history_messages_key="history")


def _raw_round_wrap(streetai, model, factory):
    """A wrapped model that is sent history and input as one list."""
    return RunnableWithMessageHistory(streetai.wrap(model, user_id="mara"), factory)


@pytest.mark.parametrize(
    ("nested", "mode"), [(_keyed_round_wrap, Keyed), (_raw_round_wrap, Raw)], ids=["with keys", "a bare model"]
)
@pytest.mark.parametrize("call", [_invoke, _ainvoke, _stream, _astream])
async def test_round_a_wrapped_chain(diary, streetai, nested, mode, call):
    """6.4: The history stores each turn, once; what is inside recalls for it and learns from it, once."""
    model = ScriptedChatModel(reply=script("Ahoy.", REPLY))
    before = diary.stats()["turn_counter"]
    runnable = nested(streetai, model, lambda session_id: streetai.chat_history(session_id, user_id="mara"))

    await call(runnable, mode.input("Hello!"))
    await call(runnable, mode.input(QUESTION))

    assert spoken(diary, "s1") == [
        ("user", "Hello!"),
        ("assistant", "Ahoy."),
        ("user", QUESTION),
        ("assistant", REPLY),
    ]
    assert diary.stats()["turn_counter"] == before + 4
    prompt = text_of_prompt(model.prompts[1])
    assert (prompt.count("Ahoy."), prompt.count(FACT), prompt.count(QUESTION)) == (1, 1, 1)
    learned = learning_steps(diary)
    assert learned
    assert max(learned.values()) <= 2


def test_round_a_wrapped_chain_of_another_conversation(diary, streetai):
    """A history of one conversation keeps nothing of another: there the wrapped chain stores by itself."""
    runnable = _raw_round_wrap(
        streetai, ScriptedChatModel(reply=script(REPLY)), lambda _: streetai.chat_history("other", user_id="mara")
    )
    runnable.invoke([HumanMessage(QUESTION)], SESSION)

    assert spoken(diary, "s1") == spoken(diary, "other") == [("user", QUESTION), ("assistant", REPLY)]


def test_round_a_wrapped_chain_whose_registry_is_closed_meanwhile(streetai):
    """6.7: Nothing is stored, and the reply comes."""

    def close(asked):
        streetai.registry.close()
        return asked

    chain = RunnableLambda(close) | streetai.wrap(ScriptedChatModel(reply=script(REPLY)))
    runnable = RunnableWithMessageHistory(chain, streetai.chat_history)

    assert runnable.invoke([HumanMessage(QUESTION)], SESSION).text == REPLY


@pytest.mark.parametrize("call", [_invoke, _ainvoke, _stream, _astream])
async def test_another_history_round_a_wrapped_chain(diary, streetai, call):
    """It has what was said, and never what was recalled for it."""
    history = InMemoryChatMessageHistory()
    model = ScriptedChatModel(reply=script(REPLY))
    runnable = RunnableWithMessageHistory(streetai.wrap(model, user_id="mara"), lambda _: history)

    await call(runnable, [HumanMessage(QUESTION)])

    assert FACT in text_of_prompt(model.prompts[0])
    # LangChain keeps a streamed reply as a chunk.
    assert [type(one).__name__.removesuffix("Chunk") for one in history.messages] == ["HumanMessage", "AIMessage"]
    assert [one.text for one in history.messages] == [QUESTION, REPLY]
    assert spoken(diary, "s1") == [("user", QUESTION), ("assistant", REPLY)]
