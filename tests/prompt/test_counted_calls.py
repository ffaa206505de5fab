"""What a model calls tools with is sent, so it is counted: in the budget, the window and the history."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.stores.reference import ReferenceStore
from streetai_core.tokens import EstimatedTokens, count_messages, count_stored


def exchange(number, body, result="ok", said="", *, raw=False):
    """A request of the user's, a call of a tool with its result, and the reply."""
    arguments = {"path": f"{number}.py", "body": body}
    function = {"name": "write_file", "arguments": arguments if raw else json.dumps(arguments)}
    call = {"id": f"call-{number}", "type": "function", "function": function}
    return [
        NewMessage(content=f"Write file {number}.", role="user"),
        NewMessage(content=said, role="assistant", metadata={"tool_calls": [call]}),
        NewMessage(content=result, role="tool", metadata={"tool_call_id": f"call-{number}"}),
        NewMessage(content=f"File {number} is written.", role="assistant"),
    ]


def opened(messages):
    """A memory with messages in it."""
    memory = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder(dim=32)).get("m")
    memory.add_messages(messages)
    return memory


@settings(max_examples=100)
@given(
    bodies=st.lists(st.text('ab \\"é中', max_size=1500), min_size=1, max_size=6),
    budget=st.one_of(st.none(), st.integers(60, 3000)),
    raw=st.booleans(),
)
def test_no_prompt_with_calls_is_over_its_budget(bodies, budget, raw):
    """Property: the arguments that are really sent are within it, and a prompt costs no more than the history."""
    memory = opened([one for number, body in enumerate(bodies) for one in exchange(number, body, raw=raw)])
    prompt = memory.build_prompt("Which files are there?", token_budget=budget)
    given_to_tools = [call["function"]["arguments"] for one in prompt.messages for call in one.get("tool_calls", ())]
    sent = sum(len(one if isinstance(one, str) else json.dumps(one, ensure_ascii=False)) for one in given_to_tools)
    sent += sum(len(one["content"]) for one in prompt.messages)
    assert sent / 4 <= prompt.inspector["tokens_sent"] <= (budget or prompt.inspector["tokens_full_history"])


def test_what_a_call_says_beside_its_text_is_counted_once():
    """A structured answer is stored with what its call says as its text: sent, and counted, as the call alone."""
    values = {"path": "0.py", "body": "x = 1"}
    (_, call, _, _) = exchange(0, "x = 1")
    (_, answer, _, _) = exchange(0, "x = 1", said=json.dumps(values))
    counter = EstimatedTokens()
    assert count_stored(answer, counter) == count_stored(call, counter) > count_messages([{"content": ""}], counter)


def test_a_long_call_is_not_sent_where_the_budget_has_no_room_for_it():
    """Its exchange is left out as a whole, as one with a long result is."""
    memory = opened(exchange(0, "x = 1\n" * 5000))
    prompt = memory.build_prompt("Which files are there?", token_budget=300)
    assert "tool_calls" not in str(prompt.messages)
    assert prompt.inspector["tokens_sent"] <= 300
    assert prompt.inspector["tokens_full_history"] > 7500


def test_the_window_stops_at_an_older_exchange_with_long_calls():
    """`window_tokens` counts them: the newest exchange is whole, the one before it is quoted if it is wanted."""
    memory = opened([one for number in range(3) for one in exchange(number, "x = 1\n" * 300)])
    prompt = memory.build_prompt("Which files are there?")
    assert [call["id"] for one in prompt.messages for call in one.get("tool_calls", ())] == ["call-2"]


@pytest.mark.parametrize("removed", [1, 2])
def test_the_history_costs_what_it_did_once_a_call_is_deleted_or_edited(removed):
    """What was added for its arguments is taken away again, whatever happens to its text between."""
    memory = opened(exchange(0, "x = 1"))
    before = memory.stats()["history_tokens"]
    new = exchange(1, "y = 2\n" * 50)
    memory.add_messages(new)
    (ids,) = [[one.message_id for one in memory.messages()[4:]]]
    assert memory.stats()["history_tokens"] == before + sum(count_stored(one, EstimatedTokens()) for one in new)
    memory.update_message(ids[removed], "Something else was said.")
    memory.delete_messages(ids)
    assert memory.stats()["history_tokens"] == before
