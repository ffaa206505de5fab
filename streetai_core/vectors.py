"""Arithmetic on unit vectors that wakes no thread pool."""

from __future__ import annotations

import faiss
import numpy as np

from streetai_core.types import Matrix, Vector

_CACHED_ROWS = 10_000
"""Up to here a matrix of 384 float32 columns stays in the processor's cache, where blocked products are fastest;
beyond, FAISS's scan reads memory twice as fast as OpenBLAS."""

_BLOCK = 1000
"""Rows of one block: below the size from which OpenBLAS would start threads."""


def dots(matrix: Matrix, vector: Vector) -> Vector:
    """Inner product of every row of `matrix`, shape (n, dim), with `vector`, shape (dim,): shape (n,) float32."""
    count = len(matrix)
    out = np.empty(count, dtype=np.float32)
    if count <= _CACHED_ROWS or not matrix.flags.c_contiguous:
        for start in range(0, count, _BLOCK):
            np.dot(matrix[start : start + _BLOCK], vector, out=out[start : start + _BLOCK])
        return out
    vector = np.ascontiguousarray(vector, dtype=np.float32)
    # The pointers are raw addresses: `out`, `vector` and `matrix` stay referenced until the call returns.
    faiss.fvec_inner_products_ny(  # type: ignore[attr-defined]  # missing in faiss' type file
        faiss.swig_ptr(out), faiss.swig_ptr(vector), faiss.swig_ptr(matrix), matrix.shape[1], count
    )
    return out


def unit(vector: Vector) -> Vector:
    """`vector` scaled to length one; zeros stay zeros."""
    length = float(np.linalg.norm(vector))
    return (vector / length).astype(np.float32) if length > 0 else np.zeros_like(vector, dtype=np.float32)
