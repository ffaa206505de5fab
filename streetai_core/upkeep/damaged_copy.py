"""A copy of a damaged file that SQLite can open, so that the original is left as it is."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from streetai_core.errors import NewerFileError, StoreError
from streetai_core.stores import _sqlite
from streetai_core.stores.definitions import unknown_tables, wrong_definitions
from streetai_core.stores.opening import PAGE_SIZE, DatabaseFile
from streetai_core.stores.raw_files import copy_file
from streetai_core.stores.schema import schema_version
from streetai_core.upkeep.reading import tolerant

_HEADER = 100
"""Bytes of the header of a database."""

_PAGE_SIZE = slice(16, 18)
_PAGES = slice(28, 32)
_FREE_PAGES = slice(32, 40)
_CHANGES = slice(24, 28)
_VALID_FOR = slice(92, 96)
"""Fields of the header: the size of a page, how many there are and which are free, and the number of the change that
the number of pages is valid for."""

_PAGE_SIZES = tuple((1 << bits).to_bytes(2, "big") for bits in range(9, 16))
"""512 to 32,768 bytes, as the header says it."""

_FILES = ("", "-wal")
"""What of a database is copied; the rest is made anew."""


_ROOTS = "SELECT name, rootpage FROM sqlite_master WHERE rootpage > 0"
"""Where tables and indexes begin."""


@dataclass(frozen=True, slots=True)
class _NewFile:
    """A file that was made just now."""

    data: bytes
    roots: Mapping[str, int]
    """Name -> the page at which a table or an index begins."""

    @property
    def definitions(self) -> Collection[int]:
        """The numbers of its other pages, which have the definitions of tables."""
        return set(range(1, len(self.data) // PAGE_SIZE + 1)) - set(self.roots.values())


def openable_copy(path: str, folder: str, *, redefined: bool = False) -> DatabaseFile:
    """Copy a database with its log into a folder, and mend what is the same in every file of ours.

    The header of the copy is replaced by that of a new file, and the copy ends with a whole page. What is inside of
    the pages is left as it is: checksums tell what of it is as it was written.

    Args:
        path: the database.
        folder: where there is none of these copies yet.
        redefined: whether the pages with the definitions of the tables are replaced too, whatever is in them. They are
            the same in all our files, but for those that VACUUM has rewritten.

    Raises:
        NewerFileError: a newer version of this library made the file, and may have more in it than this one knows.
        StoreError: the file cannot be read.
    """
    target = str(Path(folder) / "copy.db")
    try:
        for ending in _FILES:
            if Path(path + ending).exists():
                copy_file(path + ending, target + ending)
        _refuse_newer(DatabaseFile(target, 0.0, "fast"), path)
        _mend(Path(target), redefined=redefined)
    except OSError as error:
        raise StoreError(f"{path} cannot be copied: {error}. Check the path and the rights on it.") from error
    return DatabaseFile(target, 0.0, "fast")


def _refuse_newer(copy: DatabaseFile, path: str) -> None:
    """Refuse a file of which this version would leave behind what it does not know.

    Where a header says that it is newer, and the tables are ours to the letter, it is the header that is damaged.

    Raises:
        NewerFileError: naming the two versions.
    """
    try:
        with closing(tolerant(copy.connect("ro"))) as connection:
            try:
                schema_version(connection, path)
            except NewerFileError:
                if wrong_definitions(connection) or unknown_tables(connection):
                    raise
    except NewerFileError:
        raise
    except (StoreError, *_sqlite.FAILURES):
        # It is damaged, which is why it is copied.
        return


def _mend(copy: Path, *, redefined: bool) -> None:
    """Replace the header by one that is right, and fill the last page up, or all that the header once promised.

    A file that is empty or gone becomes a new one, to whose tables its log may belong: SQLite deletes the log of an
    empty file.
    """
    new = _new_file()
    data = bytearray(copy.read_bytes() if copy.exists() else b"") or bytearray(new.data)
    header = bytearray(new.data[:_HEADER])
    if bytes(data[_PAGE_SIZE]) in _PAGE_SIZES:
        header[_PAGE_SIZE] = data[_PAGE_SIZE]
    size = int.from_bytes(header[_PAGE_SIZE], "big")
    data += bytes(-len(data) % size)
    promised = int.from_bytes(data[_PAGES], "big")
    if len(data) // size < promised <= 2 * len(data) // size:
        # The end was cut off: SQLite refuses a file that is shorter than it says.
        data += bytes(promised * size - len(data))
    if size == PAGE_SIZE:
        if redefined:
            data += bytes(max(0, len(new.data) - len(data)))
        _begin_anew(data, new, new.definitions if redefined else ())
    header[_PAGES] = (len(data) // size).to_bytes(4, "big")
    header[_FREE_PAGES] = bytes(8)
    header[_VALID_FOR] = header[_CHANGES]
    data[:_HEADER] = header
    copy.write_bytes(data)


def _begin_anew(data: bytearray, new: _NewFile, replaced: Collection[int]) -> None:
    """Put the pages of a new file in the place of those that are nothing but zeros, which no page in use is.

    They are the beginnings of the tables, at the same places in every file of ours. In a file that was emptied while it
    was open, all are zeros that its log did not have.

    Args:
        data: of the copy.
        new: where the pages come from.
        replaced: the numbers of others that are replaced.
    """
    for number, start in enumerate(range(0, min(len(data), len(new.data)), PAGE_SIZE), 1):
        page = slice(start, start + PAGE_SIZE)
        if number in replaced or not any(data[page]):
            data[page] = new.data[page]


def is_defined_otherwise(connection: _sqlite.Connection) -> bool:
    """Whether a file does not have the tables of a new file at the same places: a redefined copy may tell more then.

    Args:
        connection: from `tolerant`.
    """
    try:
        there = dict(connection.execute(_ROOTS).fetchall())
        return bool(wrong_definitions(connection)) or not _new_file().roots.items() <= there.items()
    except _sqlite.FAILURES:
        return True


def _new_file() -> _NewFile:
    """A file that was made just now."""
    with tempfile.TemporaryDirectory(prefix="streetai-") as folder:
        path = Path(folder) / "new.db"
        database = DatabaseFile(str(path), 0.0, "fast").open_for_writing()
        try:
            roots = dict(database.conn.execute(_ROOTS).fetchall())
        finally:
            database.close()
        return _NewFile(path.read_bytes(), roots)
