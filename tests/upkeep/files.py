"""Databases for these tests, and what they say."""

from dataclasses import replace

import numpy as np

from streetai_core.stores.sqlite import SqliteStore
from streetai_core.stores.types import Changes, MessageQuery
from streetai_core.testing.factories import make_exchange, make_learned
from streetai_core.testing.store_reading import comparable, head_of, write

NAMES = ("alice", "bob")
MESSAGES = 40


def fill(path, messages=MESSAGES):
    """A closed database with two memories, some of it learned and some deleted, and what each says.

    The vectors of the second one are halves.
    """
    with SqliteStore(path, durability="fast") as store:
        for name in NAMES:
            first = make_exchange(*range(messages))
            if name == NAMES[1]:
                halves = [replace(one, vector=one.vector.astype(np.float16)) for one in first.signals]
                first = replace(first, signals=halves)
            write(store, replace(first, head=replace(first.head, memory_id=name)))
            head = head_of(store, name)
            write(store, Changes(head=head, learned=[make_learned(key) for key in range(messages)]))
            write(store, Changes(head=head_of(store, name), deleted_messages=[3]))
        return {name: everything(store, name) for name in NAMES}


def everything(store, name):
    """All that can be read of a memory."""
    with store.reading(name) as view:
        # By every index too.
        found = [view.rows(None), view.messages(MessageQuery()), view.credits(), view.credits(7)]
        found += [view.messages(MessageQuery(message_id=f"message-{number}")) for number in range(MESSAGES)]
        found += [view.messages(MessageQuery(any_conversation=False)), view.rows(1), view.rows(3)]
        return comparable(found)


def values(store, name):
    """The values of a memory by kind, without the clocks: what a salvage may give some of, and nothing else."""
    with store.reading(name) as view:
        rows, messages, log = view.rows(None), view.messages(MessageQuery()), view.credits()
    kinds = {
        "messages": messages,
        "signals": rows.signals,
        "weights": rows.weights,
        "words": rows.words,
        "credits": [replace(entry, version=0) for entry in log],
    }
    return {kind: [comparable(row) for row in rows] for kind, rows in kinds.items()}
