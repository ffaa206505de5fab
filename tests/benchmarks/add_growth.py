"""How the cost of an add grows with the memory: `python -m tests.benchmarks.add_growth FILE [SIZE ...]`.

FILE has recorded conversations (the shape of `streetai bench`). The messages of the first are added, one at a time, to
memories of 1,000, 10,000 and 100,000 messages, or of the sizes given, which are filled with the others: as they were
said, and then with their words shuffled where more are needed. Each message is added to every memory before the next
one, so that a busy machine is as slow for all. All are said by one person in one role, so that each may replace any
other. The vectors are the encoder's, made before. CPU time of the process, without embedding; `cpu_ms` is the mean.
"""

import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders import default_encoder
from streetai_core.evaluation.datasets import read_dataset
from streetai_core.evaluation.embedding_cache import DiskCachedEncoder, default_folder
from streetai_core.evaluation.speed_texts import RecordedTexts
from streetai_core.evaluation.speed_vectors import RecordedEncoder
from tests.benchmarks.recording import record

SIZES = (1_000, 10_000, 100_000)
WARM = 50
"""Messages that are added before any is timed."""
BATCH = 2_000
"""Messages stored at a time while a memory is filled."""


def filled(folder, encoder, texts):
    """A memory with these messages."""
    registry = MemoryRegistry(Path(folder) / "memory.db", config=Config(), encoder=encoder, durability="fast")
    memory = registry.get("growing")
    for start in range(0, len(texts), BATCH):
        memory.add_messages([NewMessage(content=text, role="user") for text in texts[start : start + BATCH]])
    return registry, memory


def main(path, *sizes):
    """Fill, add in turn, and record."""
    dataset = read_dataset(Path(path))
    encoder = DiskCachedEncoder(default_encoder(), default_folder())
    first, *others = dataset.recordings
    material = RecordedTexts(replace(dataset, recordings=tuple(others)), encoder)
    every = [message.text for recording in dataset.recordings for message in recording.messages]
    vectors = RecordedEncoder(every, encoder.encode(every), encoder.fingerprint)
    encoder.save()
    probes = [message.text for message in first.messages]
    with ExitStack() as stack:
        memories = {}
        for size in map(int, sizes or SIZES):
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            registry, memories[size] = filled(folder, vectors, material.stored(size))
            stack.callback(registry.close)
            registry.encoder.encode(probes)
        took = {size: [] for size in memories}
        for text in probes:
            for size, memory in memories.items():
                start = time.process_time()
                memory.add_message(text, "user")
                took[size].append(1e3 * (time.process_time() - start))
    means = {size: statistics.mean(times[WARM:]) for size, times in took.items()}
    smallest = means[min(means)]
    figures = {
        f"signals_{size}": {
            "cpu_ms": round(mean, 2),
            "median_ms": round(statistics.median(took[size][WARM:]), 2),
            "times_the_smallest": round(mean / smallest, 2),
        }
        for size, mean in means.items()
    }
    record("add_growth", {"messages": len(probes) - WARM, **figures})


if __name__ == "__main__":
    main(*sys.argv[1:])
