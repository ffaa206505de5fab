"""Values of the library as JSON, for `--json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from datetime import date
from typing import Any

import click


def plain(value: Any) -> Any:
    """A value of the library as JSON has it: fields by name, times as ISO 8601."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | AbstractSet):
        return [plain(one) for one in value]
    return value.isoformat() if isinstance(value, date) else value


def print_json(value: Any) -> None:
    """Print one JSON value, on one line."""
    click.echo(json.dumps(plain(value)))
