"""Which messages are wanted, as a statement."""

from __future__ import annotations

import json
from typing import Any

from streetai_core.stores.selects import MESSAGES, OF_SEQUENCES, list_text
from streetai_core.stores.types import MessageQuery

_OF_MESSAGE = " AND message_id = ?"
_OF_CONVERSATION = " AND conversation_id IS ?"
_OF_ROLES = " AND role IN (SELECT value FROM json_each(?))"
_BEFORE = " AND sequence < ?"
_AFTER = " AND sequence > ?"
_OLDEST = " ORDER BY sequence LIMIT ?"
_NEWEST = " ORDER BY sequence DESC LIMIT ?"

_NO_LIMIT = -1
"""SQLite's word for it."""


def messages_statement(query: MessageQuery) -> tuple[str, list[Any]]:
    """What finds the messages of a memory, and its values after the memory's number.

    The newest come first, unless only the first so many are wanted.
    """
    sql = MESSAGES
    values: list[Any] = []
    if query.sequences is not None:
        sql += OF_SEQUENCES
        values.append(list_text(query.sequences))
    if query.message_id is not None:
        sql += _OF_MESSAGE
        values.append(query.message_id)
    if not query.any_conversation:
        sql += _OF_CONVERSATION
        values.append(query.conversation_id)
    if query.roles is not None:
        sql += _OF_ROLES
        values.append(json.dumps(list(query.roles)))
    if query.before is not None:
        sql += _BEFORE
        values.append(query.before)
    if query.after is not None:
        sql += _AFTER
        values.append(query.after)
    limit = query.last if query.first is None else query.first
    values.append(_NO_LIMIT if limit is None else max(0, limit))
    return sql + (_NEWEST if query.first is None else _OLDEST), values
