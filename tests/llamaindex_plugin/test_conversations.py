"""What all components on one session share: the ground that memory, retriever and handlers stand on."""

import gc

import pytest

from streetai_core.errors import InputError
from streetai_llamaindex.conversations import conversation_of
from streetai_llamaindex.opening import opening_of
from tests.llamaindex_plugin.conftest import QUESTION, REPLY, SESSION, assistant, said, steps, user


def found(memory, question):
    """Ids of what a retriever would give for a question."""
    return [hit.signal.signal_id for hit in memory.registry.get(SESSION).retrieve(question, limit=3)]


def test_one_conversation_for_all(registry, make):
    """9.17: A retriever that was made apart from the memory is on the same turns."""
    memory = make()
    assert conversation_of(opening_of(registry), SESSION) is memory.conversation is make().conversation
    assert make("tom").conversation is not memory.conversation


def test_conversations_are_let_go(registry):
    """A server does not collect the sessions of all its users."""
    opening = opening_of(registry)
    first = id(conversation_of(opening, SESSION))
    held = [conversation_of(opening, f"user {number}") for number in range(3)]
    gc.collect()
    again = conversation_of(opening, SESSION)
    assert again.turns.last is None
    assert len({first, *map(id, held)}) >= 3


def test_a_retriever_beside_the_memory(memory):
    """9.17: The retriever runs first, then the memory is read: one turn, and each signal is learned from once."""
    conversation = memory.conversation
    turn = conversation.retrieving(QUESTION)
    turn.retrieved_ids += found(memory, QUESTION)
    shown = memory.get(QUESTION)
    assert conversation.turns.own() is turn
    assert "[recalled" in shown[-1].content
    memory.put(user(QUESTION))
    memory.put(assistant(REPLY))
    recalled = {hit.signal.signal_id for hit in turn.hits}
    assert recalled & set(turn.retrieved_ids)
    assert steps(memory) == len(recalled | set(turn.retrieved_ids))
    assert said(memory).count(("user", QUESTION)) == 1


def test_a_condensed_question(memory):
    """9.17: The memory is read first and the retriever asked in other words: still one turn."""
    memory.get(QUESTION)
    turn = memory.conversation.turns.own()
    assert memory.conversation.retrieving("draught of the boat in metres") is turn
    turn.retrieved_ids += found(memory, "Which wind came on day 3?")
    memory.put(user(QUESTION))
    memory.put(assistant(REPLY))
    assert steps(memory) == len(turn.retrieved) > len(turn.hits)


def test_a_retriever_after_the_answer_begins_a_turn(memory):
    """9.17: The next question of the same user is not added to the last turn."""
    memory.put(user(QUESTION))
    memory.put(assistant(REPLY))
    turn = memory.conversation.retrieving("Which wind came on day 3?")
    assert (turn.question, turn.outcome) == ("Which wind came on day 3?", "open")
    assert memory.conversation.retrieving("  ") is turn
    turn.outcome = "answered"
    assert memory.conversation.retrieving("  ") is None


def test_a_session_id_that_cannot_be_used(registry):
    """9.16: No id, no memory: there is nothing that everybody shares by accident."""
    with pytest.raises(InputError, match="session_id"):
        conversation_of(opening_of(registry), "")
