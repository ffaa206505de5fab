"""Wrong usage: what was typed cannot be, whatever the files hold. It ends with exit code 2 and one line on stderr."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from streetai_core.cli.wording import one_line
from streetai_core.errors import InputError


class WrongUsageError(click.ClickException):
    """What click says of wrong usage, on one line."""

    exit_code = 2


class GivenPath(click.Path):
    """A path that was typed, as a `Path`. One without a character would be the working folder for `pathlib`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(path_type=Path, **options)

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        """The path.

        Raises:
            BadParameter: it is empty, or of something that `click.Path` was told to refuse.
        """
        if not os.fspath(value).strip():
            self.fail("the path is empty, as a shell variable is that was not set; give a path", param, ctx)
        return super().convert(value, param, ctx)


@contextmanager
def usage_on_one_line() -> Iterator[None]:
    """Click prints how the command is used as well, on lines of its own; `--help` tells it better.

    Raises:
        WrongUsageError: in place of click's own error.
    """
    try:
        yield
    except click.UsageError as error:
        if type(error).show is not click.UsageError.show:
            # No mistake: a group that was called without a command shows its help.
            raise
        said = one_line(error.format_message())
        if error.ctx is not None:
            said += f"{'' if said.endswith(('.', '?')) else '.'} Try '{error.ctx.command_path} --help'."
        raise WrongUsageError(said) from error


@contextmanager
def given_for(*options: str) -> Iterator[None]:
    """What the library refuses in here was given for these options.

    Raises:
        BadParameter: it refused something.
    """
    try:
        yield
    except InputError as error:
        raise click.BadParameter(one_line(str(error)), param_hint=[*options]) from error


def usable_id(_context: click.Context, option: click.Parameter, value: str | None) -> str | None:
    """A callback for an id that something may be stored under.

    Raises:
        BadParameter: it is empty or too long.
    """
    from streetai_core.text.clean import check_id

    if value is None:
        return None
    with given_for(option.opts[0]):
        return check_id(value, option.human_readable_name)
