"""Which part of a history is sent on."""

import math
from dataclasses import replace

from streetai_core import Config, EstimatedTokens
from streetai_core.adapters.codec import Said, ToolCall
from streetai_core.adapters.exchanges import Parts, exchanges, take_apart
from streetai_core.adapters.trimming import trim

LONG = "The harbour master wrote a letter about the dredging of the basin, and nobody answered it. " * 5
"""About 110 tokens."""


def talk(*roles):
    """A conversation of long messages, each with a text of its own."""
    calls = {"call": (ToolCall(call_id="c1", name="tide", arguments="{}"),)}
    kinds = {"call": "assistant", "result": "tool"}
    return [
        Said(
            role=kinds.get(role, role),
            text=f"{number} {LONG}",
            tool_calls=calls.get(role, ()),
            tool_call_id="c1" if role == "result" else None,
            position=number,
        )
        for number, role in enumerate(roles)
    ]


def trimmed(history, known=None, config=None, room=math.inf, end=None, **entries):
    """The positions that are left out, of a request whose new message has the position `end`."""
    known = {said.text for said in history} if known is None else known
    asked = Said(role="user", text="And now?", position=history[-1].position + 1 if end is None else end)
    parts = Parts(tuple(history), (asked,), ())
    found = trim(parts, known, room=room, config=config or Config(), counter=EstimatedTokens(), **entries)
    assert found.shown == {said.text for said in history if said.position not in found.left_out}
    return sorted(found.left_out)


def test_old_exchanges_are_left_out():
    """The newest stays whole, of those before it as many as the window holds."""
    history = talk(*["user", "assistant"] * 5)
    assert list(range(8)) == trimmed(history)
    assert list(range(6)) == trimmed(history, config=Config(window_tokens=600))


def test_a_short_history_stays_as_it_is():
    """While it costs no more than a selection."""
    assert trimmed(talk(*["user", "assistant"] * 3)) == []
    assert list(range(4)) == trimmed(talk(*["user", "assistant"] * 3), room=400)


def test_what_the_memory_does_not_have_stays():
    """Word for word."""
    history = talk(*["user", "assistant"] * 5)
    known = {said.text for said in history if said.position != 2}
    assert [0, 1, 4, 5, 6, 7] == trimmed(history, known)


def test_white_space_is_no_matter():
    """An app strips what the model says, or joins the messages of a response without a blank line."""
    history = talk(*["user", "assistant"] * 5)
    known = {f"\n{said.text.replace('. ', '.  ')} \n" for said in history}
    assert list(range(8)) == trimmed(history, known)


def test_entries_that_say_nothing_go_with_their_exchange():
    """Thoughts, and the pieces of a reply that was streamed: alone at the beginning providers refuse them."""
    history = [replace(said, position=3 * said.position + 1) for said in talk(*["user", "assistant"] * 5)]
    assert list(range(25)) == trimmed(history)
    assert [*range(5), *range(6, 25)] == trimmed(history, fixed={5})
    assert list(range(25)) == trimmed(history, end=40, config=Config(recency_turns=1))
    assert list(range(31)) == trimmed(history, end=31, config=Config(recency_turns=0))


def test_what_cannot_be_read_keeps_its_exchange():
    """What was compacted is nowhere else."""
    history = [replace(said, position=said.position + 1) for said in talk(*["user", "assistant"] * 5)]
    assert list(range(3, 9)) == trimmed(history, whole={0})
    assert [0, 1, 2, 5, 6, 7, 8] == trimmed(history, whole={4})


def test_an_entry_that_the_new_message_shares_stays():
    """Results of tools and what the user says beside them are one message of the user's."""
    history = talk("user", "call", "result")
    assert trimmed(history, end=2, config=Config(recency_turns=0, history_ceiling=False)) == []


def test_more_than_text_stays():
    """The memory keeps no images."""
    history = talk(*["user", "assistant"] * 5)
    history[0] = Said(role="user", text=history[0].text, attachments=("image",), position=0)
    assert list(range(2, 8)) == trimmed(history)


def test_calls_go_with_their_results():
    """Exchanges are whole."""
    history = talk("user", "call", "result", "assistant", *["user", "assistant"] * 4)
    assert [*range(4), *range(4, 10)] == trimmed(history)
    assert [[0, 1, 2, 3], [4, 5], [6, 7], [8, 9], [10, 11]] == [
        [said.position for said in group] for group in exchanges(history)
    ]


def test_a_conversation_is_taken_apart_at_the_users_newest_message():
    """With those before it that have had no reply; what follows belongs to it."""
    parts = take_apart(talk("assistant", "user", "assistant", "user", "user", "call", "result"))
    positions = [[said.position for said in run] for run in (parts.history, parts.asked, parts.since)]
    assert [[0, 1, 2], [3, 4], [5, 6]] == positions
    assert (4, ["c1"]) == (parts.position, parts.results)
    nothing = take_apart([])
    assert (None, "", []) == (nothing.position, nothing.question, nothing.results)


def test_what_tools_are_called_with_counts():
    """A short talk with a file that was written is no short history."""
    history = talk("user", "call", "result", "assistant", "user", "assistant")
    assert trimmed(history) == []
    call = ToolCall(call_id="c1", name="write_file", arguments=f'{{"body": "{LONG * 20}"}}')
    history[1] = replace(history[1], tool_calls=(call,))
    assert trimmed(history) == [0, 1, 2, 3]
