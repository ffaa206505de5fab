"""Changed facts in a large memory: `python -m tests.benchmarks.changes_in_large FILE`.

Conversations with an assistant in which a fact changes ("unforeseen" and "loose" of `tests/knowledge/data`), 50 of them
at a time, woven into the first 1,500 messages of a recording as if all were said at one time: in how many the current
value is among the fifty best, in how many above every old one, and in how many without what lifts it for a question.
"""

import random
import sys
import tempfile
from pathlib import Path

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders import OfflineMiniLM
from streetai_core.evaluation.datasets import read_dataset
from tests.benchmarks.as_typed import nothing_lifted
from tests.benchmarks.recording import record
from tests.knowledge.cases import of_kind

KINDS = ("unforeseen", "loose")
AT_A_TIME = 50
OTHERS = 1_500
"""Messages of other talk in each memory."""

LEAST = 20
"""Characters of these, at least: shorter ones say nothing."""

TALK = 40
"""Messages of other talk in one conversation."""


def talk_of(dataset):
    """The first messages of a recording."""
    texts = (turn.text for recording in dataset.recordings for turn in recording.messages)
    return [text for text in texts if len(text) > LEAST][:OTHERS]


def woven(cases, talk, seed):
    """The messages of some cases and others, in an order in which those of each case stand as they were said."""
    chance = random.Random(seed)
    told = []
    for case in cases:
        places = sorted(chance.random() for _ in case["messages"])
        for number, (place, one) in enumerate(zip(places, case["messages"], strict=True)):
            told.append(
                (
                    place,
                    NewMessage(
                        content=one["text"],
                        role=one["role"],
                        message_id=f"{case['id']}/{number}",
                        conversation_id=case["id"],
                    ),
                )
            )
    told += [
        (chance.random(), NewMessage(content=text, role="user", conversation_id=f"talk {number // TALK}"))
        for number, text in enumerate(talk)
    ]
    return [message for _, message in sorted(told, key=lambda pair: pair[0])]


def outcome(memory, case):
    """Whether the current value of a case is found, and whether it stands above every old one."""
    hits = memory.retrieve(case["question"], limit=50)
    order = list(dict.fromkeys(hit.signal.parent_turn_id for hit in hits))
    current, old = f"{case['id']}/{case['current']}", {f"{case['id']}/{place}" for place in case["old"]}
    found = current in order
    return found, found and old.isdisjoint(order[: order.index(current)])


def measured(kind, talk, registry):
    """How many of the cases of a kind are right."""
    cases = [
        case
        for case in of_kind("changed_facts_as_typed.jsonl", kind)
        if all(one["author"] is None for one in case["messages"])
    ]
    figures = {"conversations": len(cases), "current_found": 0, "current_above_old": 0, "current_above_old_by_links": 0}
    for first in range(0, len(cases), AT_A_TIME):
        some = cases[first : first + AT_A_TIME]
        memory = registry.get(f"{kind} {first}")
        memory.add_messages(woven(some, talk, first))
        for case in some:
            found, above = outcome(memory, case)
            figures["current_found"] += found
            figures["current_above_old"] += above
            with nothing_lifted():
                figures["current_above_old_by_links"] += outcome(memory, case)[1]
    return figures


def main():
    """Measure and record."""
    talk = talk_of(read_dataset(sys.argv[1]))
    with (
        tempfile.TemporaryDirectory() as folder,
        MemoryRegistry(Path(folder) / "memory.db", encoder=OfflineMiniLM(), durability="fast") as registry,
    ):
        record("changes_in_large", {kind: measured(kind, talk, registry) for kind in KINDS})


if __name__ == "__main__":
    main()
