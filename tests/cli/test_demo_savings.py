"""What the demo promises: the figures of the bundled conversation, played by the program as its users play it."""

import statistics

import pytest
from langchain_classic.chains.conversation.prompt import PROMPT

from streetai_core.tokens import EstimatedTokens, count_message
from tests.cli.conftest import Program, objects

FIRST = 16
QUARTER = 13
"""Of 54 turns."""


@pytest.fixture(scope="session")
def played(installed, tmp_path_factory):
    """All objects of one run of the whole bundled conversation."""
    done = Program(installed, tmp_path_factory.mktemp("played"))("demo", "--json")
    assert (0, "") == (done.returncode, done.stderr)
    return objects(done)


@pytest.fixture(scope="session")
def turns(played):
    """The 54 turns."""
    return played[:-1]


def saved(turns):
    """Share of the full history's tokens that was not sent, all turns together."""
    return 1 - sum(turn["tokens_sent"] for turn in turns) / sum(turn["tokens_full_history"] for turn in turns)


def test_every_message_is_played(played, turns):
    """54 turns, 108 stored messages, and a summary that adds up."""
    assert list(range(1, 55)) == [turn["turn"] for turn in turns]
    summary = played[-1]
    assert (54, 108) == (summary["turns"], summary["stored"]["messages"])
    assert summary["saved"] == pytest.approx(saved(turns), abs=1e-6)
    assert summary["first_turns"]["saved"] == pytest.approx(saved(turns[:FIRST]), abs=1e-6)


def test_the_first_turns_save_two_thirds(turns):
    """Over the first 16 user turns at least 68 % of the tokens are saved as a whole."""
    assert 0.68 <= saved(turns[:FIRST])


def test_the_first_turns_save_half_each(turns):
    """The mean of what each of the first 16 turns saves is at least 50 %."""
    assert 0.50 <= statistics.mean(saved([turn]) for turn in turns[:FIRST])


def test_no_turn_costs_more_than_the_history(turns):
    """At no turn more is sent than resending everything would have cost."""
    assert [] == [turn["turn"] for turn in turns if turn["tokens_sent"] > turn["tokens_full_history"]]


def test_the_prompt_does_not_grow_with_the_conversation(turns):
    """Mean tokens of the last quarter of the turns are within 10 % of those of the second quarter."""
    second = statistics.mean(turn["tokens_sent"] for turn in turns[QUARTER : 2 * QUARTER])
    last = statistics.mean(turn["tokens_sent"] for turn in turns[-QUARTER:])
    assert last == pytest.approx(second, rel=0.10)


def test_the_full_history_is_that_of_the_transcript(turns):
    """What resending everything would cost is the sum over the messages so far, counted here anew."""
    counter = EstimatedTokens()
    history = 0
    for turn in turns:
        assert history + count_message(turn["question"], counter) == turn["tokens_full_history"]
        history += count_message(turn["question"], counter) + count_message(turn["reply"], counter)


def test_the_model_receives_what_the_inspector_says(turns):
    """What arrives at the model is what the inspector counts, and the fixed text of the chain's template.

    The chain sends one text with a label of up to eight characters (two tokens) before each message, where the
    inspector counts four tokens for a message and rounds each up: up to five tokens less a message, never more.
    """
    template = count_message(PROMPT.format(history="", input=""), EstimatedTokens())
    for turn in turns:
        difference = turn["tokens_received"] - turn["tokens_sent"] - template
        assert -5 * (turn["window_messages"] + 1) <= difference <= 0


def test_what_was_said_months_ago_is_recalled(turns):
    """Asked in June about the knee, the memory sends what was said of it in March."""
    (asked,) = [turn for turn in turns if "Which knee, what exactly" in turn["question"]]
    recalled = [piece for piece in asked["recalled"] if "meniscus in my left knee" in piece["content"]]
    assert [("session-1", "Mara")] == [(piece["conversation_id"], piece["name"]) for piece in recalled]
