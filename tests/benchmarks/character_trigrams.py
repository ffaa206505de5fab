"""A ranker that knows no language: `python -m tests.benchmarks.character_trigrams FILE VARIANT`.

FILE has recorded conversations (the shape of `streetai bench`), VARIANT names the results. Texts are cut into
overlapping threes of characters with the spaces between words, and whole messages ranked by BM25 of these, as anybody
can in ten lines; lines are sent as those of the other simple rankers are. The memory is measured beside it.
"""

import sys
from contextlib import contextmanager
from statistics import mean

import numpy as np

from streetai_core import Config
from streetai_core.encoders import default_encoder
from streetai_core.evaluation.bm25 import Bm25
from streetai_core.evaluation.datasets import read_dataset
from streetai_core.evaluation.embedding_cache import DiskCachedEncoder, default_folder
from streetai_core.evaluation.filling import Line, RankedLines
from streetai_core.evaluation.recall import measure
from streetai_core.evaluation.replay import MemorySystem
from streetai_core.evaluation.systems import Description, System
from streetai_core.evaluation.units import units_of
from tests.benchmarks.recording import record

BUDGETS = (256, 500, 1500)


def trigrams(text):
    """Overlapping threes of characters of a text, in order."""
    plain = f" {' '.join(''.join(one if one.isalnum() else ' ' for one in text.lower()).split())} "
    return [plain[start : start + 3] for start in range(len(plain) - 2)]


class CharacterTrigrams(System):
    """BM25 of whole messages by trigrams."""

    @property
    def description(self):
        """Its name; nothing can be set."""
        return Description(name="trigrams messages", settings={}, packages=("streetai_core.evaluation",))

    @contextmanager
    def reading(self, recording):
        """All messages of a recording, ready to be ranked."""
        units = units_of(recording, "messages")
        lines = [Line(unit.line, (unit.message_id,)) for unit in units]
        index = Bm25([unit.line for unit in units], words=trigrams)
        newer = -np.arange(len(lines))
        yield RankedLines(lambda asked: [lines[at] for at in np.lexsort((newer, -index.scores(asked)))])


def figures_of(results):
    """Percent of the evidence by budget, and among the first five."""
    percent = {str(budget): round(100 * mean(one.share(budget) for one in results), 1) for budget in BUDGETS}
    return percent | {"first 5": round(100 * mean(one.recall_at[5] for one in results), 1)}


def main(path, variant):
    """Measure and record."""
    recordings = read_dataset(path).recordings
    encoder = DiskCachedEncoder(default_encoder(), default_folder())
    figures = {}
    for system in (MemorySystem(Config(), encoder), CharacterTrigrams()):
        found = {one.recording_id: measure(system, one, BUDGETS) for one in recordings}
        figures[system.description.name] = {
            "all": figures_of([one for results in found.values() for one in results])
        } | {name: figures_of(results) for name, results in found.items()}
    record("character_trigrams", figures, variant)


if __name__ == "__main__":
    main(*sys.argv[1:])
