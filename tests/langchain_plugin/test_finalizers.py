"""Streams of chains that the garbage collector ends: it steps in anywhere, also where a thread has one of our locks."""

from uuid import UUID

import pytest
from langchain_core.runnables import RunnableLambda

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_langchain import StreetAIMemory
from streetai_langchain.open_runs import OpenRuns
from tests.collector import CollectingClock, collected_under, left_to_collector
from tests.langchain_plugin.conftest import QUESTION, REPLY, seed
from tests.langchain_plugin.test_callbacks import MARA, lessons, once, speaker


def abandon(streetai):
    """Leave a stream to the collector that has given the reply, and would go on."""
    retriever, model = streetai.retriever(k=2), speaker()

    def answer(question, config):
        found = retriever.invoke(question, config)
        yield model.invoke([("user", f"{found} {question}")], config).text
        yield "And now something else."

    pieces = RunnableLambda(answer).stream(QUESTION, {**MARA, "callbacks": [streetai.callback_handler()]})
    assert left_to_collector(pieces) == [REPLY]


def test_it_may_step_in_where_a_thread_notes_a_run(streetai, diary, no_collector):
    """If it fails, this thread waits for itself for ever."""
    abandon(streetai)
    assert len(streetai._runs) == 1
    assert collected_under(streetai._runs._lock)
    assert len(streetai._runs) == 0


def test_what_it_ends_in_the_middle_of_a_write_is_learned_afterwards(tmp_path, no_collector):
    """The memory cannot be written to where it is being written to; the clock is asked in there."""
    clock, errors = CollectingClock(), []
    with MemoryRegistry(tmp_path / "memory.db", encoder=HashingEncoder(), clock=clock) as registry:
        streetai, memory = StreetAIMemory(registry, on_error=errors.append), seed(registry)
        abandon(streetai)
        clock.collects = True
        memory.add_message("The wind is from the west.", "user")
        assert not clock.collects
        registry.later.wait()
        assert (lessons(memory).items() >= once(streetai).items(), errors) == (True, [])


class Id(UUID):
    """An id with a hash that a program of Python's makes, as UUIDs have; so the collector may step in there."""

    steps_in = None

    def __hash__(self):
        if Id.steps_in is not None:
            Id.steps_in()
        return super().__hash__()


class Moments:
    """Does something once, at the nth moment."""

    def __init__(self, at, action):
        self.left, self.action = at, action

    def __call__(self):
        """A moment."""
        self.left -= 1
        if not self.left:
            self.action()


@pytest.mark.parametrize("which", [1, 2, 3, 4], ids=["root", "retriever", "model", "other root"])
def test_a_run_may_end_in_the_middle_of_every_step(monkeypatch, which):
    """Nothing is left over, nothing is learned twice, and nothing raises."""
    ids = dict(enumerate(Id(int=number) for number in range(5)))
    at, left = 0, 0
    while left <= 0:
        at += 1
        runs, learned = OpenRuns(most=2), []

        def end(number, runs=runs, learned=learned):
            learned.append(runs.ended(ids[number]))

        moments = Moments(at, lambda end=end: end(which))
        monkeypatch.setattr(Id, "steps_in", moments)
        runs.started(ids[1], None)
        runs.started(ids[4], None)
        runs.started(ids[2], ids[1], retrieves=True)
        runs.retrieved(ids[2], [("mara", "s1")])
        end(2)
        runs.started(ids[3], ids[1])
        runs.answered(ids[3], "Ahoy")
        runs.started(ids[0], None)
        end(3)
        for number in (1, 4, 0):
            end(number)
        # A step of a root that is gone is one of its own.
        for number in (2, 3):
            end(number)
        left = moments.left
        monkeypatch.setattr(Id, "steps_in", None)
        assert (len(runs), len(runs._roots)) == (0, 0), at
        assert len([one for one in learned if one is not None]) <= 1, at
    assert at > 20
