"""Arithmetic on unit vectors that wakes no thread pool, and vectors in half precision."""

from __future__ import annotations

import faiss
import numpy as np
import numpy.typing as npt

from streetai_core.config import Precision
from streetai_core.errors import VectorError
from streetai_core.types import KeptMatrix, Matrix, Vector

_BLOCK = 1024
"""Rows in half precision that are widened at once for FAISS: a multiple of those that it may take together, so that
each is added up as in the whole matrix."""

_FRACTION = 13
"""Bits that the fraction of a single has more than that of a half."""

_WITHOUT_COPIES = np.uint32(0x8FFF_FFFF).astype(np.int32)
"""All bits of a widened half but the three copies of its sign that stand between the sign and the exponent."""

_SHIFTED = np.float32(2.0**112)
"""What a half is smaller by when its exponent is read as that of a single."""


def dots(matrix: KeptMatrix, vector: Vector) -> Vector:
    """Inner product of every row of `matrix`, shape (n, dim), with `vector`, shape (dim,): shape (n,) float32.

    With a unit vector it is to the bit the same for halves as for the same numbers in single precision.

    FAISS reads memory twice as fast as OpenBLAS, and after a text was encoded no vector is in the processor's cache
    (`tests.benchmarks.cosines`).

    Raises:
        VectorError: the vector is of another length than the rows.
    """
    if vector.shape != matrix.shape[1:]:
        # FAISS gets addresses, and would read on behind the end.
        raise VectorError(f"a vector of shape {vector.shape} cannot be compared with rows of shape {matrix.shape[1:]}")
    out = np.empty(len(matrix), dtype=np.float32)
    if matrix.dtype == np.float16:
        _dots_of_halves(matrix.view(np.int16), vector, out)
    else:
        _scan(np.ascontiguousarray(matrix), np.ascontiguousarray(vector, dtype=np.float32), out)
    return out


def unit(vector: Vector) -> Vector:
    """`vector` scaled to length one; zeros stay zeros."""
    length = float(np.linalg.norm(vector))
    return (vector / length).astype(np.float32) if length > 0 else np.zeros_like(vector, dtype=np.float32)


def kept(vectors: KeptMatrix, precision: Precision) -> KeptMatrix:
    """Vectors as they are written, shape (n, dim) or (dim,).

    Raises:
        VectorError: a number is not finite, or too large for half precision; those of unit vectors never are.
    """
    if precision == "single":
        return vectors.astype(np.float32, copy=False)
    with np.errstate(over="ignore"):
        halves = vectors.astype(np.float16)
    if not np.isfinite(halves).all():
        raise VectorError("a vector has numbers that are not finite or beyond 65,504: half precision has none such")
    return halves


def rounded(vectors: Matrix, precision: Precision) -> Matrix:
    """The numbers that are left of vectors when they are written, shape (n, dim).

    Raises:
        VectorError: as for `kept`.
    """
    return vectors if precision == "single" else kept(vectors, precision).astype(np.float32)


def _dots_of_halves(matrix: npt.NDArray[np.int16], vector: Vector, out: Vector) -> None:
    """Products of halves, given by their bits, with a vector, written to `out`.

    Block by block the halves become singles, all smaller by one power of two.

    NumPy's own conversion takes five times as long.
    """
    room = np.empty((min(_BLOCK, len(matrix)), matrix.shape[1]), dtype=np.float32)
    # The power goes into the other factor: products and sums stay the same, to the bit.
    scaled = np.ascontiguousarray(vector * _SHIFTED, dtype=np.float32)
    for start in range(0, len(matrix), _BLOCK):
        halves = matrix[start : start + _BLOCK]
        block = room[: len(halves)]
        bits = block.view(np.int32)
        bits[...] = halves
        np.left_shift(bits, _FRACTION, out=bits)
        np.bitwise_and(bits, _WITHOUT_COPIES, out=bits)
        _scan(block, scaled, out[start : start + _BLOCK])


def _scan(matrix: KeptMatrix, vector: Vector, out: Vector) -> None:
    """Inner products by FAISS; all arrays are contiguous float32."""
    # The pointers are raw addresses: `out`, `vector` and `matrix` stay referenced until the call returns.
    faiss.fvec_inner_products_ny(  # type: ignore[attr-defined]  # missing in faiss' type file
        faiss.swig_ptr(out), faiss.swig_ptr(vector), faiss.swig_ptr(matrix), matrix.shape[1], len(matrix)
    )
