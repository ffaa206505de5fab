"""How long a connection waits for the lock that another one has."""

from __future__ import annotations

from streetai_core.stores import _sqlite


def set_patience(connection: _sqlite.Connection, seconds: float) -> None:
    """Have a connection wait so long, in place of what it was opened with.

    Args:
        connection: open.
        seconds: 0 to a day, counted in milliseconds.

    Raises:
        Error: the connection is broken.
    """
    # A pragma takes no parameter; a number is all that gets into it.
    connection.execute(f"PRAGMA busy_timeout = {round(1000 * seconds):d}")
