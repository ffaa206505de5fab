"""The engine behind whatever a component was given: a memory, a registry, a file."""

from __future__ import annotations

import os
from typing import TypeAlias

from streetai_core import MemoryRegistry
from streetai_core.errors import InputError
from streetai_llamaindex.conversations import Conversation
from streetai_llamaindex.opening import Opening, opening_of

Engine: TypeAlias = Opening | MemoryRegistry | str | os.PathLike[str] | object
"""A `MemoryRegistry`, the path of a database file, or a memory of this package, which stands for its session too."""


def engine_in(engine: Engine) -> tuple[Opening, str | None]:
    """The engine, and the session if what was given has one. No I/O.

    Args:
        engine: see `Engine`.

    Raises:
        InputError: it is none of them.
    """
    if isinstance(engine, Opening):
        return engine, None
    conversation = getattr(engine, "conversation", None)
    if isinstance(conversation, Conversation):
        return conversation.opening, conversation.session_id
    if isinstance(engine, MemoryRegistry):
        return opening_of(engine), None
    if isinstance(engine, str | os.PathLike):
        return opening_of(path=engine), None
    raise InputError(
        f"engine must be a MemoryRegistry, a StreetAI memory or the path of a file, got {type(engine).__name__}"
    )
