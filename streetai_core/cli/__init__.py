"""The command `streetai`. What it can do comes from the installed plug-in packages."""

from streetai_core.cli.program import main

__all__ = ["main"]
