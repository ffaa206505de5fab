"""CPU of one `add_message` as stacks grow: `python -m tests.benchmarks.add_cost`.

Embeddings are looked up, so what is timed is placing, storing and updating RAM. Random vectors in 384 dimensions:
nearly every signal founds a stack, the worst case for placing.
"""

import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

from streetai_core import Config, Encoder, MemoryRegistry, NewMessage
from tests.benchmarks.recording import record

SIZES = (100, 1_000, 5_000, 20_000)
REPEATS = 60


class Lookup(Encoder):
    """A random unit vector for each text, the same for the same text."""

    fingerprint = "lookup/384"
    dim = 384

    def embed(self, texts, kind):
        """Vectors by text."""
        return np.array([np.random.default_rng(abs(hash(text))).normal(size=384) for text in texts])


def main():
    """Median of process time per add, at growing numbers of stacks."""
    figures = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        MemoryRegistry(Path(folder) / "m.db", config=Config(), encoder=Lookup(), durability="fast") as registry,
    ):
        memory = registry.get("m")
        for size in SIZES:
            have = memory.stats()["total_signals"]
            memory.add_messages([NewMessage(content=f"remark {n}", role="user") for n in range(have, size)])
            times = []
            for n in range(REPEATS):
                text = f"probe {size} {n}"
                registry.encoder.encode([text])
                start = time.process_time()
                memory.add_message(text, "user")
                times.append((time.process_time() - start) * 1000)
            figures[memory.stats()["stacks"]] = round(statistics.median(times), 3)
    values = list(figures.values())
    record("add_cost", {"cpu_ms_by_stacks": figures, "largest_over_smallest": round(values[-1] / values[0], 2)})


if __name__ == "__main__":
    main()
