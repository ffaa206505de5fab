"""Every engine and every agent in every style of calling: one message of the user is one turn."""

import asyncio

import pytest
from llama_index.core.agent.workflow import FunctionAgent

from tests.llamaindex_plugin.bench import (
    ANSWERS,
    FIRST,
    KINDS,
    NEEDLES,
    SECOND,
    benches,
    diaries,
)
from tests.llamaindex_plugin.engines import ENGINES, FRAMEWORK_WARNINGS, MODES
from tests.llamaindex_plugin.scripted import Script, ScriptedChat, calls
from tests.llamaindex_plugin.styles import CUTS, STYLES, astream_chat, chat, on_loop, stream_chat

__all__ = ["benches", "diaries"]

TICKS = 2
"""One for the user's message, one for the final reply; tool traffic has none."""

pytestmark = FRAMEWORK_WARNINGS

every_kind = pytest.mark.parametrize("kind", KINDS, ids=str)
every_engine = pytest.mark.parametrize("engine", ENGINES, ids=str)
every_style = pytest.mark.parametrize("style", STYLES, ids=lambda style: style.__name__)
every_cut = pytest.mark.parametrize("style", CUTS, ids=lambda style: style.__name__)

# The thread that writes a streamed reply raises what its reader gets too.
raises_twice = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")


def check_turn(engine, turn, question, *, steps=0):
    """One recall, one tick for each message, at most one learning step, the right messages, the fact in the prompt."""
    assert turn.reply == ANSWERS[question]
    assert turn.asked == [question]
    assert turn.ticks == TICKS
    assert turn.spoken == [("user", question), ("assistant", ANSWERS[question])]
    calls = steps + engine.hands_off
    if engine.agents and engine.name != "ReActAgent":
        # A call and its result are stored with each other; a text that reasons is no tool traffic.
        assert len(turn.stored) == len(turn.spoken) + 2 * calls
    assert set(turn.learned.values()) == {1}
    shown = turn.prompts if engine.final_shows_memory else turn.prompts[:1]
    assert all(NEEDLES[question] in prompt for prompt in shown)
    assert len(turn.prompts) == 1 + calls + engine.condenses


@every_kind
@pytest.mark.parametrize("engine", ENGINES + MODES, ids=str)
@every_style
async def test_one_message_is_one_turn(benches, kind, engine, style):
    """9.1: Two turns in a row: each is recalled for once, stored once, learned from once."""
    bench = benches(kind)
    for question in (FIRST, SECOND):
        check_turn(engine, await bench.turn(engine, style, question), question)


@every_kind
@pytest.mark.parametrize("steps", [1, 2])
@pytest.mark.parametrize("engine", [one for one in ENGINES if one.agents], ids=str)
@every_style
async def test_tool_steps_are_part_of_the_turn(benches, kind, engine, steps, style):
    """9.1: An agent that calls tools reads its memory again and again; it stays one turn.

    Chat engines have no tools, so that there are no such cells for them.
    """
    bench = benches(kind)
    for question in (FIRST, SECOND):
        check_turn(engine, await bench.turn(engine, style, question, steps=steps), question, steps=steps)


@every_kind
@pytest.mark.parametrize("engine", [one for one in ENGINES if not one.agents], ids=str)
async def test_synchronous_calls_in_a_notebook(benches, kind, engine):
    """9.1: A synchronous call on the thread of a running loop works. Agents have no synchronous call."""
    bench = benches(kind)
    check_turn(engine, await bench.turn(engine, on_loop, FIRST), FIRST)


@every_kind
@every_engine
async def test_the_prompt_is_the_same_in_every_style(benches, kind, engine):
    """9.1: Switching to streaming or to async changes nothing in what the model reads."""
    read = []
    for style in STYLES:
        bench = benches(kind)
        turns = [await bench.turn(engine, style, question) for question in (FIRST, SECOND)]
        read.append([turn.prompts for turn in turns])
    assert read[0] == read[1] == read[2] == read[3]


@every_kind
@pytest.mark.parametrize("engine", [one for one in ENGINES if not one.agents], ids=str)
@every_cut
async def test_a_stream_that_is_closed_keeps_the_reply(benches, kind, engine, style):
    """9.19: The reader goes away; LlamaIndex goes on to the end of the reply, and so the turn is complete."""
    bench = benches(kind)
    turn = await bench.turn(engine, style, FIRST)
    assert ANSWERS[FIRST].startswith(turn.reply)
    assert turn.asked == [FIRST]
    assert turn.ticks == TICKS
    assert turn.spoken == [("user", FIRST), ("assistant", ANSWERS[FIRST])]
    assert set(turn.learned.values()) == {1}
    check_turn(engine, await bench.turn(engine, chat, SECOND), SECOND)


@every_kind
@pytest.mark.parametrize("engine", [one for one in ENGINES if one.agents], ids=str)
@every_cut
async def test_a_cancelled_run_is_a_turn_without_a_reply(benches, kind, engine, style):
    """9.6: A cancelled run of agents keeps the question and teaches nothing; the next turn is whole."""
    bench = benches(kind)
    bench.stall_after = 1
    turn = await bench.turn(engine, style, FIRST)
    assert turn.asked == [FIRST]
    assert turn.spoken == [("user", FIRST)]
    assert not turn.learned
    bench.stall_after = None
    check_turn(engine, await bench.turn(engine, chat, SECOND), SECOND)


@every_kind
@every_engine
@every_style
@raises_twice
async def test_a_model_that_fails_teaches_nothing(benches, kind, engine, style):
    """9.6: A turn without a reply is given up at the next question, without praise or blame."""
    bench = benches(kind)
    bench.failures = 1
    turn = await bench.turn(engine, style, FIRST)
    assert turn.error is not None
    assert turn.asked == [FIRST]
    assert not turn.learned
    assert turn.spoken in ([], [("user", FIRST)])
    check_turn(engine, await bench.turn(engine, style, SECOND), SECOND)


@every_kind
@pytest.mark.parametrize("engine", [one for one in ENGINES if not one.agents], ids=str)
@every_style
@raises_twice
async def test_a_retry_is_the_same_turn(benches, kind, engine, style):
    """9.6: The user sends the same text again after a failure; it is recalled for, stored and learned from once.

    Each run of agents is a turn of its own, because two runs may ask the same at once.
    """
    bench = benches(kind)
    bench.failures = 1
    failed = await bench.turn(engine, style, FIRST)
    turn = await bench.turn(engine, style, FIRST)
    assert turn.reply == ANSWERS[FIRST]
    assert failed.asked + turn.asked == [FIRST]
    assert failed.ticks + turn.ticks == TICKS
    assert failed.spoken + turn.spoken == [("user", FIRST), ("assistant", ANSWERS[FIRST])]
    assert set(turn.learned.values()) == {1}


@every_kind
@pytest.mark.parametrize("engine", [one for one in ENGINES if not one.agents], ids=str)
async def test_a_retry_on_another_thread_is_the_same_turn(benches, kind, engine):
    """9.6: The same, where an earlier, answered turn was taken by the thread that starts the others."""
    bench = benches(kind)
    check_turn(engine, await bench.turn(engine, on_loop, SECOND), SECOND)
    bench.failures = 1
    failed = await bench.turn(engine, chat, FIRST)
    turn = await bench.turn(engine, chat, FIRST)
    assert failed.asked + turn.asked == [FIRST]
    assert failed.spoken + turn.spoken == [("user", FIRST), ("assistant", ANSWERS[FIRST])]


@every_kind
@every_engine
@pytest.mark.parametrize("style", [stream_chat, astream_chat], ids=lambda style: style.__name__)
@raises_twice
async def test_a_stream_that_breaks_off_teaches_nothing(benches, kind, engine, style):
    """9.6: The provider dies after two words: the question stays, the turn has no reply, the next one is whole."""
    bench = benches(kind)
    bench.fail_after = 2
    turn = await bench.turn(engine, style, FIRST)
    assert turn.error is not None
    assert turn.asked == [FIRST]
    assert turn.spoken == [("user", FIRST)]
    assert not turn.learned
    bench.fail_after = None
    check_turn(engine, await bench.turn(engine, chat, SECOND), SECOND)


@every_kind
@every_engine
async def test_a_question_asked_again_is_a_new_turn(benches, kind, engine):
    """9.2: The user asks the same twice and is answered twice: two turns."""
    bench = benches(kind)
    for _ in range(2):
        turn = await bench.turn(engine, chat, FIRST)
        assert turn.asked == [FIRST]
        assert turn.spoken == [("user", FIRST), ("assistant", ANSWERS[FIRST])]


@every_kind
async def test_three_runs_at_once_on_one_memory(benches, kind):
    """9.7: Three agents answer at once, each after all have asked: every reply is judged against its own recall."""
    bench = benches(kind)
    waiting, everyone = [], asyncio.Event()

    async def wait_for_all() -> str:
        """Wait until the others have asked too."""
        waiting.append(None)
        if len(waiting) == len(ANSWERS):
            everyone.set()
        await everyone.wait()
        return "all have asked"

    async def run(question):
        script = Script(
            lambda messages: calls("wait_for_all", {}) if messages[-1].role == "user" else ANSWERS[question]
        )
        agent = FunctionAgent(tools=[wait_for_all], llm=ScriptedChat(script=script))
        return str(await agent.run(question, memory=bench.memory))

    assert await asyncio.gather(*map(run, ANSWERS)) == list(ANSWERS.values())
    said = [one.content for one in bench.core.messages()]
    assert all(said.count(text) == 1 for pair in ANSWERS.items() for text in pair)
    assert sorted(bench.asked.questions) == sorted(ANSWERS)
    told = {one.content: one.signal_id for one in bench.core.signals}
    for needle in NEEDLES.values():
        actions = [step.action for step in bench.core.history(told[needle])]
        # The answers have nothing in common, so that a fact is praised by its own only.
        assert actions.count("boost") == 1, needle
