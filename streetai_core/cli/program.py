"""The program: its options, and how it ends."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from streetai_core import __version__
from streetai_core.cli.bench import bench
from streetai_core.cli.changing import edit, forget, reembed, renew
from streetai_core.cli.chat import chat
from streetai_core.cli.commands import PluginCommands
from streetai_core.cli.looking import ls, search, show, stats, why
from streetai_core.cli.report import report
from streetai_core.cli.transferring import export_command, import_command
from streetai_core.cli.upkeep import COMMANDS as UPKEEP
from streetai_core.cli.usage import usage_on_one_line
from streetai_core.cli.warned import warnings_in_lines
from streetai_core.cli.wording import one_line
from streetai_core.errors import StreetAIError

_INTERRUPTED = 130
"""What shells report for a program that Ctrl-C ended: 128 and the number of the signal."""


class Program(PluginCommands):
    """The plug-ins' commands; errors of the library end all with one line and exit code 1, wrong usage with 2."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the program's own options.

        Raises:
            WrongUsageError: there is no such option.
            ClickException: what was asked for could not be written.
        """
        with _failures_on_one_line(), usage_on_one_line():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command.

        Raises:
            WrongUsageError: there is no such command, or it does not take what it was given.
            ClickException: a `StreetAIError` came out of it, or a file could not be read or written.
            Exit: it was interrupted; exit code 130.
        """
        try:
            with warnings_in_lines(), _failures_on_one_line(), usage_on_one_line():
                return super().invoke(ctx)
        except KeyboardInterrupt as error:
            # A command may say in the exception what its user has to know; the signal itself says nothing.
            click.echo(f"\nInterrupted. {one_line(str(error))}".rstrip(), err=True)
            raise click.exceptions.Exit(_INTERRUPTED) from None


@contextmanager
def _failures_on_one_line() -> Iterator[None]:
    """Tell of what fails in the block on one line.

    Raises:
        ClickException: a `StreetAIError` came out of it, or a file could not be read or written.
    """
    try:
        yield
    except StreetAIError as error:
        raise click.ClickException(one_line(str(error))) from error
    except OSError as error:
        if error.errno == errno.EPIPE:
            # Whoever read the output has had enough; click ends quietly.
            raise
        _let_go_of_output()
        where = f"{error.filename}: " if error.filename else ""
        raise click.ClickException(one_line(f"{where}{error.strerror or error}")) from error


def _let_go_of_output() -> None:
    """Where standard output cannot be written, forget what is left of it: Python would complain of it at the end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="streetai")
def main() -> None:
    """Conversation memory that organises itself."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character gets a question mark, not a traceback.
            stream.reconfigure(errors="replace")


main.add_command(bench)
main.add_command(report)
for command in (chat, edit, export_command, forget, import_command, ls, reembed, renew, search, show, stats, why):
    main.add_command(command)
for command in UPKEEP:
    main.add_command(command)
