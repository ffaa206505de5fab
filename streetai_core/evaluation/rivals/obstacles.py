"""Why another memory cannot be measured here, found out without importing anything of it."""

from __future__ import annotations

import sqlite3
from importlib.util import find_spec


def not_installed(module: str, pip: str) -> str | None:
    """What to do if a module cannot be imported; `None` if it can.

    Args:
        module: its name, without dots.
        pip: the line that installs it.
    """
    return f"not installed, {pip}" if find_spec(module) is None else None


def no_extensions() -> str | None:
    """Why a vector search inside SQLite cannot work in this Python; `None` if it can."""
    if hasattr(sqlite3.Connection, "enable_load_extension"):
        return None
    return "its vector search needs a Python whose sqlite3 loads extensions, and this one's does not"
