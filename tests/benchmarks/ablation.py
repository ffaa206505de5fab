"""What each part of the score adds to the evidence in the prompt: `python -m tests.benchmarks.ablation FILE VARIANT`.

FILE has recorded conversations (the shape of `streetai bench`), VARIANT names the results. Each part's weight is set to
nothing in turn; the figures are points of evidence less than with all parts.
"""

import sys
from statistics import mean

from streetai_core import Config
from streetai_core.encoders import default_encoder
from streetai_core.evaluation.datasets import read_dataset
from streetai_core.evaluation.embedding_cache import DiskCachedEncoder, default_folder
from streetai_core.evaluation.recall import measure
from streetai_core.evaluation.replay import MemorySystem
from streetai_core.prompt import packing
from streetai_core.recall import evidence, news
from tests.benchmarks.recording import record

BUDGETS = (500, 1500, 3000)
WEIGHTS = {
    "own_words": (evidence, "OWN_WORDS"),
    "words_around": (evidence, "WORDS_AROUND"),
    "told": (evidence, "TOLD"),
    "author": (evidence, "AUTHOR"),
    "own": (evidence, "OWN"),
    "asking": (evidence, "ASKING"),
    "answers": (evidence, "ANSWER"),
    "wishes": (evidence, "WISH"),
    "date": (evidence, "DATE"),
    "when": (evidence, "WHEN"),
    "recent": (evidence, "RECENT"),
    "bearing": (evidence, "BEARING"),
    "stretch": (evidence, "STRETCH"),
    "whole": (evidence, "WHOLE"),
    "long": (evidence, "LONG"),
    "short": (evidence, "SHORT"),
    "news": (news, "NEWS"),
    "spoken_of": (news, "SPOKEN_OF"),
    "beside": (news, "BESIDE"),
    "going_on": (news, "GOING_ON"),
    "price_of_length": (packing, "LENGTH_PRICE"),
}

NOTHING = {"BEARING": 1e-9}
"""What a weight is set to that is not 0: newness counts fully for whatever has anything to do with the question."""


def evidence_sent(dataset, encoder, config):
    """Percent of the evidence in the prompt, by budget, and the recall at 25 hits."""
    rows = [row for one in dataset.recordings for row in measure(MemorySystem(config, encoder), one, BUDGETS)]
    figures = {str(budget): round(100 * mean(row.share(budget) for row in rows), 1) for budget in BUDGETS}
    return figures | {"rec@25": round(100 * mean(row.recall_at[25] for row in rows), 1)}


def without(module, name, dataset, encoder):
    """The same with one weight at nothing."""
    kept = getattr(module, name)
    setattr(module, name, NOTHING.get(name, 0.0))
    try:
        return evidence_sent(dataset, encoder, Config())
    finally:
        setattr(module, name, kept)


def main(path, variant):
    """Measure and record."""
    dataset = read_dataset(path)
    encoder = DiskCachedEncoder(default_encoder(), default_folder())
    whole = evidence_sent(dataset, encoder, Config())
    figures = {"all_parts": whole, "vector": evidence_sent(dataset, encoder, Config(strategy="vector"))}
    for part, (module, name) in WEIGHTS.items():
        less = without(module, name, dataset, encoder)
        figures[f"without_{part}"] = {key: round(value - whole[key], 1) for key, value in less.items()}
    record("ablation", figures, variant)


if __name__ == "__main__":
    main(*sys.argv[1:])
