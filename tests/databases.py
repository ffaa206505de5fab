"""Databases that are made once and copied: making the tables takes longer than most tests, to copy them does not."""

import os
import tempfile
from functools import cache
from pathlib import Path

from streetai_core.stores.sqlite import SqliteStore


def file_of(fill):
    """The bytes of a database after `fill` was called with its path; nobody may have it open any more."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        fill(path)
        assert [path] == [*path.parent.iterdir()], "what is in a log or an image would be missing in a copy"
        return path.read_bytes()


def made_once(factory, name, fill):
    """A database that `fill` was called with the path of, for all processes of a run: one that is there is taken.

    Args:
        factory: of pytest's temporary folders.
        name: of the file; what would be filled otherwise needs another one.
        fill: as of `file_of`.

    Returns:
        Its path. Copy it: whatever is changed there is changed for all.
    """
    folder = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        # Each process has a folder of its own in that of the run.
        folder = folder.parent
    path = folder / name
    if not path.exists():
        part = path.with_name(f"{name}.{os.getpid()}.part")
        part.write_bytes(file_of(fill))
        part.chmod(0o444)
        part.replace(path)
    return path


@cache
def _empty():
    """A database with all tables and nothing in them."""

    def fill(path):
        with SqliteStore(path) as store, store.writing("m"):
            pass

    return file_of(fill)


def put_empty(path):
    """A new database with all tables and nothing in them; returns its path."""
    return put(path, _empty())


def put(path, content):
    """A new database, or one instead of an empty one that nobody has used; returns its path."""
    if path.exists():
        assert [path] == [*path.parent.glob(f"{path.name}*")], "somebody uses it"
        assert path.read_bytes() == _empty(), "there is something in it"
    path.write_bytes(content)
    return path
