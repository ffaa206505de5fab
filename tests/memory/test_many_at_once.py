"""What many messages replace is the same whether they come one by one, in parts, or all at once."""

import os

import pytest

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from tests.knowledge.cases import load
from tests.outdated import words_in

EVERY = int(os.environ.get("STREETAI_EVERY", "4"))
"""One in so many of the written conversations are told, all by one person: what is like a statement is crowded.

`STREETAI_EVERY=1` tells them all, in some minutes.
"""


def told():
    """What people say of changes, with what is no change between."""
    return [
        NewMessage(content=message["text"], role=message["role"], name=message["author"])
        for case in load("changed_facts.jsonl")[::EVERY]
        for message in case["messages"]
    ]


def stored(registry, messages, size):
    """A memory in which so many of the messages are stored at a time."""
    memory = registry.get(str(size))
    for start in range(0, len(messages), size):
        memory.add_messages(messages[start : start + size])
    return memory


def links(path, encoder, messages, size):
    """What each message replaces, by sequence, when so many are stored at a time."""
    with MemoryRegistry(path, encoder=encoder, durability="fast") as registry:
        stored(registry, messages, size)
        rows = words_in(registry.store, str(size))
        return {sequence: row.replaces for sequence, row in rows.items() if row.replaces}


def test_what_is_replaced_is_the_same(tmp_path, real_encoder):
    """In one call nothing but the call's own messages is near, and each is compared with those before it only."""
    messages = told()
    # At once before one by one: the encoder is quicker with many texts, and keeps what it made of them.
    at_once = links(tmp_path / "all.db", real_encoder, messages, len(messages))
    assert len(at_once) > len(messages) // 16
    assert links(tmp_path / "7.db", real_encoder, messages, 7) == at_once
    assert links(tmp_path / "1.db", real_encoder, messages, 1) == at_once


@pytest.mark.parametrize("config", [Config(), Config(vector_precision="half")])
def test_stacks_are_the_same(tmp_path, config):
    """Who is in which, and their sums to the bit: in more than one block of those that are compared at once."""
    messages = told()[:600]
    rows = []
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(64), config=config, durability="fast") as registry:
        for size in (1, 7, len(messages)):
            stored(registry, messages, size)
            with registry.store.reading(str(size)) as view:
                found = view.rows(None)
            members = {weight.key: weight.stack for weight in found.weights}
            rows.append((members, {stack.key: (stack.size, stack.total.tobytes()) for stack in found.stacks}))
    assert rows[1] == rows[0]
    assert rows[2] == rows[0]
    assert 20 < len(rows[0][1]) < 500


def test_what_is_nearer_in_the_same_call_crowds_nothing_out(tmp_path, real_encoder):
    """Thirty remarks on rooms are nearer than the statement that is out of date."""
    old = NewMessage(content="My flat has three rooms. I swim in the sea, and my uncle plays the oboe.", role="user")
    talk = [NewMessage(content=f"Four rooms, of mine number {one}.", role="user") for one in range(30)]
    new = NewMessage(content="My flat has four rooms.", role="user")
    assert links(tmp_path / "1.db", real_encoder, [old, *talk, new], 1) == {31: (0,)}
    assert links(tmp_path / "all.db", real_encoder, [old, *talk, new], 32) == {31: (0,)}


def test_a_statement_at_the_beginning_of_a_long_text_is_replaced_in_the_same_call(tmp_path, real_encoder):
    """A document changes nothing, but what it says first can be changed, as it can be later."""
    letter = NewMessage(content="My flat has three rooms. " + "We had rain again and stayed in. " * 80, role="user")
    new = NewMessage(content="My flat has four rooms.", role="user")
    assert links(tmp_path / "1.db", real_encoder, [letter, new], 1) == {1: (0,)}
    assert links(tmp_path / "all.db", real_encoder, [letter, new], 2) == {1: (0,)}


def test_what_is_in_quarantine_is_not_replaced_in_the_same_call(tmp_path, real_encoder):
    """Nothing counts of what is hidden, as when it was stored before."""
    old = NewMessage(content="My flat has three rooms.", role="user", writer="a page")
    new = NewMessage(content="My flat has four rooms.", role="user")
    with MemoryRegistry(tmp_path / "m.db", encoder=real_encoder) as registry:
        for name, size in (("one", 1), ("all", 2)):
            memory = registry.get(name)
            memory.add_message("Hello.", "user")
            memory.quarantine(writer="a page")
            for start in range(0, 2, size):
                memory.add_messages([old, new][start : start + size])
            assert [row.replaces for row in words_in(registry.store, name).values()] == [(), (), ()]


def test_of_those_that_are_as_near_the_newest_are_replaced(tmp_path, real_encoder):
    """They are what held until now: the same fact told again and again."""
    same = [NewMessage(content="My flat has three rooms.", role="user") for _ in range(30)]
    new = NewMessage(content="My flat has four rooms.", role="user")
    for size in (1, 17, 31):
        assert links(tmp_path / f"{size}.db", real_encoder, [*same, new], size) == {30: tuple(range(29, 9, -1))}


def test_what_is_replaced_is_the_same_after_the_memory_is_opened_anew(tmp_path, real_encoder):
    """Of more statements that are as near than are compared; what is removed leaves its place to another in RAM."""
    found = []
    for name in ("kept", "opened"):
        with MemoryRegistry(tmp_path / f"{name}.db", encoder=real_encoder) as registry:
            memory = registry.get("m")
            memory.add_messages([NewMessage(content="My flat has three rooms.", role="user") for _ in range(40)])
            for message in memory.messages()[:5]:
                memory.delete_message(message.message_id)
            if name == "kept":
                memory.add_message("My flat has four rooms.", "user")
        with MemoryRegistry(tmp_path / f"{name}.db", encoder=real_encoder) as registry:
            if name == "opened":
                registry.get("m").add_message("My flat has four rooms.", "user")
            found.append(words_in(registry.store, "m")[40].replaces)
    assert found[0] == found[1] == tuple(range(39, 19, -1))
