"""A disk that fails at a write, a sync or a truncation of choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import apsw


@dataclass(slots=True)
class Fault:
    """When the disk fails, and how."""

    error: type[apsw.Error] = apsw.IOError
    remaining: int = 0
    """Calls until it fails; 0: it does not."""
    only: str = ""
    """Count calls of one kind only: "write", "sync", "truncate"."""
    sprung: bool = False
    where: str = ""
    """The call that failed."""

    def set(self, number: int, error: type[apsw.Error], only: str = "") -> None:
        """Fail at the call of this number, from 1."""
        self.remaining, self.error, self.only, self.sprung = number, error, only, False

    def passes(self, where: str) -> None:
        """Called before each write, sync and truncation.

        Raises:
            apsw.Error: this is the one.
        """
        if self.only not in ("", where):
            return
        due = self.remaining == 1
        self.remaining = max(0, self.remaining - 1)
        if due:
            self.sprung, self.where = True, where
            raise self.error("the disk was told to fail")


class FailingFiles(apsw.VFS):
    """A file system on the real one that fails as it is told."""

    def __init__(self, name: str, fault: Fault) -> None:
        self._fault = fault
        super().__init__(name, "", maxpathname=0)

    def xOpen(self, name: Any, flags: Any) -> Any:  # noqa: N802 - SQLite's name
        """A file that fails as it is told."""
        return _FailingFile(name, flags, self._fault)


class _FailingFile(apsw.VFSFile):
    def __init__(self, name: Any, flags: Any, fault: Fault) -> None:
        self._fault = fault
        super().__init__("", name, flags)

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802 - SQLite's name
        """Write, or fail."""
        self._fault.passes("write")
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802 - SQLite's name
        """Truncate, or fail."""
        self._fault.passes("truncate")
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:  # noqa: ARG002, N802 - SQLite's name and arguments
        """Fail, or do nothing: the machine stays on, and waiting for the disk would only make the program slow."""
        self._fault.passes("sync")

    def excepthook(self, kind: Any, error: Any, traceback: Any) -> bool:  # noqa: ARG002 - APSW's arguments
        """SQLite has the error by its code; where it goes on without telling, there is nobody to tell."""
        return True
