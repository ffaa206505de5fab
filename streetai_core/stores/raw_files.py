"""The bytes of files that are open in SQLite, read by another process.

A process that closes a file loses all its locks on it, SQLite's included, whoever has opened it. So nothing here opens
the files: a short-lived child does, and hands their bytes over a pipe.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

BESIDE = ("", "-wal", "-shm", "-journal")
"""What SQLite appends to the path of a database for the files that belong to it."""

_PART = 1 << 20
"""Bytes handed over at once."""

_READ = """
import shutil, sys
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        shutil.copyfileobj(file, sys.stdout.buffer, 1 << 20)
"""
_COPY = """
import shutil, sys
shutil.copyfile(sys.argv[1], sys.argv[2])
"""


def files_of(path: str) -> tuple[str, ...]:
    """The database file and what SQLite keeps beside it, as far as they are there."""
    return tuple(path + ending for ending in BESIDE if Path(path + ending).is_file())


def can_read() -> bool:
    """Whether there is an interpreter to read with.

    A program that was packed into one file has none, and in some servers `sys.executable` is the server.
    """
    name = Path(sys.executable or "").stem.lower()
    return name.startswith(("python", "pypy")) and not getattr(sys, "frozen", False)


def raw_parts(paths: Sequence[str]) -> Iterator[bytes]:
    """The bytes of files, one after the other.

    Raises:
        OSError: one could not be read to its end, for whatever reason.
    """
    with subprocess.Popen(  # noqa: S603 - this interpreter and the code above; the path is an argument
        _command(_READ, *paths), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        if child.stdout is None or child.stderr is None:  # they are, as asked for
            raise OSError("there is no pipe to read from")
        while part := child.stdout.read(_PART):
            yield part
        problem = child.stderr.read()
        if child.wait():
            raise OSError(f"{paths[0]}, or what belongs to it, could not be read: {_last_line(problem)}")


def copy_file(source: str, target: str) -> None:
    """Copy a file that may be open in SQLite here.

    Raises:
        OSError: it could not be copied.
    """
    done = subprocess.run(  # noqa: S603 - as above
        _command(_COPY, source, target), capture_output=True, check=False
    )
    if done.returncode:
        raise OSError(f"{source} could not be copied to {target}: {_last_line(done.stderr)}")


def _command(code: str, *arguments: str) -> list[str]:
    """Python without the user's packages and settings: it starts in hundredths of a second."""
    return [sys.executable, "-I", "-S", "-c", code, *arguments]


def _last_line(output: bytes) -> str:
    lines = output.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "the reading process ended without a word"
