"""Recall with other encoders: `python -m tests.benchmarks.other_encoders FILE VARIANT`.

FILE has recorded conversations (the shape of `streetai bench`), VARIANT names the results. Figures are percent of the
evidence in the prompt, and of the evidence among 5 and 25 hits; `common` is what all vectors have in common. "narrow"
is the default encoder with a direction that all vectors share, so that cosines lie between .4 or .7 and 1, as those of
E5, the first BGE or text-embedding-ada-002 do; "as wide" is the same without anything being taken off. WordLlama 0.4,
a table of token vectors, is another kind of model altogether; it is left out where it is not installed
(`pip install wordllama==0.4.0.post1`).
"""

import importlib.util
import sys
from pathlib import Path
from statistics import mean

import numpy as np

from streetai_core import Config
from streetai_core.encoders import default_encoder
from streetai_core.encoders.base import Encoder
from streetai_core.evaluation.datasets import read_dataset
from streetai_core.evaluation.embedding_cache import DiskCachedEncoder, default_folder
from streetai_core.evaluation.recall import measure
from streetai_core.evaluation.replay import MemorySystem
from tests.benchmarks.recording import record
from tests.encoders.narrow import Narrow

BUDGETS = (500, 1500, 3000)
HITS = (5, 25)
SHARES = (0.4, 0.7)


class AsWide(Narrow):
    """A narrow encoder that says it is none."""

    def common(self):
        """Nothing."""
        return 0.0


class TokenVectors(Encoder):
    """WordLlama's mean of token vectors."""

    def __init__(self):
        wordllama = importlib.import_module("wordllama")
        # It looks for its own files in a cache only.
        self._model = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent)

    @property
    def fingerprint(self):
        """Its name."""
        return "wordllama/256"

    @property
    def dim(self):
        """Of the weights that come with it."""
        return 256

    @property
    def symmetric(self):
        """It has no kinds."""
        return True

    def embed(self, texts, kind):
        """Zeros for a text without tokens."""
        return np.nan_to_num(np.asarray(self._model.embed(list(texts)), dtype=np.float64))


def encoders():
    """All by name."""
    wide = DiskCachedEncoder(default_encoder(), default_folder())
    found = {"default": wide}
    for share in SHARES:
        found[f"narrow {share}"] = Narrow(wide, share)
        found[f"narrow {share}, as wide"] = AsWide(wide, share)
    if importlib.util.find_spec("wordllama"):
        found["wordllama"] = TokenVectors()
    return found


def main(path, variant):
    """Measure and record."""
    dataset, figures = read_dataset(path), {}
    for name, encoder in encoders().items():
        system = MemorySystem(Config(), encoder)
        rows = [row for one in dataset.recordings for row in measure(system, one, BUDGETS)]
        figures[name] = {
            "common": round(encoder.common(), 3),
            **{str(budget): round(100 * mean(row.share(budget) for row in rows), 1) for budget in BUDGETS},
            **{f"rec@{hits}": round(100 * mean(row.recall_at[hits] for row in rows), 1) for hits in HITS},
        }
    record("other_encoders", figures, variant)


if __name__ == "__main__":
    main(*sys.argv[1:])
