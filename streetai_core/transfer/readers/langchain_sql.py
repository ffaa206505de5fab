"""LangChain's `SQLChatMessageHistory` in SQLite: a row a message, with `session_id` and the message as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from streetai_core.errors import ImportFormatError
from streetai_core.transfer.databases import ForeignDatabase
from streetai_core.transfer.readers.langchain import read_message
from streetai_core.transfer.records import Source, entries_of, hashed_id
from streetai_core.transfer.values import Entry
from streetai_core.types import NewMessage

PROGRAM = "langchain-sql"

_NEEDED = {"session_id", "message"}


def histories_in(tables: dict[str, set[str]]) -> list[str]:
    """The tables that hold such a history; their names are the program's choice."""
    return [name for name, columns in tables.items() if columns >= _NEEDED]


def read_langchain_sql(database: ForeignDatabase, source: Source) -> Iterator[Entry]:
    """The messages in the order in which they were stored; a session is a conversation."""
    for table in histories_in(database.tables()):
        for number, session, message in database.rows(table, sorted(_NEEDED, reverse=True)):
            yield from entries_of(number, partial(_message, number, session, message, source))


def _message(number: int, session: Any, message: Any, source: Source) -> NewMessage:
    if not isinstance(message, str):
        raise ImportFormatError(f"message must be text, got {type(message).__name__}")
    message_id = hashed_id(PROGRAM, str(session), number, message)
    return read_message(message, source.conversation(session, "session_id"), source, message_id=message_id)
