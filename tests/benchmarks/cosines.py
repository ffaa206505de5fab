"""CPU time of the cosines of all signals with a question: `python -m tests.benchmarks.cosines`.

By FAISS, by NumPy, and estimated from eight bits a number. NumPy's products go in blocks of 1,000 rows, below the size
from which OpenBLAS would start threads. `cold` is a scan after 96 MB of other data were read, as an encoder does;
`warm` is the same scan right after it. Set `OPENBLAS_NUM_THREADS=1`.
"""

import statistics
import time

import numpy as np

from streetai_core.index.codes import Codes
from streetai_core.vectors import dots
from tests.benchmarks.recording import record

SIZES = (1_000, 5_000, 10_000, 100_000)
DIM = 384
BLOCK = 1_000
TIMES = 40
OTHER = 12_000_000


def by_numpy(matrix, vector):
    """The same as `dots`, by OpenBLAS."""
    out = np.empty(len(matrix), dtype=np.float32)
    for start in range(0, len(matrix), BLOCK):
        np.dot(matrix[start : start + BLOCK], vector, out=out[start : start + BLOCK])
    return out


def estimated_by(codes):
    """The same by codes, which stand for the matrix."""
    return lambda _, vector: codes.cosines(vector)[0]


def main():
    """Measure in turn, and record."""
    random = np.random.default_rng(1)
    other = random.random(OTHER)
    figures = {}
    for size in SIZES:
        matrix = random.standard_normal((size, DIM), dtype=np.float32)
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
        vector = matrix[size // 2].copy()
        codes = Codes(DIM)
        codes.append(matrix)
        times = {}
        for _ in range(TIMES):
            for name, scan in (("faiss", dots), ("numpy", by_numpy), ("estimates", estimated_by(codes))):
                for cache in ("cold", "warm"):
                    if cache == "cold":
                        other.sum()
                    start = time.process_time()
                    scan(matrix, vector)
                    times.setdefault(f"{name}_{cache}_ms", []).append(1000 * (time.process_time() - start))
        figures[str(size)] = {name: round(statistics.median(each), 3) for name, each in times.items()}
        estimates, allowed = codes.cosines(vector)
        off = np.abs(estimates - dots(matrix, vector))
        figures[str(size)] |= {"off_by_at_most": round(float(off.max()), 5), "allowed": round(allowed, 5)}
    record("cosines", figures)


if __name__ == "__main__":
    main()
