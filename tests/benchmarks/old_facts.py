"""A fact told at the beginning, asked after 10,000 messages of other talk: `python -m tests.benchmarks.old_facts FILE`.

FILE has recorded conversations (the shape of `streetai bench`); their messages are the other talk, over and over. The
facts and questions are those of `tests/knowledge/data`, as far as no other fact answers the same question.
"""

import json
import sys
import tempfile
from pathlib import Path

from streetai_core import Config, MemoryRegistry, NewMessage
from tests.benchmarks.recording import record

CASES = Path(__file__).parents[1] / "knowledge" / "data" / "changed_facts.jsonl"
TALK = 10_000
FACTS = 100
BUDGET = 500
PER_CONVERSATION = 25


def facts():
    """(statement, question) of cases of all kinds, each question once."""
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    by_question = {case["question"]: case["messages"][case["current"]]["text"] for case in cases}
    step = len(by_question) / FACTS
    every = list(by_question.items())
    return [every[int(number * step)] for number in range(FACTS)]


def talk(path):
    """Other messages, as many as are wanted."""
    conversations = json.loads(Path(path).read_text(encoding="utf-8"))["conversations"]
    said = [
        message for conversation in conversations for message in conversation["messages"] if message["text"].strip()
    ]
    for number in range(TALK):
        message = said[number % len(said)]
        yield NewMessage(
            content=message["text"], role=message["role"], conversation_id=f"talk-{number // PER_CONVERSATION}"
        )


def found(path, config):
    """Which facts are in the prompt, and which among the first 25 hits."""
    told = facts()
    with (
        tempfile.TemporaryDirectory() as folder,
        MemoryRegistry(Path(folder) / "memory.db", config=config, durability="fast") as registry,
    ):
        memory = registry.get("old-facts")
        memory.add_messages([NewMessage(content=fact, role="user", conversation_id="first") for _, fact in told])
        other = list(talk(path))
        for start in range(0, TALK, 2000):
            memory.add_messages(other[start : start + 2000])
        sent = [
            question
            for question, fact in told
            if fact in memory.build_prompt(question, token_budget=BUDGET).recalled_text
        ]
        hits = sum(
            any(fact in hit.signal.content for hit in memory.retrieve(question, limit=25)) for question, fact in told
        )
    return {"in_the_prompt": len(sent), "in_25_hits": hits, "missed": sorted({q for q, _ in told} - set(sent))}


if __name__ == "__main__":
    record(
        "old_facts",
        {
            "facts": FACTS,
            "messages_of_other_talk": TALK,
            "token_budget": BUDGET,
            "default": found(sys.argv[1], Config()),
            "decay_off": found(sys.argv[1], Config(decay_rate=0.0)),
        },
    )
