"""What is played: pairs go through the chain, everything else is stored, nothing twice and nothing never."""

from hypothesis import given
from hypothesis import strategies as st

from streetai_core import NewMessage
from streetai_langchain.demo.figures import Figures, share_saved
from streetai_langchain.demo.script import Aside, Exchange, steps
from tests.cli.conftest import SHORT


def said(script):
    """Messages from a script such as `u1 a1 u2`: role, conversation."""
    roles = {"u": "user", "a": "assistant", "s": "system", "t": "tool"}
    return [
        NewMessage(role=roles[word[0]], content=f"{place} {word}", conversation_id=word[1:] or None)
        for place, word in enumerate(script.split())
    ]


def shown(script, left):
    """Steps as text: `2:0+1` is exchange number 2 of the messages 0 and 1, `3` is an aside of message 3."""
    places = {id(message): place for place, message in enumerate(script)}
    return " ".join(
        f"{step.number}:{places[id(step.question)]}+{places[id(step.reply)]}"
        if isinstance(step, Exchange)
        else f"{places[id(step.message)]}"
        for step in left
    )


def test_pairs_are_exchanges_and_the_rest_are_asides():
    """A reply belongs to the message right before it in its conversation, if that is the user's."""
    for script, expected in {
        "u a u a": "1:0+1 2:2+3",
        "u u a a": "0 1:1+2 3",
        "a s u a t": "0 1 1:2+3 4",
        "u t a": "0 1 2",
        "u1 u2 a1 a2": "1:0+2 2:1+3",
        "u1 a2 u2 a1": "1:0+3 1 2",
        "u": "0",
    }.items():
        messages = said(script)
        assert expected == shown(messages, steps(messages, [False] * len(messages))), script


def test_what_is_stored_is_left_out():
    """Exchanges keep their number; a reply whose question alone is stored is only stored."""
    messages = said("u a u a u a")
    assert "2:2+3 3:4+5" == shown(messages, steps(messages, [True, True, False, False, False, False]))
    assert "3 3:4+5" == shown(messages, steps(messages, [True, True, True, False, False, False]))
    assert "" == shown(messages, steps(messages, [True] * 6))


@given(st.lists(st.sampled_from(["u", "a", "u1", "a1", "t1", "s2", "u2", "a2"])), st.data())
def test_every_message_is_stored_once_and_in_order(words, data):
    """Whatever the script and however much of each conversation is stored: each message is played or stored once."""
    messages = said(" ".join(words))
    threads = {message.conversation_id for message in messages}
    left_of = {thread: data.draw(st.integers(0, len(messages))) for thread in sorted(threads, key=str)}
    stored = []
    for message in messages:
        stored.append(left_of[message.conversation_id] > 0)
        left_of[message.conversation_id] -= 1
    played = []
    for step in steps(messages, stored):
        played += [step.message] if isinstance(step, Aside) else [step.question, step.reply]
    for thread in threads:
        expected = [
            message
            for message, there in zip(messages, stored, strict=True)
            if message.conversation_id == thread and not there
        ]
        assert expected == [message for message in played if message.conversation_id == thread]


def test_figures_by_hand():
    """30 of 100 and 90 of 100 tokens: 40 % saved as a whole; nothing of nothing is no saving."""
    assert 0.7 == 1 - 0.3 == share_saved(30, 100)
    assert 0.0 == share_saved(0, 0)
    assert Figures(turns=0, sent=0, full=0, mean_saved=0.0) == Figures.of([])
    assert 0.4 == Figures(turns=2, sent=120, full=200, mean_saved=0.35).saved


def test_the_short_conversation_is_three_exchanges():
    """The conversation that the other tests play is what they think it is."""
    messages = [NewMessage(**{key: row[key] for key in ("role", "content", "conversation_id")}) for row in SHORT]
    assert "1:0+1 2:2+3 3:4+5" == shown(messages, steps(messages, [False] * 6))
