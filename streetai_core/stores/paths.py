"""The path of a file, as a caller gives it."""

from __future__ import annotations

import os
import re

from streetai_core.errors import ConfigError, InputError

_URL = re.compile(r"([a-z][a-z0-9+.-]+):[/\\]", re.IGNORECASE)
"""How a URL begins. One slash is enough, for `pathlib` makes one of two; a single letter is a drive of Windows."""

_HOME = re.compile(r"~[^/\\]*[/\\]")
"""How a path begins that is meant to be below a home folder. A name may begin so too, as "~copy.db"."""


def database(path: str | os.PathLike[str]) -> str:
    """The path of a database, as `absolute` gives it.

    Raises:
        InputError: it is no path, or SQLite's name for a database in RAM.
        ConfigError: it is a URL.
    """
    if str(path) == ":memory:":
        raise InputError(
            '":memory:" would be another database for each thread. For a memory in RAM give MemoryRegistry a '
            "ReferenceStore() in place of a path (from streetai_core.stores import ReferenceStore); what LlamaIndex "
            "gets without a path is in RAM"
        )
    return followed(path)


def followed(path: str | os.PathLike[str], what: str = "path") -> str:
    """The path of a file, as `absolute` gives it; behind a link, of the file that it leads to.

    A link stays one if the file is replaced. And what lies beside a database, as its log, lies beside the file: who
    looked for it beside the link would find none, and take what is in it for erased.

    Raises:
        InputError: it is no path, as in `absolute`.
        ConfigError: it is a URL.
    """
    place = absolute(path, what)
    return os.path.realpath(place) if os.path.islink(place) else place  # noqa: PTH114 - both are str


def absolute(path: str | os.PathLike[str], what: str = "path") -> str:
    """The path, made independent of later changes of the working folder.

    Raises:
        InputError: it is no path, or begins with "~", which only a shell replaces: a folder of that name would be made.
        ConfigError: it is a URL, of which a folder with its name would be made.
    """
    given = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(given, str) or not given.strip() or "\0" in given:
        raise InputError(f"{what} must be a path as text, got {path!r}")
    try:
        os.fsencode(given)
    except UnicodeEncodeError as error:
        raise InputError(f"{what} has a character that no path of this system can have, got {path!r}") from error
    url = _URL.match(given)
    if url:
        # The rest of it may hold a password.
        raise ConfigError(
            f"{what} is a URL ({url[1]}:...), and only files can be used so far, SQLite files for databases. Give the "
            "path of a file, without a scheme; for another database give MemoryRegistry a Store object of your own"
        )
    if _HOME.match(given):
        raise InputError(
            f"{what} begins with ~, which Python does not replace by the home folder: give "
            f"os.path.expanduser({given!r}), or for a folder of that name {'./' + given!r}"
        )
    return os.path.abspath(given)  # noqa: PTH100 - pathlib's `absolute` keeps "..", its `resolve` reads the disk
