"""What the library's log says while a command runs, told as the program tells everything: in one line on stderr."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import click

from streetai_core.cli.wording import one_line

_LOGGERS = ("streetai_core", "streetai_langchain", "streetai_llamaindex")
"""Below which the library and its plug-ins log."""


class _Lines(logging.Handler):
    """Writes each warning on one line of stderr, with its cause and without a traceback."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        told = record.getMessage()
        cause = record.exc_info[1] if record.exc_info else None
        if cause is not None and str(cause) not in told:
            told += f": {cause}"
        click.echo(f"Warning: {one_line(told)}", err=True)


@contextmanager
def warnings_in_lines() -> Iterator[None]:
    """Tell the library's warnings in lines; without it Python would print them with their tracebacks."""
    handler = _Lines(logging.WARNING)
    for name in _LOGGERS:
        logging.getLogger(name).addHandler(handler)
    try:
        yield
    finally:
        for name in _LOGGERS:
            logging.getLogger(name).removeHandler(handler)
