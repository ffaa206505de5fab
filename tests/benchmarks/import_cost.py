"""What `import streetai_core` costs beyond its dependencies: `python -m tests.benchmarks.import_cost`."""

import statistics
import subprocess
import sys

from tests.benchmarks.recording import record

PROBE = """
import time
start = time.perf_counter()
import click, faiss, numpy, sqlite_utils
middle = time.perf_counter()
import streetai_core
print(middle - start, time.perf_counter() - middle)
"""
RUNS = 15


def main():
    """Fresh processes, compiled files in place; the median."""
    runs = []
    for _ in range(RUNS + 1):
        # Without -B and with the environment cleared of it, the first run leaves compiled files for the others.
        done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True, env={})
        runs.append([float(part) * 1000 for part in done.stdout.split()])
    dependencies, own = (statistics.median(column) for column in zip(*runs[1:], strict=True))
    record("import_cost", {"dependencies_ms": round(dependencies), "own_ms": round(own), "runs": RUNS})


if __name__ == "__main__":
    main()
