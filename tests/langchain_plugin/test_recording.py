"""Storing and learning in one transaction, and what becomes of a turn that cannot be learned from."""

import logging

import pytest
from langchain_classic.chains import ConversationChain

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders import HashingEncoder
from streetai_core.errors import MemoryBusyError, MessageConflictError, StaleMemoryError, StorageFullError
from streetai_core.stores.sqlite import SqliteStore
from streetai_langchain import StreetAIMemory
from streetai_langchain.recording import Recording, new_turn_id
from tests.encoders.failing import Breakable
from tests.langchain_plugin.agents import Agent, lessons
from tests.langchain_plugin.conftest import QUESTION, REPLY, seed, spoken
from tests.langchain_plugin.scripted import ScriptedChatModel, script
from tests.langchain_plugin.test_classic_failures import LEARNS_BY_MEANING, SENTENCES

MARA = {"configurable": {"user_id": "mara", "session_id": "new"}}
SAID = [("user", QUESTION), ("assistant", REPLY)]
TURN = [NewMessage(content=text, role=role, conversation_id="new") for role, text in SAID]

pytestmark = pytest.mark.filterwarnings(
    "ignore:The class `ConversationChain` was deprecated:langchain_core._api.deprecation.LangChainDeprecationWarning"
)


class FaultyStore(SqliteStore):
    """A real file that fails at the writes that it is told to."""

    def __init__(self, path):
        super().__init__(path)
        self.faults = []
        self.writes = 0

    def writing(self, memory_id):
        """Raise the next fault, if there is one."""
        self.writes += 1
        if self.faults and (fault := self.faults.pop(0)) is not None:
            raise fault
        return super().writing(memory_id)


@pytest.fixture
def faulty(tmp_path):
    """The store and the memory of `mara` in it, without faults yet."""
    store = FaultyStore(tmp_path / "memory.db")
    with MemoryRegistry(store, encoder=HashingEncoder()) as registry:
        seed(registry)
        store.writes = 0
        yield store, registry


def recalled(registry):
    """What the question recalls."""
    return registry.get("mara").build_prompt(QUESTION).retrieved


@pytest.mark.parametrize("style", ["invoke", "ainvoke"])
@pytest.mark.parametrize("view", ["wrap", "classic", "middleware"])
async def test_a_turn_is_one_transaction(faulty, view, style):
    """6.1: a crash between storing and learning must not leave a turn that is never learned from, or twice."""
    store, registry = faulty
    streetai, memory = StreetAIMemory(registry), registry.get("mara")
    if view == "middleware":
        await Agent(streetai, (REPLY,)).run(
            style, QUESTION, {"configurable": {**MARA["configurable"], "thread_id": "new"}}
        )
    else:
        model = ScriptedChatModel(reply=script(REPLY))
        chain = ConversationChain(llm=model, memory=streetai.classic("new", user_id="mara"))
        chat, value = (streetai.wrap(model), QUESTION) if view == "wrap" else (chain, {"input": QUESTION})
        await chat.ainvoke(value, MARA) if style == "ainvoke" else chat.invoke(value, MARA)

    assert store.writes == 1
    assert spoken(memory, "new") == SAID
    assert set(lessons(memory)) == {1}


@pytest.mark.parametrize("style", ["invoke", "ainvoke", "stream", "astream"])
async def test_an_agent_s_turn_is_not_lost_if_it_cannot_be_learned_from(tmp_path, caplog, style):
    """6.7: without a checkpointer nobody would bring it again."""
    encoder, errors = Breakable(), []
    # Stored as two chunks, and learned from as a whole: the chunks are known to the encoder's cache, the whole is not.
    reply = " ".join(SENTENCES)
    with StreetAIMemory(
        tmp_path / "memory.db", config=LEARNS_BY_MEANING, embeddings=encoder, on_error=errors.append
    ) as streetai:
        memory = seed(streetai.registry)
        streetai.registry.encoder.encode([*SENTENCES, QUESTION])
        memory.build_prompt(QUESTION, shown={QUESTION})
        encoder.broken = True

        with caplog.at_level(logging.WARNING, logger="streetai_langchain"):
            await Agent(streetai, (reply,), checkpointer=None).run(style, QUESTION)

        assert spoken(memory, "t1") == [("user", QUESTION), ("assistant", reply)]
        assert lessons(memory) == []
        assert [type(error).__name__ for error in errors] == ["EncoderError"]
        assert len(caplog.records) == 1


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_a_failed_write_is_tried_again_without_learning(faulty, asynchronous):
    """6.7: whatever failed in the first try, the turn comes first; the failure is handed back to be reported."""
    store, registry = faulty
    failure = StorageFullError("the log is full")
    store.faults = [failure]
    recording, turn = Recording(registry.get("mara")), new_turn_id()
    options = {"retrieved": recalled(registry), "reply": REPLY}

    if asynchronous:
        recorded = await recording.arecord(turn, TURN, **options)
    else:
        recorded = recording.record(turn, TURN, **options)

    assert (recorded.updates, recorded.failure) == ((), failure)
    assert spoken(registry.get("mara"), "new") == SAID
    assert store.writes == 2


def test_a_turn_that_was_stored_although_it_failed_is_not_stored_again(faulty):
    """6.2: both tries give the messages the same ids."""
    _, registry = faulty
    memory, turn = registry.get("mara"), new_turn_id()
    Recording(memory).record(turn, TURN, retrieved=recalled(registry), reply=REPLY)
    again = Recording(memory).record(turn, TURN, retrieved=recalled(registry), reply=REPLY)

    assert spoken(memory, "new") == SAID
    assert again.updates == ()
    assert set(lessons(memory)) == {1}


@pytest.mark.parametrize("fault", [MemoryBusyError(30.0), StorageFullError("full")])
def test_what_cannot_be_stored_raises(faulty, fault):
    """6.7: a busy file has been waited for already; a full one is full the second time too."""
    store, registry = faulty
    store.faults = [fault, fault]

    with pytest.raises(type(fault)):
        Recording(registry.get("mara")).record(new_turn_id(), TURN, retrieved=recalled(registry), reply=REPLY)
    assert store.writes == (1 if isinstance(fault, MemoryBusyError) else 2)
    assert spoken(registry.get("mara"), "new") == []


def test_there_is_no_second_try_where_nothing_was_to_be_learned(faulty):
    """6.7: it could only fail again."""
    store, registry = faulty
    store.faults = [StorageFullError("full")]

    with pytest.raises(StorageFullError):
        Recording(registry.get("mara")).record(new_turn_id(), TURN, retrieved=[], reply=REPLY)
    assert store.writes == 1


def test_a_memory_that_was_reset_stays_empty(faulty):
    """6.3, 6.7: the second try is for the same memory, not for the one that has taken its place."""
    _, registry = faulty
    memory, found = registry.get("mara"), recalled(registry)
    registry.reset("mara")

    with pytest.raises(StaleMemoryError):
        Recording(memory).record(new_turn_id(), TURN, retrieved=found, reply=REPLY)
    assert registry.get("mara").messages() == []


def wrapped(streetai, model):
    """`memory.wrap`."""
    chat = streetai.wrap(model)
    return lambda: chat.invoke(QUESTION, MARA)


def agent(streetai, model):
    """An agent that keeps its state."""
    graph = Agent(streetai, model=model).graph
    config = {"configurable": {"user_id": "mara", "thread_id": "new"}}
    return lambda: graph.invoke({"messages": [("user", QUESTION)]}, config)


def classic(streetai, model):
    """`memory=` of a classic chain, made for each request."""
    return lambda: ConversationChain(llm=model, memory=streetai.classic("new", user_id="mara")).invoke(
        {"input": QUESTION}
    )


@pytest.mark.parametrize("view", [wrapped, agent, classic])
@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_turn_under_way_is_not_stored_behind_an_erasure(registry, diary, tmp_path, view, elsewhere):
    """6.3: what the user said before she had all of it erased came back when the reply was there."""
    del diary
    errors = []
    with MemoryRegistry(tmp_path / "memory.db", encoder=HashingEncoder()) as other:
        ends = [lambda: (other if elsewhere else registry).forget("mara")]
        streetai = StreetAIMemory(registry, on_error=errors.append)
        ask = view(streetai, ScriptedChatModel(reply=lambda _: (ends.pop()() if ends else None, REPLY)[1]))
        ask()
        assert [StaleMemoryError] == [type(error) for error in errors]
        assert [] == registry.get("mara").messages()
        ask()
    assert len(errors) == 1
    assert SAID == spoken(registry.get("mara"), "new")


@pytest.mark.parametrize("view", [wrapped, agent])
def test_a_first_turn_under_way_is_not_stored_behind_an_erasure(registry, view):
    """6.3: of a user with nothing stored yet there is nothing to find, and what she has just said came back."""
    ends = [lambda: registry.forget("mara")]
    streetai = StreetAIMemory(registry)
    ask = view(streetai, ScriptedChatModel(reply=lambda _: (ends.pop()() if ends else None, REPLY)[1]))
    ask()
    assert [] == registry.get("mara").messages()
    ask()
    assert SAID == spoken(registry.get("mara"), "new")


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("next_turn", [("mara", "here"), ("mara", "elsewhere"), ("bob", "here"), ("bob", "elsewhere")])
async def test_an_unfinished_turn_is_not_stored_behind_an_erasure(registry, diary, tmp_path, asynchronous, next_turn):
    """6.3: the next turn of the thread, hers or somebody else's, made the memory anew with what she had said."""
    del diary
    user, erased = next_turn
    ends = [RuntimeError("the model is down")]

    def reply(_):
        if ends:
            raise ends.pop()
        return REPLY

    graph = Agent(StreetAIMemory(registry), model=ScriptedChatModel(reply=reply)).graph

    async def say(text, user):
        config = {"configurable": {"user_id": user, "thread_id": "new"}}
        state = {"messages": [("user", text)]}
        return await graph.ainvoke(state, config) if asynchronous else graph.invoke(state, config)

    with pytest.raises(RuntimeError):
        await say("My PIN is 1234.", "mara")
    with MemoryRegistry(tmp_path / "memory.db", encoder=HashingEncoder()) as other:
        (other if erased == "elsewhere" else registry).forget("mara")
    await say(QUESTION, user)

    assert SAID == spoken(registry.get(user), "new")
    assert registry.ids() == [user]


def test_an_id_that_is_taken_is_a_conflict(faulty):
    """6.2: another text under the same id must not pass as stored."""
    store, registry = faulty
    memory = registry.get("mara")
    Recording(memory).record("turn", TURN)
    other = [NewMessage(content="Something else.", role="user", conversation_id="new")]

    with pytest.raises(MessageConflictError):
        Recording(memory).record("turn", other, retrieved=recalled(registry), reply=REPLY)
    assert store.writes == 2
