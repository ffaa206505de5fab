"""Which class a stored LangChain message comes back as: one of LangChain's own, or the application's subclass of it."""

from __future__ import annotations

import sys

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    BaseMessageChunk,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)

CLASSES: dict[str, type[BaseMessage]] = {
    "human": HumanMessage,
    "ai": AIMessage,
    "system": SystemMessage,
    "tool": ToolMessage,
    "function": FunctionMessage,
    "chat": ChatMessage,
}
"""LangChain's own classes by type."""


def kind_of(message: BaseMessage) -> str:
    """Which of `CLASSES` a message is, or comes back as if its own class is not there; "chat" if it is none of them."""
    return next((name for name, known in CLASSES.items() if isinstance(message, known)), "chat")


def name_of(own: type[BaseMessage]) -> str | None:
    """How a class of the application is found again; `None` for LangChain's own and for those of chunks.

    Returns:
        `module:qualified name`.
    """
    if own in CLASSES.values() or issubclass(own, BaseMessageChunk):
        return None
    return f"{own.__module__}:{own.__qualname__}"


def loaded(name: object) -> type[BaseMessage] | None:
    """The message class of a name, if this process has it already; `None` if not.

    A name comes from data, so it must not make anything happen: no module is imported, no attribute is computed, and
    only a class that calls itself by that name and is a message is given back. One that was made inside a function
    cannot be found.
    """
    if not isinstance(name, str):
        return None
    module, _, path = name.partition(":")
    found: object = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, "__dict__", {}).get(part)
    if not isinstance(found, type) or not issubclass(found, BaseMessage) or issubclass(found, RemoveMessage):
        return None
    return found if name_of(found) == name else None
