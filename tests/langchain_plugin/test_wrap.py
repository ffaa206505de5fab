"""`memory.wrap`: one recall, one stored exchange and one learning step, whichever way the chain is run."""

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.runnables import Runnable

from tests.langchain_plugin.conftest import FACT, QUESTION, REPLY, spoken
from tests.langchain_plugin.scripted import ScriptedChatModel, script
from tests.langchain_plugin.ways import CUTS, WAYS, invoke
from tests.learning import learning_steps

MARA = {"configurable": {"user_id": "mara", "session_id": "new"}}
TEMPLATE = ChatPromptTemplate.from_messages(
    [("system", "Be brief."), MessagesPlaceholder("history"), ("human", "{input}")]
)
KEYS = {"input_key": "input", "memory_key": "history"}
PARTIAL = "The draught"
"""The first two words of the reply, which is how far a stream gets that is cut after two pieces."""


def learned(memory):
    """How often the memory learned from one reply or another: the most learning steps that a signal has had."""
    return max(learning_steps(memory).values(), default=0)


def without_mark(messages):
    """Types and texts of a prompt without the random mark of the fence."""
    return [(message.type, message.text.partition("]")[2].rpartition("[")[0] or message.text) for message in messages]


def shape(name, streetai, model):
    """A wrapped chain and an input for it."""
    if name == "dict":
        return streetai.wrap(TEMPLATE | model | StrOutputParser(), **KEYS), {"input": QUESTION}
    if name == "text":
        return streetai.wrap(model), QUESTION
    return streetai.wrap(model), [SystemMessage("Be brief."), HumanMessage(QUESTION)]


def text(output):
    """The text of a reply."""
    return output if isinstance(output, str) else output.text


@pytest.mark.parametrize("name", ["dict", "text", "messages"])
@pytest.mark.parametrize("way", WAYS)
async def test_a_finished_exchange(diary, streetai, recalls, way, name):
    """6.1, 6.4: One recall, two turns of the clock, two messages, one learning step; and the prompt of `invoke`."""
    model = ScriptedChatModel(reply=script(REPLY, REPLY))
    chat, value = shape(name, streetai, model)
    await invoke(chat, value, {"configurable": {"user_id": "mara", "session_id": "reference"}})
    diary.delete_conversation("reference")
    before, lessons = diary.stats(), learned(diary)
    recalls.clear()

    output = await way(chat, value, MARA)

    assert text(output) == REPLY
    assert recalls == [QUESTION]
    assert diary.stats()["turn_counter"] == before["turn_counter"] + 2
    assert spoken(diary, "new") == [("user", QUESTION), ("assistant", REPLY)]
    assert learned(diary) == lessons + 1
    assert without_mark(model.prompts[0]) == without_mark(model.prompts[1])
    assert FACT in model.prompts[1][-2 if name == "dict" else -1].text


@pytest.mark.parametrize("name", ["dict", "text", "messages"])
@pytest.mark.parametrize("way", CUTS)
async def test_a_stream_that_is_cut(diary, streetai, recalls, way, name):
    """6.4: The user's message and the partial reply are kept; nothing is learned, and the next turn goes on there."""
    chat, value = shape(name, streetai, ScriptedChatModel(reply=script(REPLY, "Go on.")))
    before = diary.stats()["turn_counter"]

    assert text(await way(chat, value, MARA)) == PARTIAL
    streetai.registry.later.wait()

    assert recalls == [QUESTION]
    assert spoken(diary, "new") == [("user", QUESTION), ("assistant", PARTIAL)]
    assert [message.metadata.get("partial") for message in diary.messages(conversation_id="new")] == [None, True]
    assert diary.stats()["turn_counter"] == before + 2
    assert learned(diary) == 0
    assert text(await invoke(chat, value, MARA)) == "Go on."
    assert spoken(diary, "new")[1:] == [("assistant", PARTIAL), ("user", QUESTION), ("assistant", "Go on.")]


class Held(Runnable):
    """A chain that streams, and keeps hold of what it streams, so that only an explicit end can end it."""

    def __init__(self):
        self.held, self.ended = [], []

    def invoke(self, value, config=None, **kwargs):
        """The whole reply."""
        return "The draught comes."

    def stream(self, value, config=None, **kwargs):
        """The reply word by word."""

        def pieces():
            try:
                yield from ("The ", "draught ", "comes.")
            finally:
                self.ended.append("stream")

        self.held.append(pieces())
        return self.held[-1]

    def astream(self, value, config=None, **kwargs):
        """The same on the event loop."""

        async def pieces():
            try:
                for piece in ("The ", "draught ", "comes."):
                    yield piece
            finally:
                self.ended.append("astream")

        self.held.append(pieces())
        return self.held[-1]


@pytest.mark.parametrize(("way", "ended"), list(zip(CUTS, ["stream", "astream"], strict=True)))
async def test_a_cut_stream_ends_the_chains_own(diary, streetai, way, ended):
    """6.4: At once: a model that nobody listens to says nothing more, and no run of the chain stays open."""
    chain = Held()

    assert await way(streetai.wrap(chain), QUESTION, MARA) == "The draught "
    assert chain.ended == [ended]
    streetai.registry.later.wait()
    assert spoken(diary, "new") == [("user", QUESTION), ("assistant", "The draught ")]


@pytest.mark.parametrize("way", [way for way in WAYS if way.__name__ in {"stream", "astream"}])
async def test_a_stream_without_an_end_of_its_own(diary, streetai, way):
    """6.4: Any iterator will do for a chain's stream, also one that cannot be closed."""

    class Bare(Held):
        def stream(self, value, config=None, **kwargs):
            return iter(["The ", "draught"])

        async def _pieces(self):
            yield "The "
            yield "draught"

        def astream(self, value, config=None, **kwargs):
            pieces = self._pieces()

            class Stream:
                def __aiter__(self):
                    return self

                async def __anext__(self):
                    return await anext(pieces)

            return Stream()

    assert await way(streetai.wrap(Bare()), QUESTION, MARA) == "The draught"
    assert spoken(diary, "new") == [("user", QUESTION), ("assistant", "The draught")]


@pytest.mark.parametrize("name", ["dict", "text", "messages"])
@pytest.mark.parametrize("way", WAYS)
async def test_a_model_that_fails(diary, streetai, recalls, way, name):
    """6.1, 6.2: The caller gets the error, the user's message stays, and trying again is the same turn: two ticks."""
    model = ScriptedChatModel(reply=script(ConnectionError("no answer"), ConnectionError("no answer"), REPLY))
    chat, value = shape(name, streetai, model)
    before = diary.stats()["turn_counter"]

    for _ in range(2):
        with pytest.raises(ConnectionError, match="no answer"):
            await way(chat, value, MARA)
        assert spoken(diary, "new") == [("user", QUESTION)]
    assert learned(diary) == 0

    assert text(await way(chat, value, MARA)) == REPLY
    assert spoken(diary, "new") == [("user", QUESTION), ("assistant", REPLY)]
    assert diary.stats()["turn_counter"] == before + 2
    assert learned(diary) == 1
    assert recalls == [QUESTION] * 3
    assert without_mark(model.prompts[0]) == without_mark(model.prompts[2])


@pytest.mark.parametrize("way", [way for way in WAYS if "stream" in way.__name__])
async def test_a_model_that_fails_in_the_middle_of_a_stream(diary, streetai, way):
    """6.4: What the user has seen of the reply is kept, as of a stream that was cut."""
    chat = streetai.wrap(ScriptedChatModel(reply=script(REPLY), fail_after=2))

    with pytest.raises(ConnectionError, match="broke off"):
        await way(chat, QUESTION, MARA)

    assert spoken(diary, "new") == [("user", QUESTION), ("assistant", PARTIAL)]
    assert diary.messages(conversation_id="new")[1].metadata["partial"] is True
    assert learned(diary) == 0


@pytest.mark.parametrize("way", WAYS)
async def test_a_conversation(diary, streetai, way):
    """6.5: The third prompt has the two exchanges before it, as turns, once; what was recalled was never stored."""
    model = ScriptedChatModel(reply=script("First.", "Second.", REPLY))
    chat = streetai.wrap(TEMPLATE | model, **KEYS)
    for question in ("One?", "Two?", QUESTION):
        await way(chat, {"input": question}, MARA)

    prompt = model.prompts[2]
    assert [message.type for message in prompt] == ["system", "human", "ai", "human", "ai", "human", "human"]
    assert prompt[1:5] == [HumanMessage("One?"), AIMessage("First."), HumanMessage("Two?"), AIMessage("Second.")]
    assert FACT in prompt[5].text
    assert prompt[6] == HumanMessage(QUESTION)
    assert not any("[recalled" in message.content for message in diary.messages())


async def test_nothing_is_injected_when_there_is_nothing(streetai):
    """6.5: The first prompt of a new memory is what it would be without one."""
    model = ScriptedChatModel(reply=script("a", "b", "c", "d"))
    session = {"configurable": {"session_id": "s1"}}
    streetai.wrap(TEMPLATE | model, **KEYS).invoke({"input": QUESTION}, session)
    (TEMPLATE | model).invoke({"input": QUESTION, "history": []})
    streetai.registry.reset("s1")
    streetai.wrap(model).invoke(QUESTION, session)
    model.invoke(QUESTION)

    assert model.prompts[0] == model.prompts[1]
    assert model.prompts[2] == model.prompts[3]


def test_an_unanswered_message_leads_to_the_next(diary, streetai):
    """After an error and another question the roles still take turns where the messages are ours."""
    model = ScriptedChatModel(reply=script("Ahoy.", ConnectionError(), REPLY))
    chat = streetai.wrap(model)
    chat.invoke("Hello?", MARA)
    with pytest.raises(ConnectionError):
        chat.invoke("Are you there?", MARA)
    chat.invoke(QUESTION, MARA)

    prompt = model.prompts[2]
    assert [message.type for message in prompt] == ["human", "ai", "human"]
    assert prompt[-1].text.startswith("Are you there?\n\n[recalled ")
    assert prompt[-1].text.endswith(f"]\n\n{QUESTION}")


def test_retries_of_langchain_are_one_turn(diary, streetai):
    """6.1, 6.2: `with_retry` round the wrapped chain calls it again; the user has spoken once."""
    model = ScriptedChatModel(reply=script(ConnectionError(), ConnectionError(), REPLY))
    chat = streetai.wrap(model).with_retry(
        retry_if_exception_type=(ConnectionError,), wait_exponential_jitter=False, stop_after_attempt=3
    )
    before = diary.stats()["turn_counter"]

    assert chat.invoke(QUESTION, MARA).text == REPLY
    assert spoken(diary, "new") == [("user", QUESTION), ("assistant", REPLY)]
    assert diary.stats()["turn_counter"] == before + 2


async def test_streamed_events_come_through(diary, streetai):
    """The chain's callbacks see the run, and it is stored once."""
    chat = streetai.wrap(TEMPLATE | ScriptedChatModel(reply=script(REPLY)), **KEYS)

    events = [event async for event in chat.astream_events({"input": QUESTION}, MARA, version="v2")]

    chunks = [event["data"]["chunk"].text for event in events if event["event"] == "on_chat_model_stream"]
    assert "".join(chunks) == REPLY
    assert spoken(diary, "new") == [("user", QUESTION), ("assistant", REPLY)]


async def test_the_end_of_a_larger_chain_is_streamed(diary, streetai):
    """Pieces arrive one by one although another step comes first."""
    chat = StrOutputParser() | streetai.wrap(ScriptedChatModel(reply=script(REPLY)))
    pieces = [piece.text async for piece in chat.astream(HumanMessage(QUESTION), MARA)]

    assert len([piece for piece in pieces if piece]) == len(REPLY.split())
    assert spoken(diary, "new") == [("user", QUESTION), ("assistant", REPLY)]
