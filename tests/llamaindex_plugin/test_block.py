"""`StreetAIMemoryBlock`: recall for LlamaIndex's own `Memory`."""

import asyncio
import copy
import pickle

import pytest
from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.memory import BaseMemoryBlock, InsertMethod, Memory
from llama_index.core.utils import get_tokenizer

from streetai_core import Config
from streetai_core.encoders import HashingEncoder
from streetai_core.errors import InputError
from streetai_llamaindex import StreetAIMemoryBlock
from tests.event_loop import never_blocked
from tests.learning import learning_steps
from tests.llamaindex_plugin.conftest import FACT, QUESTION, REPLY, SESSION, assistant, texts, user
from tests.llamaindex_plugin.engines import FRAMEWORK_WARNINGS, replies, tide
from tests.llamaindex_plugin.scripted import Script, ScriptedChat, text_of_prompt
from tests.llamaindex_plugin.styles import achat

pytestmark = FRAMEWORK_WARNINGS

tokens = get_tokenizer()


def days(count=20):
    """What is said about the wind, turn by turn."""
    return [
        message
        for number in range(count)
        for message in (
            user(f"On day {number} the wind came from the north-west and the mainsail was reefed twice."),
            assistant(f"Then day {number} was a rough one."),
        )
    ]


TOLD = [user(FACT), assistant("Good to know.")]


@pytest.fixture
def block(registry):
    """A block on `registry`."""
    return StreetAIMemoryBlock(registry=registry)


@pytest.fixture
async def stock():
    """Makes stock memories whose window is short."""
    made = []

    def make(*blocks, session_id=SESSION, **options):
        options = {"token_limit": 600, "token_flush_size": 100, "chat_history_token_ratio": 0.5, **options}
        made.append(Memory.from_defaults(session_id=session_id, memory_blocks=list(blocks), **options))
        return made[-1]

    yield make
    for memory in made:
        engine = memory.sql_store._async_engine
        if engine is not None:
            await engine.dispose()


def stored(registry, session=SESSION):
    """What the engine has stored of a session."""
    return [(one.role, one.content) for one in registry.get(session).messages()]


def lessons(registry, session=SESSION):
    """Learning steps in all."""
    return learning_steps(registry.get(session)).total()


# ------------------------------------------------------------------------ alone


def test_it_is_a_block(block):
    """`Memory` takes it as it takes its own."""
    assert isinstance(block, BaseMemoryBlock)
    assert (block.name, block.priority, block.accept_short_term_memory) == ("recalled", 0, True)


async def test_what_is_put_is_recalled(block, registry):
    """Every message that a block is given is stored, from the first on, and found for the user's last message."""
    await block.aput([*TOLD, *days(3)], session_id=SESSION)
    assert stored(registry) == texts([*TOLD, *days(3)])
    assert registry.get(SESSION).stats()["turn_counter"] == 8
    recalled = await block.aget([*days(1), user(QUESTION)], session_id=SESSION)
    assert FACT in recalled
    assert await block.aget([], session_id=SESSION) == ""
    assert await block.aget([assistant("Ahoy.")], session_id=SESSION) == ""
    assert await block.aget(None, session_id=SESSION) == ""


async def test_nothing_is_stored_twice(block, registry):
    """A lump that is handed over twice, or with more after it, is stored once; the same words later are new ones."""
    lump = [*TOLD, *days(2)]
    await asyncio.gather(*(block.aput(lump, session_id=SESSION) for _ in range(3)))
    await block.aput([*days(2), user("What else?")], session_id=SESSION)
    await block.aput([assistant("Nothing."), user("What else?")], session_id=SESSION)
    await block.aput([], session_id=SESSION)
    expected = [*lump, user("What else?"), assistant("Nothing."), user("What else?")]
    assert stored(registry) == texts(expected)


async def test_messages_are_left_as_they_are(block, registry):
    """What is put in keeps its arguments, and is not stored with LlamaIndex's note of the session."""
    message = user("ahoy", additional_kwargs={"name": "Mara"})
    await block.aput([message], session_id=SESSION)
    assert message.additional_kwargs == {"name": "Mara"}
    noted = user("in a message", additional_kwargs={"session_id": "tom"})
    await block.aput([noted])
    assert stored(registry, "tom") == [("user", "in a message")]
    assert "session_id" not in str(registry.get("tom").messages()[0].metadata)


async def test_what_the_window_shows_is_not_recalled(block):
    """9.9: The block says nothing twice."""
    await block.aput(TOLD, session_id=SESSION)
    assert await block.aget([*TOLD, user(QUESTION)], session_id=SESSION) == ""


async def test_whose_memory(registry):
    """9.16: A call without a session takes the block's, and without that it is an error."""
    nobodys = StreetAIMemoryBlock(registry=registry)
    with pytest.raises(InputError, match="whose memory"):
        await nobodys.aget([user(QUESTION)])
    block = StreetAIMemoryBlock(registry=registry, session_id=SESSION)
    await block.aput(TOLD)
    assert FACT in await block.aget([user(QUESTION)])
    assert await block.aget([user(QUESTION)], session_id="tom") == ""


@pytest.mark.parametrize(
    "arguments",
    [
        {"session_id": " "},
        {"token_limit": -1},
        {"path": 7},
        {"config": Config()},
        {"embed_model": HashingEncoder()},
    ],
    ids=", ".join,
)
def test_wrong_arguments_raise(registry, arguments):
    """A mistake shows where it is made."""
    with pytest.raises(ValueError):  # noqa: PT011 - each has its own words; that it is refused is the point
        StreetAIMemoryBlock(registry=registry, **arguments)


async def test_one_recall_a_turn(block, registry):
    """9.4: An agent reads its memory at every step and after the answer; it is one recall and one learning step."""
    await block.aput([*TOLD, *days(3)], session_id=SESSION)
    window = [*days(1), user(QUESTION)]
    first = await block.aget(window, session_id=SESSION)
    # What is stored meanwhile would be recalled for a new turn.
    registry.get(SESSION).add_message("The draught of my other boat is two metres.", "user")
    assert await block.aget(window, session_id=SESSION) == first
    assert lessons(registry) == 0
    after = [*window, assistant(REPLY)]
    assert await block.aget(after, session_id=SESSION) == first
    known = lessons(registry)
    assert known > 0
    assert await block.aget(after, session_id=SESSION) == first
    assert lessons(registry) == known
    again = await block.aget([*after, user(QUESTION)], session_id=SESSION)
    assert "two metres" in again
    await block.aget([*after, user(QUESTION)], session_id=SESSION)
    assert lessons(registry) == known


async def test_two_hundred_questions_of_twenty_sessions_on_one_block(block):
    """9.16: Twenty users alternate on one block, half of them on threads: no word of one reaches another."""
    harbours = {f"user-{number}": f"My boat lies in the harbour of Q{number:02}x." for number in range(20)}
    for session, told in harbours.items():
        await block.aput([user(told)], session_id=session)

    async def ask(number):
        session = f"user-{number % 20}"
        question = f"In which harbour does my boat lie? ({number})"
        return session, await block.aget([user(question)], session_id=session)

    tasks = [ask(number) for number in range(100)]
    threads = [asyncio.to_thread(asyncio.run, ask(number)) for number in range(100, 200)]
    for session, recalled in await asyncio.gather(*tasks, *threads):
        assert harbours[session] in recalled
        assert not [told for other, told in harbours.items() if other != session and told in recalled]


async def test_truncation_keeps_the_best(block, registry):
    """9.9: A memory that needs room gets a shorter text with the best in it; what is left out is not judged."""
    await block.aput([*TOLD, *days(12)], session_id=SESSION)
    asked = [user("What is the draught of my boat, and what about the wind on day 7?")]
    whole = await block.aget(asked, session_id=SESSION)
    shorter = await block.atruncate(whole, len(tokens(whole)) // 2)
    assert 0 < len(tokens(shorter)) <= len(tokens(whole)) - len(tokens(whole)) // 2
    assert await block.aget(asked, session_id=SESSION) == shorter
    assert await block.atruncate(shorter, 10_000) is None
    assert await block.aget(asked, session_id=SESSION) == ""
    assert await block.atruncate("something else", 1) is None


async def test_a_limit_of_its_own(registry):
    """9.9: `token_limit` of the block is kept."""
    block = StreetAIMemoryBlock(registry=registry, token_limit=60)
    await block.aput([*TOLD, *days(12)], session_id=SESSION)
    recalled = await block.aget([user(QUESTION)], session_id=SESSION)
    assert 0 < len(tokens(recalled)) <= 60
    assert FACT in recalled


async def test_failures(registry):
    """9.14: The engine fails: nothing is recalled, the failure is told, the chat goes on."""
    failures = []
    block = StreetAIMemoryBlock(registry=registry, on_error=failures.append)
    await block.aput(TOLD, session_id=SESSION)
    registry.close()
    assert await block.aget([user(QUESTION)], session_id=SESSION) == ""
    await block.aput(days(1), session_id=SESSION)
    assert len(failures) >= 2


async def test_the_loop_is_free(block):
    """9.15: Storing, recalling and learning never block an event loop."""
    with never_blocked() as blocking:
        await block.aput([*TOLD, *days(3)], session_id=SESSION)
        await block.aget([user(QUESTION)], session_id=SESSION)
        await block.aget([user(QUESTION), assistant(REPLY)], session_id=SESSION)
    assert blocking == []


async def test_copies(block):
    """9.12: Copies and pickles of a block are on the same engine."""
    await block.aput(TOLD, session_id=SESSION)
    again = pickle.loads(pickle.dumps(block)), type(block)(**block.model_dump())  # noqa: S301 - our own
    changed = block.model_copy(deep=True, update={"name": "other"})
    for other in (copy.copy(block), copy.deepcopy(block), changed, *again):
        assert other.registry is block.registry
        assert FACT in await other.aget([user(QUESTION)], session_id=SESSION)


async def test_a_file(tmp_path):
    """9.12: A block on a file finds it again after a restart, and opens it no earlier than it has to."""
    path = tmp_path / "memory.db"
    encoder = HashingEncoder()
    block = StreetAIMemoryBlock(path=path, session_id=SESSION, embed_model=encoder)
    assert not path.exists()
    await block.aput(TOLD)
    block.registry.close()
    again = StreetAIMemoryBlock(path=path, session_id=SESSION, embed_model=HashingEncoder())
    assert FACT in await again.aget([user(QUESTION)])
    again.registry.close()


# ------------------------------------------------------------------ in a memory


async def test_in_a_memory(block, registry, stock):
    """What has left the window of a stock memory comes back for the right question."""
    memory = stock(block)
    for message in [*TOLD, *days()]:
        await memory.aput(message)
    await memory.aput(user(QUESTION))
    shown = await memory.aget()
    assert FACT in shown[0].content
    assert "<recalled>" in shown[0].content
    assert sum(len(tokens(one.content)) for one in shown) <= 600
    said = stored(registry)
    assert said == texts([*TOLD, *days()])[: len(said)]
    assert len(said) > 10


@pytest.mark.parametrize("method", list(InsertMethod))
async def test_an_agent(block, registry, stock, method):
    """9.1: An agent with tool steps on a stock memory: the fact is in every prompt, and is learned from once."""
    memory = stock(block, insert_method=method)
    await memory.aput_messages([*TOLD, *days()])
    question = f"{QUESTION} (q1)"
    script = Script(replies(lambda _: REPLY, steps=2))
    agent = FunctionAgent(tools=[tide], llm=ScriptedChat(script=script))
    assert await achat(agent, memory, question) == REPLY
    assert len(script.prompts) == 3
    assert all(FACT in text_of_prompt(prompt) for prompt in script.prompts)
    signal = next(one for one in registry.get(SESSION).signals if one.content == FACT)
    assert [step.action for step in registry.get(SESSION).history(signal.signal_id)] == ["boost"]


async def test_a_chat_engine_learns_at_the_next_question(block, registry, stock):
    """9.8: Without a handler the block learns from the reply that the next read shows."""
    memory = stock(block)
    await memory.aput_messages([*TOLD, *days()])
    engine = SimpleChatEngine.from_defaults(llm=ScriptedChat(script=Script(lambda _: REPLY)), memory=memory)
    await engine.achat(QUESTION)
    assert lessons(registry) == 0
    await engine.achat("Which wind came on day 3?")
    signal = next(one for one in registry.get(SESSION).signals if one.content == FACT)
    assert [step.action for step in registry.get(SESSION).history(signal.signal_id)] == ["boost"]


async def test_two_memories_share_one_block(block, stock):
    """9.16: Two `Memory` sessions on one block never see each other's words; upstream's vector block mixes them."""
    mara, tom = stock(block), stock(block, session_id="tom")
    for _ in range(2):
        await mara.aput_messages([user("My pass word is seagull."), assistant("I see."), *days()])
        await tom.aput_messages([user("My pass word is lighthouse."), assistant("I see."), *days()])
    for memory, own, other in ((mara, "seagull", "lighthouse"), (tom, "lighthouse", "seagull")):
        shown = "\n".join(one.content for one in await memory.aget(input="What is my pass word?"))
        assert own in shown
        assert other not in shown


async def test_truncation_by_priority(registry, stock):
    """9.9: Where a memory has no room left, a block with a priority gives way, and one without stays."""
    for priority, there in ((0, True), (1, False)):
        block = StreetAIMemoryBlock(registry=registry, priority=priority)
        session = f"mara-{priority}"
        await block.aput([*TOLD, *days()], session_id=session)
        memory = stock(block, session_id=session, token_limit=100)
        await memory.aput(user(f"{QUESTION} {'Tell me all about it, please. ' * 15}"))
        shown = "\n".join(one.content for one in await memory.aget())
        assert (FACT in shown) is there
