"""LlamaIndex's own `Memory` with a `StreetAIMemoryBlock` in every engine, every agent and every style of calling.

`Memory` hands messages to its blocks when its window is full, and shows a block the reply at the next read. So a turn
recalls at once, learns at the next read (agents read once more when they end, engines at the next question), and is
stored when it has left the window.
"""

import asyncio
import shutil
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import pytest
from llama_index.core.memory import InsertMethod, Memory

from streetai_llamaindex import StreetAIMemoryBlock
from tests.asked import Asked
from tests.llamaindex_plugin.bench import (
    ANSWERS,
    DIARY,
    FIRST,
    NEEDLES,
    SECOND,
    SESSION,
    THIRD,
    Bench,
    opened,
)
from tests.llamaindex_plugin.engines import ENGINES, FRAMEWORK_WARNINGS
from tests.llamaindex_plugin.scripted import asked, said
from tests.llamaindex_plugin.styles import CUTS, STYLES, chat

TOKEN_LIMIT = 4_000
"""A window that three turns with tool traffic do not fill."""

pytestmark = FRAMEWORK_WARNINGS

every_engine = pytest.mark.parametrize("engine", ENGINES, ids=str)
every_style = pytest.mark.parametrize("style", STYLES, ids=lambda style: style.__name__)


@pytest.fixture(scope="session")
def diary(tmp_path_factory):
    """A file to whose memory a block has given the diary."""
    path = tmp_path_factory.mktemp("diary") / "block.db"
    with opened(path) as registry:
        block = StreetAIMemoryBlock(registry=registry)
        told = [message for user, assistant in DIARY for message in (asked(user), said(assistant))]
        asyncio.run(block.aput(told, session_id=SESSION))
    return path


@pytest.fixture
async def benches(tmp_path, diary):
    """Make benches with a `Memory` that has one block, each on a file of its own."""
    numbers, failures, made = count(), [], []
    with ExitStack() as stack:

        def make():
            path = Path(shutil.copy(diary, tmp_path / f"{next(numbers)}.db"))
            told = Asked()
            registry = stack.enter_context(opened(path, observers=[told]))
            block = StreetAIMemoryBlock(registry=registry, on_error=failures.append)
            # `ReActAgent` leaves out a system message in front, and what blocks say with it.
            options = {"memory_blocks": [block], "insert_method": InsertMethod.USER}
            made.append(Memory.from_defaults(session_id=SESSION, token_limit=TOKEN_LIMIT, **options))
            return Bench(registry, told, made[-1])

        yield make
        for memory in made:
            engine = memory.sql_store._async_engine
            if engine is not None:
                await engine.dispose()
        assert failures == [], "the memory failed, and hid it from the chat"


def check_turn(engine, turn, question, *, steps=0):
    """The right reply, one recall, the fact in the prompt, and nothing stored yet."""
    assert turn.reply == ANSWERS[question]
    assert turn.asked == [question]
    assert turn.stored == []
    calls = steps + engine.hands_off
    shown = turn.prompts if engine.final_shows_memory else turn.prompts[:1]
    assert all(NEEDLES[question] in prompt for prompt in shown)
    assert len(turn.prompts) == 1 + calls + engine.condenses


def boosts(bench, question):
    """How often the fact that answers a question was found to be of use."""
    (signal,) = [one for one in bench.core.signals if one.content == NEEDLES[question]]
    return [step.action for step in bench.core.history(signal.signal_id)].count("boost")


@every_engine
@every_style
async def test_one_message_is_one_turn(benches, engine, style):
    """9.1: Each question is recalled for once, and its reply is learned from once: at the next question."""
    bench = benches()
    first = await bench.turn(engine, style, FIRST)
    check_turn(engine, first, FIRST)
    second = await bench.turn(engine, style, SECOND)
    check_turn(engine, second, SECOND)
    third = await bench.turn(engine, style, THIRD)
    check_turn(engine, third, THIRD)
    for question in (FIRST, SECOND):
        assert boosts(bench, question) == 1
    assert set(first.learned.values()) == ({1} if engine.agents else set())
    assert set(second.learned.values()) == set(third.learned.values()) == {1}


@pytest.mark.parametrize("steps", [1, 2])
@pytest.mark.parametrize("engine", [one for one in ENGINES if one.agents], ids=str)
@every_style
async def test_tool_steps_are_part_of_the_turn(benches, engine, steps, style):
    """9.1: An agent reads its memory before each step; the block is asked by each, and recalls once."""
    bench = benches()
    for question in (FIRST, SECOND):
        check_turn(engine, await bench.turn(engine, style, question, steps=steps), question, steps=steps)


@every_engine
async def test_the_prompt_is_the_same_in_every_style(benches, engine):
    """9.1: Streaming or not, async or not, the model reads the same."""
    read = []
    for style in STYLES:
        bench = benches()
        read.append([(await bench.turn(engine, style, question)).prompts for question in (FIRST, SECOND)])
    assert read[0] == read[1] == read[2] == read[3]


@every_engine
@every_style
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
async def test_a_model_that_fails_teaches_nothing(benches, engine, style):
    """9.6: A question without a reply is no lesson; the next turn is whole."""
    bench = benches()
    bench.failures = 1
    failed = await bench.turn(engine, style, FIRST)
    assert failed.error is not None
    check_turn(engine, await bench.turn(engine, style, SECOND), SECOND)
    assert boosts(bench, FIRST) == 0


@pytest.mark.parametrize("engine", [one for one in ENGINES if one.agents], ids=str)
@pytest.mark.parametrize("style", CUTS, ids=lambda style: style.__name__)
async def test_a_cancelled_run_teaches_nothing(benches, engine, style):
    """9.6: A run of agents that is cancelled has no reply; the next turn is whole."""
    bench = benches()
    bench.stall_after = 1
    await bench.turn(engine, style, FIRST)
    bench.stall_after = None
    check_turn(engine, await bench.turn(engine, chat, SECOND), SECOND)
    assert boosts(bench, FIRST) == 0


async def test_what_leaves_the_window_is_stored_once(benches):
    """9.12: In the order it was said, and each message once."""
    bench = benches()
    known = len(bench.core.messages())
    spoken = [(f"Crate {number} went ashore at noon.", f"Crate {number} is noted.") for number in range(200)]
    for user, assistant in spoken:
        await bench.memory.aput_messages([asked(user), said(assistant)])
    told = [one.content for one in bench.core.messages()[known:]]
    expected = [text for pair in spoken for text in pair]
    assert told
    assert told == expected[: len(told)]
    window = [one.content for one in await bench.memory.aget() if one.content in expected]
    assert told + window == expected
