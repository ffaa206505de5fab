"""Seals of message rows: hashes by which edits made behind the library are found.

A seal is keyed with a random number that stands in the same row. So a row's seal tells nothing about its text once the
row is gone, and all seals that are there can be added up without an order: adding a message adds its seal to the sum,
removing one takes it away again.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

_BYTES = 16
"""Of a salt and of a seal: 128 bits are not met twice by chance."""

SUM_BYTES = 32
"""Of a sum of seals; they are added modulo 2**256."""

_MODULUS = 1 << 8 * SUM_BYTES


def new_salt() -> bytes:
    """A random number for one row."""
    return secrets.token_bytes(_BYTES)


def seal(salt: bytes, cells: tuple[Any, ...], content: str) -> bytes:
    """The hash of a row: of its columns and its text, keyed with its salt."""
    # `ascii` spells numbers and texts the same on every version of Python.
    head = ascii(cells).encode()
    whole = len(head).to_bytes(8, "big") + head + content.encode()
    return hashlib.blake2b(whole, key=salt, digest_size=_BYTES).digest()


def share(sequence: int, sealed: bytes) -> int:
    """What the row of a message adds to the sum."""
    return int.from_bytes(hashlib.blake2b(b"%d:" % sequence + sealed, digest_size=SUM_BYTES).digest(), "big")


def added(total: bytes, plus: int, minus: int = 0) -> bytes:
    """A sum with some shares more, and some less."""
    return ((int.from_bytes(total, "big") + plus - minus) % _MODULUS).to_bytes(SUM_BYTES, "big")
