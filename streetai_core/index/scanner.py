"""Products of one query with many codes of eight bits, by FAISS, wherever the codes are."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import faiss
import numpy as np
import numpy.typing as npt

from streetai_core.types import Matrix, Vector

_library: Any = faiss
"""FAISS without types: its type file does not know all of it, or other things in other versions."""

ZERO = 128
"""FAISS keeps a whole number from -128 to 127 as a byte from 0 to 255."""

_EVERY = np.finfo(np.float32).min
"""What all products are above."""


class _Scanner:
    """Scans codes for one query at a time.

    FAISS gives all products of a query quickly only where an index has lists. So there is an index with lists that
    stays empty, for the scanner that it gives.

    Args:
        dim: numbers of a code.
    """

    def __init__(self, dim: int) -> None:
        coarse = faiss.IndexFlatIP(dim)
        coarse.add(np.zeros((1, dim), dtype=np.float32))
        kind = faiss.ScalarQuantizer.QT_8bit_direct_signed
        self._index = _library.IndexIVFScalarQuantizer(coarse, dim, 1, kind, faiss.METRIC_INNER_PRODUCT, False)
        self._index.is_trained = True
        self._scanner = self._index.get_InvertedListScanner(True, None, None)

    def products(self, codes: npt.NDArray[np.uint8], query: Matrix) -> Vector:
        """As `products`."""
        self._scanner.set_query(faiss.swig_ptr(query))
        self._scanner.set_list(0, 0.0)
        found = faiss.RangeSearchResult(1)
        partial = _library.RangeSearchPartialResult(found)
        results = partial.new_result(0)
        # The pointers are raw addresses: what they point to stays referenced until the call returns.
        self._scanner.scan_codes_range(len(codes), faiss.swig_ptr(codes), None, float(_EVERY), results)
        partial.finalize()
        made: Vector = _library.rev_swig_ptr(found.distances, len(codes)).copy()
        return made


_idle: defaultdict[int, list[_Scanner]] = defaultdict(list)
"""Scanners that nobody uses, by dimension. They are never freed, because faiss' Python layer breaks when one is; so
there are as many as threads ever scanned at the same time."""


def products(codes: npt.NDArray[np.uint8], query: Matrix) -> Vector:
    """The inner product of each code with a query, shape (n,).

    Args:
        codes: whole numbers, each more by `ZERO`, C-contiguous, shape (n, dim), n from 1.
        query: whole numbers from -127 to 127, shape (1, dim).
    """
    idle = _idle[codes.shape[1]]
    try:
        scanner = idle.pop()
    except IndexError:
        scanner = _Scanner(codes.shape[1])
    try:
        return scanner.products(codes, query)
    finally:
        idle.append(scanner)
