"""A process that is forked while its threads use the plug-in."""

import asyncio
from uuid import uuid4

from langchain_core.messages import HumanMessage

from streetai_langchain.open_runs import Learnable, OpenRuns
from tests.forks import child_says, every_lock, forks, held_elsewhere
from tests.langchain_plugin.agents import Agent
from tests.langchain_plugin.conftest import QUESTION, REPLY, spoken
from tests.langchain_plugin.scripted import ScriptedChatModel, script
from tests.langchain_plugin.test_callbacks import MARA, chain, lessons, once, speaker
from tests.langchain_plugin.ways import astream, stream

pytestmark = forks

SAID = [("user", QUESTION), ("assistant", REPLY)]


def test_every_view_works_in_a_child_of_a_parent_that_holds_every_lock(streetai, diary):
    """If it fails, a worker of a server hangs at its first request."""
    agent, learning = Agent(streetai, (REPLY,)), streetai.callback_handler()
    wrapped = streetai.wrap(ScriptedChatModel(reply=script(REPLY, REPLY)))

    def works():
        asked = {"messages": [HumanMessage(QUESTION)]}
        agent.graph.invoke(asked, {"configurable": {"user_id": "mara", "thread_id": "agent"}})
        for way in (stream, astream):
            asyncio.run(way(wrapped, QUESTION, {"configurable": {"user_id": "mara", "session_id": way.__name__}}))
        before = lessons(diary)
        with streetai.track():
            chain(streetai, speaker()).invoke(QUESTION, {**MARA, "callbacks": [learning]})
        learned = {one: count - before.get(one, 0) for one, count in lessons(diary).items() if count != before.get(one)}
        return [spoken(diary, name) for name in ("agent", "stream", "astream")] == [SAID] * 3 and learned == once(
            streetai
        )

    with held_elsewhere(every_lock()):
        assert child_says(works)


def noted():
    """A table with a run that has found something, and its root."""
    runs, root, step = OpenRuns(), uuid4(), uuid4()
    runs.started(root, None)
    runs.started(step, root, retrieves=True)
    runs.retrieved(step, [("mara", "s1")])
    runs.ended(step)
    return runs, root


def test_runs_that_were_being_noted_are_none_in_the_child():
    """They may be half noted, and their threads are the parent's; what nobody was at goes on in both."""
    runs, root = noted()
    model = uuid4()

    def ends():
        runs.started(model, root)
        runs.answered(model, "Ahoy")
        runs.ended(model)
        return runs.ended(root)

    with held_elsewhere([runs._lock]):
        assert child_says(lambda: len(runs) == 0 and ends() is None and len(runs) == 0)
    assert child_says(lambda: ends() == Learnable({"mara": ["s1"]}, "Ahoy"))
    assert ends() == Learnable({"mara": ["s1"]}, "Ahoy")
