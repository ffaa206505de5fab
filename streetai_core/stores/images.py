"""A memory's arrays in a file beside the database: a large memory is there as quickly as they are read.

An image is a copy, and says nothing that the rows do not say: it can be deleted at any time, and is made anew. It is of
one version of a memory; what has changed since is read from the rows. It proves by what was done last that it is of
this database and not of another copy of it, and by checksums that it is as it was written. Where anything does not fit,
there is no image. Whatever deletes rows deletes the image first.

The file has a head of JSON, and behind it the arrays one after the other.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import numpy as np
import numpy.typing as npt

from streetai_core.errors import StoreError
from streetai_core.stores.packs import narrowed

Array = npt.NDArray[Any]

_FORM: Final = b"StAIimg1"
"""What the file begins with; another form gets another number."""
_NUMBER = 8
"""Bytes of a number in front of the head: its length, and its checksum."""
_PART = 8192
"""Words of eight bytes that are added up together; sums of parts are put under one CRC."""
_WORD = np.dtype("<u8")


UNREADABLE = (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError)
"""What opening an image, or making anything of it, raises if it is damaged."""


@dataclass(frozen=True, slots=True)
class Content:
    """What an image is made of."""

    numbers: Mapping[str, Array]
    """Arrays by name."""
    texts: Mapping[str, Sequence[str | None]]
    """Lists of texts by name."""


class Image:
    """An image that was opened. Close it.

    Raises:
        ValueError: it is damaged. So does every method; an `OSError`, if it cannot be read.
    """

    def __init__(self, file: BufferedReader) -> None:
        self._file = file
        form, length, crc = (file.read(_NUMBER) for _ in range(3))
        head = file.read(min(int.from_bytes(length, "little"), os.fstat(file.fileno()).st_size))
        if form != _FORM or zlib.crc32(head).to_bytes(_NUMBER, "little") != crc:
            raise ValueError("the head of an image is damaged")
        described = json.loads(head)
        self._start = 3 * _NUMBER + len(head)
        self.proof: list[Any] = described["proof"]
        """Says what it is an image of."""
        self.version: int = described["version"]
        self._numbers: dict[str, tuple[str, int, int, int]] = described["numbers"]
        self._texts: dict[str, list[str | None]] = described["texts"]

    @property
    def names(self) -> Collection[str]:
        """Of the arrays."""
        return self._numbers

    @property
    def texts(self) -> Mapping[str, Sequence[str | None]]:
        """Lists of texts, by name."""
        return self._texts

    def numbers(self, name: str) -> Array:
        """An array of one dimension, whole numbers in the smallest type that has all of them."""
        kind, size, _, _ = self._numbers[name]
        array = np.empty(size, dtype=np.dtype(kind))
        self.read_into(name, array)
        return array

    def read_into(self, name: str, array: Array) -> None:
        """Read an array of the image into one of its type and size, of any dimensions, in C order."""
        kind, size, place, crc = self._numbers[name]
        if array.dtype != np.dtype(kind) or array.size != size:
            raise ValueError(f"{name} of an image is of another form")
        data = array.reshape(-1).view(np.uint8)
        self._file.seek(self._start + place)
        if self._file.readinto(data.data) != data.size or _checksum(data) != crc:
            raise ValueError(f"{name} of an image is damaged")

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


class Images:
    """The images beside a database file.

    Args:
        path: the database file.
    """

    def __init__(self, path: str) -> None:
        self._path = path

    def open(self, key: int) -> Image | None:
        """The image of the memory with this number in the database; `None` if there is none that can be read."""
        try:
            file = Path(self._of(key)).open("rb")  # noqa: SIM115 - whoever gets the image closes it
        except OSError:
            return None
        try:
            return Image(file)
        except UNREADABLE:
            file.close()
            return None

    def keep(self, key: int, version: int, proof: Sequence[Any], content: Content) -> None:
        """Write the image of a memory, in place of the one that there was. Whoever may read the database may read it.

        Raises:
            OSError: it cannot be written.
        """
        described: dict[str, tuple[str, int, int, int]] = {}
        bodies: list[memoryview] = []
        place = 0
        for name, array in content.numbers.items():
            # Bytes, or reals in the precision in which they are used, are not narrowed.
            body = array if array.dtype.kind == "f" or array.dtype == np.uint8 else narrowed(array)
            data = np.ascontiguousarray(body).reshape(-1).view(np.uint8)
            described[name] = body.dtype.newbyteorder("<").str, body.size, place, _checksum(data)
            bodies.append(data.data)
            place += data.size
        what = {"version": version, "proof": list(proof), "numbers": described, "texts": {**content.texts}}
        head = json.dumps(what, ensure_ascii=False, separators=(",", ":")).encode()
        begin = [_FORM, *(number.to_bytes(_NUMBER, "little") for number in (len(head), zlib.crc32(head)))]
        fresh = f"{self._of(key)}-{uuid4().hex}"
        try:
            with open(fresh, "xb", opener=self._with_rights) as file:
                file.writelines([*begin, head, *bodies])
            os.replace(fresh, self._of(key))  # noqa: PTH105 - a str, as in `opening`
        except BaseException:
            with suppress(OSError):
                os.unlink(fresh)  # noqa: PTH108 - as above
            raise

    def drop(self, key: int) -> None:
        """Delete the image of a memory, and what is left of unfinished ones.

        Raises:
            StoreError: it cannot be deleted.
        """
        name = Path(self._of(key)).name
        self._delete(lambda one: one == name or one.startswith(f"{name}-"))

    def drop_all(self) -> None:
        """Delete the images of all memories, and what is left of unfinished ones.

        Raises:
            StoreError: one cannot be deleted.
        """
        beginning = Path(self._of(0)).name[:-1]
        self._delete(lambda one: one.startswith(beginning) and one[len(beginning) :][:1].isdecimal())

    def _delete(self, meant: Callable[[str], bool]) -> None:
        """Delete the files beside the database whose names are meant."""
        folder = Path(self._path).parent
        try:
            for name in os.listdir(folder) if folder.is_dir() else []:  # noqa: PTH208 - names are all that is asked for
                if meant(name):
                    (folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(
                f"an image of a memory, which has copies of what is to be deleted, cannot be deleted: {error}. Close "
                "the program that holds it, and try again"
            ) from error

    def _with_rights(self, path: str, flags: int) -> int:
        """Open a new file that those may read and write who may do so with the database."""
        return os.open(path, flags, os.stat(self._path).st_mode & 0o666)  # noqa: PTH116 - as above

    def _of(self, key: int) -> str:
        return f"{self._path}-image-{key}"


def _checksum(data: npt.NDArray[np.uint8]) -> int:
    """A checksum that takes a fraction of the time of a CRC of all: of sums of parts, and of what is left at the end.

    Any bit that flips changes the sum of its part.
    """
    whole = data.size // _WORD.itemsize
    words = data[: whole * _WORD.itemsize].view(_WORD)
    full = whole // _PART * _PART
    sums = words[:full].reshape(-1, _PART).sum(axis=1, dtype=_WORD)
    rest = words[full:].sum(dtype=_WORD, keepdims=True)
    return zlib.crc32(data[whole * _WORD.itemsize :].data, zlib.crc32(np.concatenate([sums, rest]).data))
