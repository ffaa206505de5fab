"""Whose memory a component is: the session it was given, else a random one, and never one that others share."""

from __future__ import annotations

import warnings
from uuid import uuid4

from streetai_core.errors import InputError
from streetai_core.text.clean import check_id, is_blank


def session_of(session_id: str | None, chat_store_key: str | None = None, *, persistent: bool) -> str:
    """The session's id; it is the `memory_id` of the core, and the name of its first conversation.

    Args:
        session_id: the id of a user or a chat.
        chat_store_key: LlamaIndex's name for the same.
        persistent: whether the memory outlives the process; then a random id is worth a warning.

    Raises:
        InputError: the two differ, or the id is blank or otherwise no id.
    """
    if session_id is not None and chat_store_key is not None and session_id != chat_store_key:
        raise InputError(f"session_id {session_id!r} and chat_store_key {chat_store_key!r} are one thing; give one")
    chosen = chat_store_key if session_id is None else session_id
    if chosen is None:
        if persistent:
            warnings.warn(
                "a memory on a file was made without session_id. It gets a random one, so that no two users share a "
                "memory, and it will not be found again after a restart. Give session_id=",
                UserWarning,
                stacklevel=3,
            )
        return uuid4().hex
    if not isinstance(chosen, str) or is_blank(chosen):
        raise InputError(f"session_id must be text that is not blank, got {chosen!r}")
    return check_id(chosen, "session_id")
