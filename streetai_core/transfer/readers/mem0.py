"""mem0's memories: a JSON list of facts with `memory` and `created_at`, bare or under `results` or `memories`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import Any

from streetai_core.errors import ImportFormatError
from streetai_core.transfer.records import (
    LONG_AGO,
    Source,
    entries_of,
    fitting_id,
    list_of,
    mapping_of,
    origin,
    text_of,
)
from streetai_core.transfer.times import read_time
from streetai_core.transfer.values import Entry, Record
from streetai_core.types import NewMessage

PROGRAM = "mem0"

_LISTS = ("results", "memories")
"""Keys under which answers of its API have the list."""


def is_mem0(document: Any) -> bool:
    """Whether a JSON value is a list of such facts."""
    facts = _facts(document)
    return isinstance(facts, list) and any(isinstance(one, dict) and "memory" in one for one in facts)


def read_mem0(document: Any, source: Source) -> Iterator[Entry]:
    """The facts, each as a message of the user, oldest first."""
    facts = enumerate(list_of(_facts(document), "the file"), start=1)
    found = [entry for number, one in facts for entry in entries_of(number, partial(_fact, one, source))]
    yield from sorted(found, key=_learned)


def _learned(entry: Entry) -> datetime:
    """When a fact was learned; those that do not say it come first."""
    return (isinstance(entry, Record) and entry.message.created_at) or LONG_AGO


def _facts(document: Any) -> Any:
    if isinstance(document, dict):
        return next((document[key] for key in _LISTS if key in document), document)
    return document


def _fact(values: Any, source: Source) -> NewMessage:
    values = mapping_of(values, "a fact")
    content = values.get("memory")
    if not isinstance(content, str):
        raise ImportFormatError(f"memory must be text, got {type(content).__name__}")
    given = values.get("id")
    return NewMessage(
        content=text_of(content),
        role="user",
        conversation_id=source.conversation(values.get("run_id"), "run_id"),
        created_at=read_time(values.get("created_at"), "created_at"),
        message_id=fitting_id(f"{PROGRAM}:{given}") if given else source.stable_id(PROGRAM, content),
        metadata=origin(PROGRAM, user_id=values.get("user_id"), agent_id=values.get("agent_id")),
    )
