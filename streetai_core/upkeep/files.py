"""Putting a finished file in its place, so that there is never half of one."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from streetai_core.errors import InputError
from streetai_core.stores import _sqlite
from streetai_core.stores.opening import DatabaseFile
from streetai_core.stores.raw_files import BESIDE

_READ_ONLY = "PRAGMA query_only = ON"

_OF_FILES = 0o666
"""Reading and writing, by anybody."""

_OF_OWNERS = 0o600
"""Reading and writing, by the owner alone, who can go on with a file also if it was made of a read-only one."""


def read_only(file: DatabaseFile) -> _sqlite.Connection:
    """A connection that changes nothing, also to a file that cannot be written.

    Raises:
        Error: it cannot be opened.
    """
    if file.log_size():
        # A connection that may write would move the log into the file when it is closed.
        return file.connect("ro")
    if not file.writable():
        return file.connect("ro", immutable=True)
    # One that may only read would leave an empty log behind.
    connection = file.connect("rw")
    connection.execute(_READ_ONLY).fetchall()
    return connection


def beside(path: str) -> tuple[str, ...]:
    """The path of a database and the paths of what SQLite keeps beside it."""
    return tuple(path + ending for ending in BESIDE)


def check_apart(target: str, database: str, what: str) -> None:
    """Refuse a file of a database as the place of something else: its log has what was stored last.

    Args:
        target: where something is to be.
        database: the path of the database.
        what: what the caller calls the target.

    Raises:
        InputError: it is the database, or what SQLite keeps beside it.
    """
    if os.path.realpath(target) in beside(os.path.realpath(database)):
        raise InputError(f"{what} must be another file than the database itself or a part of it, got {target}")


def check_file(target: str) -> None:
    """Refuse what is there and is no file, such as a pipe, which would be gone.

    Raises:
        InputError: naming it and what to do.
    """
    place = Path(target)
    try:
        is_folder, is_other = place.is_dir(), place.exists() and not place.is_file()
    except OSError as error:
        # A name that is too long, for instance.
        raise InputError(f"{target} cannot be a file: {error.strerror or error}; give another path") from error
    if is_folder:
        raise InputError(f"{target} is a folder; give the path of a file in it")
    if is_other:
        raise InputError(f"{target} is no file that can be replaced; give another path")


def check_free(target: str, *, overwrite: bool) -> None:
    """Refuse to replace a file unasked, or one that is in use.

    Raises:
        InputError: naming the file and what to do.
    """
    check_file(target)
    # Not by `pathlib`, which raises where the name of a log would be too long.
    logs = [one for one in beside(target)[1:] if os.path.exists(one)]  # noqa: PTH110 - as above
    if logs:
        raise InputError(f"{target} is in use or was left unfinished: {logs[0]} is beside it; choose another path")
    if not overwrite and Path(target).exists():
        raise InputError(f"{target} is there already; choose another path, or replace it with overwrite=True (--force)")


def rights_of(*paths: str) -> int:
    """What all of these files allow, of those that are there; their owner may always read and write."""
    allowed = _OF_FILES
    for path in paths:
        with suppress(FileNotFoundError):
            allowed &= os.stat(path).st_mode  # noqa: PTH116 - a str, as above
    return allowed | _OF_OWNERS


def put_in_place(finished: str, target: str, *, rights: int, overwrite: bool) -> None:
    """Give a finished and closed file its name; what it replaces is there whole until then.

    Args:
        finished: what was written, where nobody else has seen it yet.
        target: its name.
        rights: the most that it may allow (`rights_of`); what the umask took away stays away.
        overwrite: whether it may replace a file.

    Raises:
        InputError: there is a file, and it may not be replaced.
        OSError: it could not be done; then `target` is as it was.
    """
    os.chmod(finished, os.stat(finished).st_mode & rights)  # noqa: PTH101, PTH116 - a str, as above
    _sync(finished)
    check_free(target, overwrite=overwrite)
    if overwrite:
        os.replace(finished, target)  # noqa: PTH105 - both are str
    else:
        try:
            os.link(finished, target)
        except FileExistsError:
            raise InputError(f"{target} is there already; choose another path") from None
        except OSError:
            # A file system without links.
            os.rename(finished, target)  # noqa: PTH104 - as above
    with suppress(OSError):
        # Windows cannot open folders; there the name is on the disk when the file system says so.
        _sync(str(Path(target).parent))


def _sync(path: str) -> None:
    """Wait until a file, or the names in a folder, are on the disk. Nobody has the file open in SQLite."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
