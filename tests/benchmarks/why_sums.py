"""Whether the parts of every hit sum to its score: `python -m tests.benchmarks.why_sums FILE NUMBER [SEED]`.

FILE has recorded conversations (the shape of `streetai bench`). NUMBER random questions, made of spans of what was
said, are put to each conversation; hits, near misses and their gates are checked.
"""

import random
import sys

from streetai_core import Config
from streetai_core.encoders import default_encoder
from streetai_core.encoders.cache import CachedEncoder
from streetai_core.evaluation.datasets import read_dataset
from streetai_core.evaluation.replay import as_new_message, open_memory
from tests.benchmarks.recording import record
from tests.looking.questions import random_questions

ALLOWED = 1e-6
"""How far a sum may be from its score."""


def measured(recording, number, seed, encoder):
    """The figures of one conversation."""
    figures = {"questions": number, "hits": 0, "near_misses": 0, "hits_without_gate": 0, "farthest": 0.0}
    with open_memory(recording, Config(), encoder) as memory:
        memory.add_messages([as_new_message(message) for message in recording.messages])
        texts = [message.text for message in recording.messages]
        for question in random_questions(texts, number, random.Random(seed)):
            why = memory.why(question)
            misses = [miss.hit for miss in why.near_misses]
            figures["hits"] += len(why.hits)
            figures["near_misses"] += len(misses)
            figures["hits_without_gate"] += sum(not gate for gate in why.gates) + len(why.hits) - len(why.gates)
            away = [abs(sum(hit.parts.values()) - hit.score) for hit in (*why.hits, *misses)]
            figures["farthest"] = max(figures["farthest"], *away, 0.0)
    return figures


def main(path, number, seed=20260301):
    """Measure, record, and fail if any sum is wrong."""
    dataset = read_dataset(path)
    encoder = CachedEncoder(default_encoder())
    figures = {one.recording_id: measured(one, int(number), int(seed), encoder) for one in dataset.recordings}
    farthest = max(one["farthest"] for one in figures.values())
    record("why_sums", {"seed": int(seed), "farthest": farthest, "conversations": figures}, dataset.name.split("_")[0])
    return int(farthest > ALLOWED or any(one["hits_without_gate"] for one in figures.values()))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
