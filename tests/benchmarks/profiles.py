"""Where the time of a verb goes: `python -m tests.benchmarks.profiles [--sizes N,N] [--calls N]`.

Each verb of the timings of `streetai bench speed --systems` is called under cProfile on a filled memory. A function's
share is the CPU time that it takes itself, with what it calls of NumPy, FAISS, SQLite and Python, but without other
functions of this library: the shares of all functions add up to one. A profiler slows short functions down more than
long ones; shares of a few percent say little.
"""

import argparse
import cProfile
import pstats
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from streetai_core import Config
from streetai_core.evaluation.speed import made_up_texts
from streetai_core.evaluation.speed_ours import OurMemory
from streetai_core.evaluation.speed_systems import ADD, LEARN, OPEN, PROMPT, RETRIEVE
from streetai_core.evaluation.speed_vectors import TopicEncoder
from tests.benchmarks.recording import record

PROFILED = (ADD, RETRIEVE, PROMPT, LEARN, OPEN)
ROOT = Path(__file__).parents[2] / "streetai_core"
MOST = 12
"""Functions shown of a verb."""
DEPTH = 30
"""How many functions of libraries, one calling the other, are followed up to the one of ours that called them."""
OPENINGS = 3
"""Calls of `open`, which reads everything."""


def ours(function):
    """Whether a function of a profile is this library's; the vectors that stand for the encoder are not."""
    path, *_ = function
    return str(ROOT) in path and not path.endswith("speed_vectors.py")


def shares(profile):
    """Share of each first-party function of all time, largest first."""
    stats = pstats.Stats(profile).stats
    total = sum(own for _, _, own, _, _ in stats.values())
    taken = {function: own for function, (_, _, own, _, _) in stats.items() if ours(function)}
    handed = {function: own for function, (_, _, own, _, _) in stats.items() if not ours(function)}
    for _ in range(DEPTH):
        up = defaultdict(float)
        for function, seconds in handed.items():
            callers = stats[function][4]
            spent = sum(caller[3] for caller in callers.values())
            for caller, (_, _, _, here) in callers.items():
                if spent:
                    (taken if caller in taken else up)[caller] += seconds * here / spent
        handed = up
    named = {f"{Path(path).relative_to(ROOT).as_posix()}:{name}": seconds for (path, _, name), seconds in taken.items()}
    ranked = sorted(named.items(), key=lambda item: -item[1])
    return {name: round(seconds / total, 3) for name, seconds in ranked[:MOST]}


def profiled(verb, texts):
    """The profile of a verb; what has to be ready for it is not in it."""
    profile = cProfile.Profile(time.process_time)
    for text in texts:
        call = verb(text)
        profile.enable()
        call()
        profile.disable()
    return shares(profile)


def main():
    """Measure and record, size by size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="10000")
    parser.add_argument("--calls", type=int, default=50)
    chosen = parser.parse_args()
    for size in map(int, chosen.sizes.split(",")):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            memory = OurMemory(Path(folder), TopicEncoder(size), Config())
            memory.fill(made_up_texts(size))
            figures = {}
            for name in PROFILED:
                calls = OPENINGS if name == OPEN else chosen.calls
                texts = made_up_texts(calls + 1, seed=f"{name} {size}")
                memory.verbs()[name](texts[0])()
                figures[name] = profiled(memory.verbs()[name], texts[1:])
            memory.close()
        record("profiles", {"size": size, "calls": chosen.calls, "share_of_time": figures}, str(size))


if __name__ == "__main__":
    main()
