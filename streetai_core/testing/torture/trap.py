"""Connections that raise at a statement of choice."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import streetai_core
from streetai_core.stores import _sqlite

_OURS = str(Path(streetai_core.__file__).parent)
"""The code into which interrupts come."""

_MOMENTS = ("call", "c_return")
"""A function of Python begins, one of C has returned."""


@dataclass(slots=True)
class Trap:
    """Raises at one statement, or lets everything pass.

    Set it with `set`, and see with `sprung` whether it has raised since.
    """

    error: Callable[[], BaseException] = KeyboardInterrupt
    late: bool = False
    """Whether the statement is carried out before its error is raised, as when a connection breaks on the way back."""
    remaining: int = 0
    """Statements until it raises; 0: it does not."""
    sprung: bool = False
    statement: str = ""
    """What it raised at."""

    def set(self, number: int, error: Callable[[], BaseException], *, late: bool) -> None:
        """Raise at the statement of this number, from 1."""
        self.remaining, self.error, self.late, self.sprung = number, error, late, False

    def run(self, sql: str, statement: Callable[[], Any]) -> Any:
        """Carry a statement out, or raise, or both."""
        due = self.remaining == 1
        self.remaining = max(0, self.remaining - 1)
        if not due:
            return statement()
        self.sprung, self.statement = True, " ".join(sql.split())[:60]
        if self.late:
            statement()
        raise self.error()


def trapped(trap: Trap) -> _sqlite.Connect:
    """Opens real connections whose statements all pass through a trap."""

    class TrappedCursor(_sqlite.Cursor):
        def execute(self, sql: str, values: Any = ()) -> Any:
            return trap.run(sql, lambda: super(TrappedCursor, self).execute(sql, values))

        def executemany(self, sql: str, rows: Iterable[Any]) -> Any:
            return trap.run(sql, lambda: super(TrappedCursor, self).executemany(sql, rows))

    class TrappedConnection(_sqlite.Connection):
        def cursor(self, factory: Any = TrappedCursor) -> Any:
            return super().cursor(factory)

        def execute(self, sql: str, values: Any = ()) -> Any:
            return self.cursor().execute(sql, values)

        def executemany(self, sql: str, rows: Iterable[Any]) -> Any:
            return self.cursor().executemany(sql, rows)

    def opened(uri: str, *, timeout: float) -> _sqlite.Connection:
        return _sqlite.connect(uri, timeout=timeout, factory=TrappedConnection)

    return opened


def coded(text: str, code: int) -> _sqlite.OperationalError:
    """An error of the driver with its result code, which Python before 3.11 would leave out."""
    error = _sqlite.OperationalError(text)
    vars(error).update(sqlite_errorcode=code)
    return error


@dataclass(slots=True)
class Moments:
    """Counts the moments of a call at which an interrupt can come into this package, and interrupts it at one of them.

    They are where Python itself looks for signals: when a function begins, and when one of C has returned. Between two
    lines it does not look: an error there could come after the block of a `with` and before its end, and would keep a
    lock that no Ctrl-C can keep.
    """

    interrupt_at: int = 0
    """The moment that is interrupted, from 1; 0: only count."""
    seen: int = 0

    def run(self, call: Callable[[], object]) -> None:
        """Make a call under the eyes of this object."""
        before = sys.getprofile()
        sys.setprofile(self._look)
        try:
            call()
        finally:
            sys.setprofile(before)

    def _look(self, frame: FrameType, event: str, _: object) -> None:
        file = frame.f_code.co_filename
        if event in _MOMENTS and file.startswith(_OURS) and "torture" not in file:
            self.seen += 1
            if self.seen == self.interrupt_at:
                raise KeyboardInterrupt
