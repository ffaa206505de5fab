"""The turn ledger: which turn a read or a write belongs to."""

import asyncio
from contextvars import copy_context
from threading import Thread

import pytest
from llama_index.core.instrumentation.dispatcher import instrument_tags

from streetai_llamaindex.turns import TurnLedger, current_run_id, report


@pytest.fixture
def ledger():
    """An empty ledger."""
    return TurnLedger()


def in_run(run_id, function, *arguments):
    """Call something as a step of an agent's run does: with its tag, in a context of its own."""

    def call():
        with instrument_tags({"llamaindex.run_id": run_id}):
            return function(*arguments)

    return copy_context().run(call)


def in_thread(function, *arguments):
    """Call something on a thread without this one's context."""
    results = []
    thread = Thread(target=lambda: results.append(function(*arguments)))
    thread.start()
    thread.join()
    return results[0]


def test_the_same_words_are_the_same_turn(ledger):
    """9.2: Put and get, in either order, are one turn; white space at the ends makes no other question."""
    turn, new = ledger.asked("How deep?")
    assert new
    assert ledger.asked(" How deep?\n") == (turn, False)
    assert ledger.find() is turn


def test_other_words_are_another_turn(ledger):
    """9.6: A question without a reply is abandoned at the next one."""
    first, _ = ledger.asked("How deep?")
    second, new = ledger.asked("How long?")
    assert new
    assert second is not first
    assert (first.outcome, second.outcome) == ("abandoned", "open")
    assert ledger.find() is ledger.answering() is ledger.last is second


def test_an_answered_question_asked_again_is_another_turn(ledger):
    """9.2: Asking again after the answer counts again."""
    first, _ = ledger.asked("How deep?")
    first.outcome = "answered"
    assert ledger.answering() is None
    assert ledger.asked("How deep?")[0] is not first


def test_a_question_put_again_after_others_have_spoken_is_another_turn(ledger):
    """9.6: It failed, and a second tab of the user went on: asked again it is said last, where a model looks for it."""
    first, _ = ledger.asked("How deep?", says=True)
    first.asked = object()
    assert ledger.asked("How deep?", says=True) == (first, False)
    other, _ = in_thread(ledger.asked, "Good evening!")
    assert ledger.asked("How deep?") == (first, False), "a read puts nothing"
    in_thread(ledger.asked, "And now?")
    again, new = ledger.asked("How deep?", says=True)
    assert (new, first.outcome, other.outcome) == (True, "abandoned", "open")
    assert ledger.find() is ledger.last is again


def test_a_question_that_was_read_for_first_is_put_into_its_turn(ledger):
    """9.2: As engines do that put when they have the reply, whoever has asked something meanwhile."""
    first, _ = ledger.asked("How deep?")
    in_thread(ledger.asked, "Good evening!")
    assert ledger.asked("How deep?", says=True) == (first, False)


def test_the_question_of_a_run_is_put_again_by_its_later_steps(ledger):
    """9.6: Whatever others have asked meanwhile."""
    first, _ = in_run("a", lambda: ledger.asked("How deep?", says=True))
    first.asked = object()
    ledger.asked("Good evening!", says=True)
    assert in_run("a", lambda: ledger.asked("How deep?", says=True)) == (first, False)


def test_a_retry_in_another_context_is_the_same_turn(ledger):
    """9.6: The next request of a server, or the next run of an agent, repeats what had no answer."""
    turn, _ = ledger.asked("How deep?")
    assert in_thread(ledger.asked, "How deep?") == (turn, False)
    assert in_run("r1", ledger.asked, "How deep?") == (turn, False)
    assert in_run("r2", ledger.asked, "How deep?") == (turn, False)
    assert in_run("r1", ledger.find) is turn


def test_runs_do_not_take_each_others_turns(ledger):
    """9.7: Three agent runs on one memory, step by step in turns: each finds its own."""
    turns = {run: in_run(run, ledger.asked, f"question of {run}")[0] for run in ("r1", "r2", "r3")}
    for run, turn in turns.items():
        assert in_run(run, ledger.find) is turn
        assert in_run(run, ledger.answering) is turn
    assert {turn.outcome for turn in turns.values()} == {"open"}


def test_contexts_do_not_take_each_others_turns(ledger):
    """9.7: Three threads have asked before the first reply comes: each reply finds its own question."""

    async def chat(question, waiting, everyone):
        turn, _ = ledger.asked(question)
        waiting.append(question)
        if len(waiting) == 3:
            everyone.set()
        await everyone.wait()
        return turn, ledger.answering()

    async def chats():
        waiting, everyone = [], asyncio.Event()
        return await asyncio.gather(*(chat(f"question {number}", waiting, everyone) for number in range(3)))

    for asked, answering in asyncio.run(chats()):
        assert asked is answering


def test_a_late_reply_finds_its_own_question(ledger):
    """9.19: A stream goes on after its reader has gone and asked something else."""
    first, _ = ledger.asked("How deep?")
    writer = copy_context()
    second, _ = ledger.asked("How long?")
    assert writer.run(ledger.answering) is first
    assert ledger.answering() is second


def test_a_context_with_an_answer_makes_way(ledger):
    """A script that mixes `chat` and `asyncio.run(achat)` shares no context between them, and still has one turn."""
    first, _ = ledger.asked("How deep?")
    first.outcome = "answered"
    second, _ = in_thread(ledger.asked, "How long?")
    assert ledger.find() is ledger.answering() is second
    assert ledger.own() is first


def test_a_finished_run_stays_finished(ledger):
    """9.4: The last read of an agent finds its own answered turn, not the one that somebody else has begun."""
    turn, _ = in_run("r1", ledger.asked, "How deep?")
    turn.outcome = "answered"
    ledger.asked("How long?")
    assert in_run("r1", ledger.find) is turn
    assert in_run("r1", ledger.answering) is None


def test_two_ledgers_in_one_context():
    """Two memories used side by side do not mix their turns up."""
    ledgers = [TurnLedger() for _ in range(3)]
    turns = [ledger.asked("How deep?")[0] for ledger in ledgers]
    assert [ledger.own() for ledger in ledgers] == turns
    assert len(set(map(id, turns))) == 3


def test_old_runs_are_dropped(ledger):
    """A server that runs for months does not collect the turns of all its runs."""
    turns = []
    for number in range(70):
        turn, _ = in_run(f"r{number}", ledger.asked, f"question {number}")
        turn.outcome = "answered"
        turns.append(turn)
    assert in_run("r69", ledger.own) is turns[69]
    assert in_run("r0", ledger.own) is None


def test_copies_of_finished_turns_are_let_go(ledger):
    """The windows of all turns of a day do not pile up in RAM."""
    first, _ = ledger.asked("How deep?")
    first.view["a"] = object()
    first.outcome = "answered"
    ledger.asked("How long?")
    assert first.view == {}


def test_forget(ledger):
    """9.11: After a reset no reply is judged against what was recalled before."""
    turn, _ = ledger.asked("How deep?")
    running, _ = in_run("r1", ledger.asked, "How long?")
    ledger.forget()
    assert ledger.find() is ledger.answering() is ledger.last is ledger.own() is None
    assert (ledger.erased(), in_run("r1", ledger.erased)) == (turn, running)
    assert ledger.asked("How deep?")[1]
    assert ledger.erased() is None


def test_report(ledger):
    """What `last_turn` shows is a value that does not change any more."""
    turn, _ = ledger.asked("How deep?")
    before = report(turn)
    turn.outcome, turn.reply = "answered", "One metre."
    assert (before.query, before.outcome, before.reply) == ("How deep?", "open", "")
    assert (report(turn).outcome, report(turn).reply) == ("answered", "One metre.")


def test_message_ids_are_of_the_turn(ledger):
    """Each message of a turn has an id of its own, so that storing it again changes nothing."""
    turn, _ = ledger.asked("How deep?")
    assert [turn.next_message_id(), turn.next_message_id()] == [f"{turn.turn_id}/0", f"{turn.turn_id}/1"]


def test_outside_of_runs_there_is_no_run_id():
    """A tag of somebody else's does not look like a run."""
    with instrument_tags({"mine": "1"}):
        assert current_run_id() is None
    assert in_run("r1", current_run_id) == "r1"
