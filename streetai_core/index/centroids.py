"""A FAISS index over the centroids of the stacks, kept in step row by row.

Of many stacks the cosines are estimated, as those of signals are, and only those that matter are compared exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import faiss
import numpy as np

from streetai_core.arrays import RowNumbers
from streetai_core.index.codes import LEAST, Codes
from streetai_core.types import Matrix, Vector
from streetai_core.vectors import dots, unit


class CentroidIndex:
    """Stacks by key, with the sum and the size of each, and an inner-product index over their unit centroids.

    The index' own storage is the one array of centroids: a changed centroid is written into its row, a deleted one
    is replaced by the last.
    """

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self.keys: list[int] = []
        self._row_of: dict[int, int] = {}
        self._totals: dict[int, Vector] = {}
        self._sizes: dict[int, int] = {}
        self._index = faiss.IndexFlatIP(dim)
        self._codes: Codes | None = None
        """Of all centroids, from the first comparison with so many that estimates pay; `None`: not made yet."""

    def __len__(self) -> int:
        return len(self.keys)

    def __contains__(self, key: int) -> bool:
        return key in self._row_of

    @property
    def centroids(self) -> Matrix:
        """Unit centroids in the order of `keys`, shape (n, dim): a view that the next change may invalidate."""
        count = len(self.keys)
        if not count:
            return np.zeros((0, self.dim), dtype=np.float32)
        # FAISS moves its storage when it grows, so the pointer is taken anew each time.
        rows: Matrix = faiss.rev_swig_ptr(self._index.get_xb(), count * self.dim).reshape(count, self.dim)
        return rows

    def total(self, key: int) -> Vector:
        """The sum whose direction is the centroid of a stack; zeros for an unknown one."""
        return self._totals.get(key, np.zeros(self.dim, dtype=np.float32))

    def size(self, key: int) -> int:
        """Signals in a stack; 0 for an unknown one."""
        return self._sizes.get(key, 0)

    def put(self, key: int, total: Vector, size: int) -> None:
        """Add a stack, or give a stack a new sum and size."""
        self._totals[key], self._sizes[key] = total, size
        row = self._row_of.get(key)
        if row is None:
            self._row_of[key] = len(self.keys)
            self.keys.append(key)
            self._add(unit(total)[None, :])
        else:
            self.centroids[row] = unit(total)
            if self._codes is not None:
                self._codes.put(row, self.centroids[row])

    def put_all(self, keys: Sequence[int], totals: Sequence[Vector] | Matrix, sizes: Sequence[int]) -> None:
        """Add many stacks at once, as `put` does one by one."""
        if len(keys) <= 1 or not self._row_of.keys().isdisjoint(keys) or len(set(keys)) < len(keys):
            for key, total, size in zip(keys, totals, sizes, strict=True):
                self.put(key, total, size)
            return
        self._row_of.update(zip(keys, range(len(self.keys), len(self.keys) + len(keys)), strict=True))
        self.keys.extend(keys)
        self._totals.update(zip(keys, totals, strict=True))
        self._sizes.update(zip(keys, sizes, strict=True))
        self._add(_units(totals))

    def remove(self, keys: Iterable[int]) -> None:
        """Forget stacks; unknown keys are ignored."""
        for key in keys:
            row = self._row_of.pop(key, None)
            if row is None:
                continue
            last = len(self.keys) - 1
            if row != last:
                self.centroids[row] = self.centroids[last]
                moved = self.keys[last]
                self.keys[row], self._row_of[moved] = moved, row
            self.keys.pop()
            del self._totals[key], self._sizes[key]
            # Removing the last row moves no other.
            self._index.remove_ids(faiss.IDSelectorRange(last, last + 1))
            if self._codes is not None:
                self._codes.remove(row)

    def cosines(self, vector: Vector, least: float) -> Vector:
        """The cosine of each centroid with a unit vector, in the order of `keys`, shape (n,).

        One that is below `least` may be an estimate, which is below it too.
        """
        if len(self.keys) < LEAST:
            return dots(self.centroids, vector)
        cosines, error = self._coded().cosines(vector)
        near = np.flatnonzero(cosines >= least - error)
        cosines[near] = dots(self.centroids[near], vector)
        return cosines

    def nearest(self, vector: Vector, count: int) -> list[tuple[int, float]]:
        """The `count` stacks nearest to a unit vector, as (key, cosine), best first; of equally near ones the oldest.

        Which row a stack has tells nothing: after a deletion it is another one than in a memory that is read anew.
        """
        count = min(count, len(self.keys))
        if not count:
            return []
        if len(self.keys) >= LEAST:
            return self._nearest_of_many(vector, count)
        # Scoped to the calling thread: OpenMP barriers on busy cores cost more than the whole search.
        faiss.omp_set_num_threads(1)
        query = np.ascontiguousarray(vector, dtype=np.float32)[None, :]
        cosines, rows = self._index.search(query, min(count + 1, len(self.keys)))
        if len(rows[0]) > count and cosines[0, count] == cosines[0, count - 1]:
            # More are as near as the last one, as for a question without a vector. FAISS takes those of the first rows.
            cosines, rows = self._index.search(query, len(self.keys))
        return self._best(rows[0], cosines[0], count)

    def _nearest_of_many(self, vector: Vector, count: int) -> list[tuple[int, float]]:
        """What `nearest` gives, for as many stacks that estimates save time: only the promising ones are compared."""
        estimates, error = self._coded().cosines(vector)
        last = np.partition(estimates, len(estimates) - count)[len(estimates) - count]
        near = np.flatnonzero(estimates >= last - 2.0 * error)
        return self._best(near, dots(self.centroids[near], vector), count)

    def _best(self, rows: RowNumbers, cosines: Vector, count: int) -> list[tuple[int, float]]:
        """Of stacks with these cosines, shape (n,), the nearest as (key, cosine)."""
        keys = np.array([self.keys[row] for row in rows.tolist()], dtype=np.int64)
        best = np.lexsort((keys, -cosines))[:count]
        return list(zip(keys[best].tolist(), cosines[best].tolist(), strict=True))

    def _add(self, centroids: Matrix) -> None:
        """Put centroids behind all others."""
        self._index.add(centroids)
        if self._codes is not None:
            self._codes.append(centroids)

    def _coded(self) -> Codes:
        """The codes of all centroids."""
        if self._codes is None:
            codes = Codes(self.dim)
            codes.append(self.centroids)
            self._codes = codes
        return self._codes


def _units(totals: Sequence[Vector] | Matrix) -> Matrix:
    """What `unit` makes of each, to the bit, shape (n, dim)."""
    matrix = np.asarray(totals, dtype=np.float32)
    lengths = np.sqrt(np.fromiter((row.dot(row) for row in matrix), np.float32, len(matrix)))
    zeros = lengths == 0
    lengths[zeros] = 1
    units: Matrix = np.asarray(matrix / lengths[:, None], dtype=np.float32)
    units[zeros] = 0
    return units
