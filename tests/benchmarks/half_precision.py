"""What vectors in half precision cost and save: `python -m tests.benchmarks.half_precision FILE [--vectors FOLDER]`.

FILE has recorded conversations (the shape of `streetai bench`). Recall is that of each conversation in a memory of its
own, with the default settings but for the precision; space is that of all conversations in one memory, and of parts of
their messages, until there are 10,000 different texts. Times are CPU times, as ratios, of calls
that take turns.
"""

import argparse
import gc
import statistics
import tempfile
import time
import tracemalloc
from pathlib import Path

import numpy as np

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders import default_encoder
from streetai_core.evaluation.datasets import read_dataset
from streetai_core.evaluation.embedding_cache import DiskCachedEncoder, default_folder
from streetai_core.evaluation.metrics import recall_at
from streetai_core.evaluation.replay import MOST_HITS, as_new_message, open_memory
from streetai_core.evaluation.speed import made_up_texts
from streetai_core.evaluation.speed_vectors import TopicEncoder
from streetai_core.vectors import dots
from tests.benchmarks.recording import record

PRECISIONS = ("single", "half")
RANKS = (5, 10, 25)
MESSAGES = 10_000
OPENINGS = 7
SCANS = 31
SIZES = (1_000, 10_000, 100_000)
DIM = 384


def ranked(memory, question):
    """Ids of the messages that a question finds, best first."""
    return list(dict.fromkeys(hit.signal.parent_turn_id for hit in memory.retrieve(question, limit=MOST_HITS)))


def recall(dataset, encoder):
    """Recall of both, and how often both find the same."""
    found = {precision: [] for precision in PRECISIONS}
    gold = []
    for recording in dataset.recordings:
        gold += [question.evidence for question in recording.answerable]
        for precision in PRECISIONS:
            with open_memory(recording, Config(vector_precision=precision), encoder) as memory:
                memory.add_messages([as_new_message(message) for message in recording.messages])
                found[precision] += [ranked(memory, question.text) for question in recording.answerable]
    pairs = [(one[:25], other[:25]) for one, other in zip(*found.values(), strict=True)]
    shared = [len(set(one) & set(other)) / max(1, len(one)) for one, other in pairs]
    return {
        "questions": len(gold),
        **{
            precision: {
                f"rec@{rank}": round(statistics.mean(map(recall_at, answers, gold, [rank] * len(gold))), 4)
                for rank in RANKS
            }
            for precision, answers in found.items()
        },
        "same_25_in_the_same_order": round(statistics.mean(one == other for one, other in pairs), 4),
        "same_25_in_any_order": round(statistics.mean(set(one) == set(other) for one, other in pairs), 4),
        "shared_of_25": round(statistics.mean(shared), 5),
    }


def real_texts(dataset):
    """Names and texts of all messages, then of parts of them, all different."""
    said = [(message.name, message.text) for recording in dataset.recordings for message in recording.messages]
    cut = [
        (name, " ".join(part))
        for parts in (2, 3)
        for name, words in ((name, text.split()) for name, text in said)
        for part in (words[: len(words) // parts], words[len(words) // parts :])
    ]
    return list(dict.fromkeys((name, text) for name, text in said + cut if text))[:MESSAGES]


def filled(path, precision, encoder, texts):
    """A closed file with a memory that says these texts; its bytes and its signals."""
    with opened(path, precision, encoder) as registry:
        memory = registry.get("m")
        for start in range(0, len(texts), 100):
            memory.add_messages(
                [NewMessage(content=text, role="user", name=name) for name, text in texts[start : start + 100]]
            )
        signals = memory.stats()["total_signals"]
    return path.stat().st_size, signals


def opened(path, precision, encoder):
    """A registry that does not wait for the disk."""
    return MemoryRegistry(path, config=Config(vector_precision=precision), encoder=encoder, durability="fast")


def opening(path, precision, encoder):
    """CPU seconds to read the memory of a file."""
    with opened(path, precision, encoder) as registry:
        start = time.process_time()
        registry.get("m").stats()
        return time.process_time() - start


def in_ram(path, precision, encoder):
    """Bytes that a memory takes when it was read, but for FAISS's copy of the centroids; and of its vectors alone."""
    with opened(path, precision, encoder) as registry:
        memory = registry.get("m")
        gc.collect()
        tracemalloc.start()
        memory.stats()
        gc.collect()
        taken, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        with memory._coherent.reading() as (_, state):
            return taken, len(state.columns) * DIM * (2 if state.columns.are_halves else 4)


def space(encoder, texts):
    """Bytes a signal on disk and in RAM, and how long opening takes."""
    figures = {"messages": len(texts)}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        paths = {precision: Path(folder) / f"{precision}.db" for precision in PRECISIONS}
        for precision, path in paths.items():
            disk, signals = filled(path, precision, encoder, texts)
            ram, vectors = in_ram(path, precision, encoder)
            figures[precision] = {
                "signals": signals,
                "disk_bytes_a_signal": round(disk / signals),
                "disk_bytes_a_message": round(disk / len(texts)),
                "ram_bytes_a_signal": round(ram / signals),
                "vector_bytes_a_signal_in_ram": round(vectors / signals),
            }
        times = {precision: [] for precision in PRECISIONS}
        for _ in range(OPENINGS):
            for precision, path in paths.items():
                times[precision].append(opening(path, precision, encoder))
    single, half = (statistics.median(times[precision]) for precision in PRECISIONS)
    figures["ratios_half_to_single"] = {
        "disk": ratio(figures, "disk_bytes_a_signal"),
        "ram": ratio(figures, "ram_bytes_a_signal"),
        "opening_cpu": round(half / single, 2),
    }
    return figures


def ratio(figures, name):
    """Half to single."""
    return round(figures["half"][name] / figures["single"][name], 3)


def scans():
    """How much longer the cosines of a question with all signals take, by their number."""
    figures = {}
    for size in SIZES:
        rows = np.random.default_rng(size).standard_normal((size, DIM), dtype=np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        halves = rows.astype(np.float16)
        question = rows[size // 2]
        repeats = max(1, 20_000 // size)
        times = {"single": [], "half": []}
        for _ in range(SCANS):
            for precision, matrix in (("single", rows), ("half", halves)):
                start = time.process_time()
                for _ in range(repeats):
                    dots(matrix, question)
                times[precision].append(time.process_time() - start)
        figures[str(size)] = round(statistics.median(times["half"]) / statistics.median(times["single"]), 2)
    return figures


def rounding(encoder, texts):
    """How far cosines of real vectors move when both or one of them are rounded."""
    rows = encoder.encode([text for _, text in texts[:1_000]])
    halves = rows.astype(np.float16).astype(np.float32)
    return {
        "stored_with_question": float(np.abs(halves @ rows.T - rows @ rows.T).max()),
        "stored_with_stored": float(np.abs(halves @ halves.T - rows @ rows.T).max()),
    }


def main():
    """Measure and record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--vectors", default=default_folder(), type=Path)
    chosen = parser.parse_args()
    dataset = read_dataset(chosen.file)
    encoder = DiskCachedEncoder(default_encoder(), chosen.vectors)
    texts = real_texts(dataset)
    figures = {
        "encoder": encoder.fingerprint,
        "recall": recall(dataset, encoder),
        "largest_change_of_a_cosine": rounding(encoder, texts),
        "real_texts": space(encoder, texts),
        "made_up_texts": space(TopicEncoder(MESSAGES), [(None, text) for text in made_up_texts(MESSAGES)]),
        "scan_cpu_half_to_single": scans(),
    }
    encoder.save()
    record("half_precision", figures)


if __name__ == "__main__":
    main()
