"""The option `--config`: the settings of a memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from streetai_core.cli.usage import given_for
from streetai_core.config import Config
from streetai_core.errors import InputError


def _settings(_context: click.Context, _option: click.Parameter, value: str) -> Config:
    """The settings that are meant.

    Raises:
        BadParameter: the file cannot be read, it is no JSON object, or there are no such settings.
    """
    if value in {"default", "classic"}:
        return Config.classic() if value == "classic" else Config()
    with given_for("--config"):
        return Config.from_dict(_read(value))


def _read(given: str) -> dict[str, Any]:
    try:
        values = json.loads(given if given.startswith("{") else Path(given).read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"cannot read the settings {given!r}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"the settings {given!r} are not JSON: {error}") from error
    if not isinstance(values, dict):
        raise InputError(f"the settings {given!r} must be a JSON object")
    return values


config_option = click.option(
    "--config",
    default="default",
    metavar="FILE|JSON|classic",
    callback=_settings,
    help="Settings: a JSON object, a file with one, or the published pipeline.  [default: those of Config()]",
)
