"""What the commands of `streetai bench` have in common: their options, and what the options stand for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from streetai_core.cli.opening import chosen_encoder, encoder_option
from streetai_core.cli.settings import config_option
from streetai_core.cli.usage import GivenPath

if TYPE_CHECKING:
    from streetai_core.evaluation.embedding_cache import DiskCachedEncoder

_Command = TypeVar("_Command", bound=Callable[..., Any])


def numbers(_context: click.Context, _option: click.Parameter, value: str) -> tuple[int, ...]:
    """A callback for whole numbers from 1, separated by commas: ascending, each once.

    Raises:
        BadParameter: it is something else.
    """
    try:
        found = {int(part) for part in value.split(",")}
    except ValueError as error:
        raise click.BadParameter(f"{value!r} is not a list of whole numbers such as 500,1500") from error
    if min(found) < 1:
        raise click.BadParameter("the numbers must be at least 1")
    return tuple(sorted(found))


def names_of(_context: click.Context, _option: click.Parameter, value: str) -> tuple[str, ...]:
    """A callback for names, separated by commas, in the order given.

    Raises:
        BadParameter: there is none.
    """
    names = tuple(part.strip() for part in value.split(",") if part.strip())
    if not names:
        raise click.BadParameter("give at least one name")
    return names


def maybe_names_of(context: click.Context, option: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Like `names_of`, for an option that may be left out: then there are no names."""
    return () if value is None else names_of(context, option, value)


_DATA = (
    click.option(
        "--data",
        required=True,
        type=GivenPath(),
        metavar="FILE",
        help="Recorded conversations with questions (JSON).",
    ),
    click.option(
        "--limit-conversations", "most", type=click.IntRange(min=1), metavar="N", help="Only the first N conversations."
    ),
    click.option(
        "--embeddings",
        type=GivenPath(),
        metavar="FOLDER",
        help="Where embeddings are kept from run to run.  [default: in the user's cache folder]",
    ),
)

_ALWAYS = (
    config_option,
    encoder_option,
    click.option(
        "--out",
        type=GivenPath(file_okay=False),
        default=Path("streetai-bench"),
        show_default=True,
        metavar="FOLDER",
        help="Where results go; what is done already is taken from there.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print the results as one JSON object, nothing else."),
)


def data_options(command: _Command) -> _Command:
    """The options of a benchmark on recorded conversations."""
    return _with(command, (*_DATA, *_ALWAYS))


def common_options(command: _Command) -> _Command:
    """The options of every benchmark."""
    return _with(command, _ALWAYS)


def cached_encoder(name: str, embeddings: Path | None) -> DiskCachedEncoder:
    """The encoder that `--encoder` names, with its vectors kept on disk; `embeddings` is the folder."""
    from streetai_core.evaluation.embedding_cache import (
        DiskCachedEncoder,
        default_folder,
    )

    return DiskCachedEncoder(chosen_encoder(name), embeddings or default_folder())


def _with(command: _Command, options: tuple[Callable[[_Command], _Command], ...]) -> _Command:
    for option in reversed(options):
        command = option(command)
    return command
