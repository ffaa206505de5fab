"""A fact told at the beginning, asked after 10,000 messages of other talk: `python -m tests.benchmarks.old_facts FILE`.

FILE has recorded conversations (the shape of `streetai bench`); their messages are the other talk, over and over, with
the names of who said them. The facts and questions are those of `tests/knowledge/data`, each question once. Ten
memories are told ten facts each, every fact in a conversation of its own: of a hundred about one person many would
contradict each other.

The paraphrased are forty others, two a memory; they were written before the table of matters (`text/matters.py`), half
of them so that question and fact share no word. `without_matters` gives what that table finds no weight.

`told_otherwise` are 160 more, ten a memory, most of which share no word with their question. A language model wrote
them that had not seen the table; their matters were known when the table was extended, and their words were not.

`in_one_conversation` are the hundred facts again in an app that names no conversations: each alone among other talk,
which surrounds it. `without_stretches` gives the company of a message no weight.
"""

import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders import default_encoder
from streetai_core.evaluation.datasets import read_dataset
from streetai_core.evaluation.embedding_cache import DiskCachedEncoder, default_folder
from streetai_core.recall import evidence
from tests.benchmarks.recording import record

DATA = Path(__file__).parents[1] / "knowledge" / "data"
CASES = DATA / "changed_facts.jsonl"
PARAPHRASED = DATA / "paraphrased_facts.jsonl"
TOLD_OTHERWISE = DATA / "told_otherwise.jsonl"
TALK = 10_000
FACTS = 100
MEMORIES = 10
MEMORIES_TOLD_OTHERWISE = 16
"""More, so that no memory has two facts of one matter."""
BUDGET = 500
PER_CONVERSATION = 25
BETWEEN = 7
"""Messages of other talk before each fact, where they are in one conversation."""


def facts():
    """(question, statement) of cases of all kinds, each question once."""
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    by_question = {case["question"]: case["messages"][case["current"]]["text"] for case in cases}
    step = len(by_question) / FACTS
    every = list(by_question.items())
    return [every[int(number * step)] for number in range(FACTS)]


def paraphrased(path, *, shares_words):
    """(question, statement) that share words, or that do not."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [(row["question"], row["fact"]) for row in rows if row["shares_words"] is shares_words]


def talk(path):
    """Other messages, as many as are wanted."""
    said = [turn for recording in read_dataset(path).recordings for turn in recording.messages]
    for number in range(TALK):
        message = said[number % len(said)]
        yield NewMessage(
            content=message.text,
            role=message.role,
            name=message.name,
            conversation_id=f"talk-{number // PER_CONVERSATION}",
        )


def apart(own, other):
    """The facts, each in a conversation of its own, and the other talk after them."""
    first = [
        NewMessage(content=fact, role="user", conversation_id=f"first-{number}") for number, (_, fact) in enumerate(own)
    ]
    return [*first, *other]


def in_one(own, other):
    """One conversation that begins with the facts, each of them after a few messages of the other talk."""
    said = [replace(message, conversation_id=None) for message in other]
    for number, (_, fact) in enumerate(own):
        said.insert((number + 1) * BETWEEN + number, NewMessage(content=fact, role="user"))
    return said


def filled(registry, messages):
    """The memory with all messages."""
    memory = registry.get("old-facts")
    for start in range(0, len(messages), 2000):
        memory.add_messages(messages[start : start + 2000])


def asked(memory, own):
    """The questions whose facts are in the prompt, and those whose facts are among the first 25 hits."""
    sent = {q for q, fact in own if fact in memory.build_prompt(q, token_budget=BUDGET).recalled_text}
    hits = {q for q, fact in own if any(fact in hit.signal.content for hit in memory.retrieve(q, limit=25))}
    return sent, hits


def found(told, path, encoder, variants, *, order=apart, memories=MEMORIES):
    """How many facts each variant finds; `told` are statements by questions, `variants` a config and weights each."""
    other = list(talk(path))
    every = {name: (set(), set()) for name in variants}
    for first in range(memories):
        own = told[first::memories]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "memory.db"
            with MemoryRegistry(file, encoder=encoder, durability="fast") as registry:
                filled(registry, order(own, other))
            for name, (config, weights) in variants.items():
                for weight, value in weights.items():
                    setattr(evidence, weight, value)
                with MemoryRegistry(file, config=config, encoder=encoder) as registry:
                    for all_found, these in zip(every[name], asked(registry.get("old-facts"), own), strict=True):
                        all_found.update(these)
    return {
        name: {
            "in_the_prompt": len(sent),
            "in_25_hits": len(hits),
            "missed": sorted({question for question, _ in told} - sent),
        }
        for name, (sent, hits) in every.items()
    }


def main(path):
    """Measure and record."""
    local = DiskCachedEncoder(default_encoder(), default_folder())
    decay = {"default": (Config(), {}), "decay_off": (Config(decay_rate=0.0), {})}
    stretches = {
        "without_stretches": (Config(), {"STRETCH": 0.0}),
        "with_stretches": (Config(), {"STRETCH": evidence.STRETCH}),
    }
    matters = {"without_matters": (Config(), {"TOLD": 0.0}), "with_matters": (Config(), {"TOLD": evidence.TOLD})}
    figures = {"facts": FACTS, "messages_of_other_talk": TALK, "token_budget": BUDGET}
    figures |= found(facts(), path, local, decay)
    figures["in_one_conversation"] = found(facts(), path, local, stretches, order=in_one)
    for words, shares in (("without_common_words", False), ("with_common_words", True)):
        figures[f"paraphrased_{words}"] = found(paraphrased(PARAPHRASED, shares_words=shares), path, local, matters)
        otherwise = paraphrased(TOLD_OTHERWISE, shares_words=shares)
        figures[f"told_otherwise_{words}"] = {
            "facts": len(otherwise),
            **found(otherwise, path, local, matters, memories=MEMORIES_TOLD_OTHERWISE),
        }
    record("old_facts", figures)


if __name__ == "__main__":
    main(sys.argv[1])
