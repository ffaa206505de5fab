"""ChatGPT's data export: `conversations.json`, a list of conversations, each a tree of messages; or one of them.

Edited questions and repeated answers are branches of the tree; what counts is the path to `current_node`, as the app
shows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import Any

from streetai_core.errors import ImportFormatError
from streetai_core.transfer.records import (
    Chat,
    Source,
    chats,
    conversations_in,
    fitting_id,
    mapping_of,
    origin,
    role_of,
    text_of,
)
from streetai_core.transfer.times import read_time
from streetai_core.transfer.values import Entry
from streetai_core.types import NewMessage, Role

PROGRAM = "chatgpt"

_TREE = "mapping"
"""Where a conversation has its messages, by which it is known."""

_PAGES = "tether_browsing_display"
"""A kind of content: what the model read on the web."""

_SPOKEN = frozenset({"text", "multimodal_text", "code", "execution_output", "tether_quote", _PAGES})
"""Kinds of content that are part of a conversation; the others are settings and the model's own notes."""


def is_chatgpt(document: Any) -> bool:
    """Whether a JSON value is such an export."""
    return bool(conversations_in(document, _TREE))


def read_chatgpt(document: Any, source: Source) -> Iterator[Entry]:
    """The messages of all conversations."""
    return chats(conversations_in(document, _TREE), partial(_conversation, source))


def _conversation(source: Source, _number: int, values: dict[str, Any]) -> Chat:
    """The messages on the path that the app shows."""
    nodes = mapping_of(values.get(_TREE), "mapping of the conversation")
    path = _path(nodes, values.get("current_node"))
    began = read_time(values.get("create_time"), "create_time")
    thread = source.conversation(values.get("conversation_id") or values.get("id"))
    metadata = origin(PROGRAM, title=values.get("title"))
    return Chat(began, [partial(_message, name, nodes.get(name), thread, metadata) for name in path])


def _path(nodes: dict[str, Any], current: object) -> list[str]:
    """The names of the nodes from the root to the current one, each once, those that are missing included.

    Without a current node, to the end of the branch that was written last.
    """
    name = current if isinstance(current, str) and current in nodes else _newest_leaf(nodes)
    path: dict[str, None] = {}
    parents: dict[str, str] | None = None
    while isinstance(name, str) and name not in path:
        path[name] = None
        node = nodes.get(name)
        if isinstance(node, dict):
            name = node.get("parent")
            continue
        parents = _parents(nodes) if parents is None else parents
        name = parents.get(name)
    return list(reversed(path))


def _parents(nodes: dict[str, Any]) -> dict[str, str]:
    """Child -> the first node that knows of it, which tells the place of one that is missing, or is no node."""
    found: dict[str, str] = {}
    for name, node in nodes.items():
        children = node.get("children") if isinstance(node, dict) else None
        for child in children if isinstance(children, list) else ():
            if _is_name(child):
                found.setdefault(child, name)
    return found


def _newest_leaf(nodes: dict[str, Any]) -> str | None:
    """The node without answers that was written last; in the order of the file where no time is given."""
    parents = {node.get("parent") for node in nodes.values() if isinstance(node, dict) and _is_name(node.get("parent"))}
    leaves = [name for name in nodes if name not in parents]
    # Of those that were written at the same time the first one of this order, which is the last one of the file.
    return max(reversed(leaves), key=lambda name: _written(nodes[name]), default=None)


def _written(node: Any) -> float:
    message = node.get("message") if isinstance(node, dict) else None
    time = message.get("create_time") if isinstance(message, dict) else None
    # Compared as it is: a whole number of any length is JSON, and may be too large for a float.
    return time if isinstance(time, int | float) else 0.0


def _is_name(value: object) -> bool:
    return isinstance(value, str)


def _message(name: str, node: Any, thread: str, metadata: Any, at: datetime | None) -> NewMessage | None:
    """The message of a node; `None` for what nobody said."""
    if node is None:
        raise ImportFormatError(f"node {name} of the conversation is missing")
    message = mapping_of(node, f"node {name}").get("message")
    if message is None:
        return None
    message = mapping_of(message, f"message of node {name}")
    about = message.get("metadata")
    if isinstance(about, dict) and about.get("is_visually_hidden_from_conversation"):
        return None
    content = mapping_of(message.get("content"), f"content of node {name}")
    kind = content.get("content_type", "text")
    if not isinstance(kind, str) or kind not in _SPOKEN:
        return None
    try:
        role = _role(message)
        return NewMessage(
            content=text_of(_text(content, kind)),
            role=role,
            conversation_id=thread,
            created_at=read_time(message.get("create_time"), "create_time") or at,
            message_id=fitting_id(f"{PROGRAM}:{message.get('id') or name}"),
            metadata=metadata,
        )
    except ImportFormatError as error:
        raise ImportFormatError(f"message {name}: {error}") from error


def _text(content: dict[str, Any], kind: str) -> Any:
    """What a content says, wherever its kind has it."""
    if kind == _PAGES:
        return content.get("result")
    parts = content.get("parts")
    return content.get("text") if parts is None else parts


def _role(message: dict[str, Any]) -> Role:
    """The author's role; what the assistant writes to a tool is traffic of tools."""
    role = role_of(mapping_of(message.get("author"), "author").get("role"))
    return "tool" if role == "assistant" and (message.get("recipient") or "all") != "all" else role
