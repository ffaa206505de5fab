"""When and where a memory's questions are asked: what tells it, and as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, TypeAlias

from llama_index.core.bridge.pydantic import PlainSerializer

from streetai_core.errors import InputError
from streetai_core.verbs.arguments import AskedAt, check_asked_at, moment_of


def to_json(asked_at: AskedAt | None) -> dict[str, str] | None:
    """What tells the time as plain JSON: a time is carried, of a function the name only."""
    if callable(asked_at):
        return {"function": getattr(asked_at, "__qualname__", type(asked_at).__qualname__)}
    moment = moment_of(asked_at)
    return None if moment is None else {"time": moment.isoformat()}


def from_json(value: object, known: AskedAt | None = None) -> AskedAt | None:
    """What tells the time, as it was given or as `to_json` has written it.

    Args:
        value: that.
        known: the function that this process knows, if it was one.

    Raises:
        InputError: it tells no time, or was a function that this process does not know.
    """
    if not isinstance(value, Mapping):
        return check_asked_at(value)
    if "time" in value:
        try:
            return moment_of(datetime.fromisoformat(str(value["time"])))
        except ValueError as error:
            raise InputError(f"asked_at was written as {value['time']!r}, which is no time that is known") from error
    if known is None:
        raise InputError(
            f"this was written with the function {value.get('function')} as asked_at, which is not known in this "
            "process. Give it as asked_at= to what reads it, or make a memory of the session with it beforehand"
        )
    return known


AskedAtField: TypeAlias = Annotated[Any, PlainSerializer(to_json)]
"""The field of a component; what `from_json` takes."""
