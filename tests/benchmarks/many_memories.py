"""Ten thousand memories in one file: `python -m tests.benchmarks.many_memories [--memories N] [--signals N]`.

They are filled by a process of their own. Then a fresh one asks each of them one question, cold, so that each is read
from the file and another one has to go: what stays in RAM may not depend on how many were asked. In the end the last
ones are asked again, hot. Vectors are hashed words.
"""

import argparse
import multiprocessing
import statistics
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import psutil

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from tests.benchmarks.recording import record

MEGABYTE = 1_000_000
HOT = 100
"""Memories asked a second time, fewer than stay in RAM."""
TAIL = 0.95
WORDS = "boat berth harbour tide mast rope sail anchor keel cabin lamp chart pilot crew storm quay ferry island".split()  # noqa: SIM905 - reads better


def opened(path, dim):
    """A registry on the file. What is at stake is RAM: commits of the filling need not wait for the disk."""
    return MemoryRegistry(path, encoder=HashingEncoder(dim=dim), durability="fast")


def remark(memory, number):
    """A message that nobody else says."""
    turned = WORDS[(memory + number) % len(WORDS) :] + WORDS[: (memory + number) % len(WORDS)]
    return f"{' '.join(turned[: 6 + number % 7])} {memory}x{number}"


def fill(path, memories, signals, dim):
    """Store all memories, one transaction each."""
    with opened(path, dim) as registry:
        for memory in range(memories):
            said = [NewMessage(content=remark(memory, number), role="user") for number in range(signals)]
            registry.get(f"user {memory}").add_messages(said)


def milliseconds(call):
    """CPU and wall time of a call."""
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return 1e3 * (time.process_time() - cpu), 1e3 * (time.perf_counter() - wall)


def summary(times):
    """Median and 95th percentile of CPU and wall."""
    cpu, wall = (sorted(column) for column in zip(*times, strict=True))
    last = min(len(cpu) - 1, int(TAIL * len(cpu)))
    return {
        "cpu_ms": round(statistics.median(cpu), 2),
        "wall_ms": round(statistics.median(wall), 2),
        "wall_p95_ms": round(wall[last], 2),
    }


def asked(path, memories, dim):
    """One question to each memory, with what the process has of RAM and files from time to time; then hot ones."""
    process = psutil.Process()
    looks = {memories * share // 10 for share in range(1, 11)}
    growth = []
    with opened(path, dim) as registry:

        def ask(memory):
            (first, *_) = registry.get(f"user {memory}").retrieve(f"Who said {memory}x5?")
            if f" {memory}x" not in first.signal.content:
                raise AssertionError(f"memory {memory} answered {first.signal.content!r}")

        before = process.memory_info().rss
        cold = []
        for memory in range(memories):
            cold.append(milliseconds(lambda memory=memory: ask(memory)))
            if memory + 1 in looks:
                megabytes = round(process.memory_info().rss / MEGABYTE)
                growth.append({"asked": memory + 1, "rss_megabytes": megabytes, "open_files": process.num_fds()})
        last = range(max(0, memories - HOT), memories)
        hot = [milliseconds(lambda memory=memory: ask(memory)) for memory in last]
    return {
        "rss_before_megabytes": round(before / MEGABYTE),
        "growth": growth,
        "cold_question": summary(cold),
        "hot_question": summary(hot),
    }


def main():
    """Measure and record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--signals", type=int, default=100)
    parser.add_argument("--dim", type=int, default=384, help="length of a vector")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "memory.db"
        # A process of its own: what filling needed may not be counted.
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            pool.submit(fill, path, chosen.memories, chosen.signals, chosen.dim).result()
        figures = asked(path, chosen.memories, chosen.dim)
        size = path.stat().st_size / MEGABYTE
    described = {"memories": chosen.memories, "signals_each": chosen.signals, "dim": chosen.dim}
    record("many_memories", {**described, "file_megabytes": round(size), **figures}, str(chosen.memories))


if __name__ == "__main__":
    main()
