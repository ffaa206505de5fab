"""The transcript of one conversation as LlamaIndex messages: what the store has, and what it could not take yet."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from llama_index.core.base.llms.types import ChatMessage

from streetai_core import Message
from streetai_core.forking import fork_safe_lock
from streetai_llamaindex.messages import from_stored
from streetai_llamaindex.speech import calls_tools, remembered_text, role_of

_MOST_KEPT = 2048
"""Messages kept in LlamaIndex's form, so that reading again costs nothing: several windows of the largest models."""


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """One message of a transcript. The message is not to be changed, nor handed out: hand out copies."""

    key: str
    """Tells it from the others; stays the same from read to read."""
    message: ChatMessage
    text: str
    """What of it can be recalled."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The end of a transcript, oldest first."""

    lines: Sequence[Line]
    complete: bool
    """Whether it is all of it."""
    conversation_id: str | None = None
    """Of the engine; `None`: the transcript is a chat store's, or nothing could be read."""


def line_of(key: str, message: ChatMessage) -> Line:
    """A message as a line."""
    return Line(key, message, remembered_text(message))


def numbered(messages: Sequence[ChatMessage]) -> list[Line]:
    """The messages of a chat store, which have no ids: they are told apart by place, role and words."""
    lines = []
    for number, message in enumerate(messages):
        text = remembered_text(message)
        called = "calls" if calls_tools(message) else ""
        lines.append(Line(f"{number}/{role_of(message)}/{called}/{hash(text)}", message, text))
    return lines


class StoredLines:
    """Turns stored messages into lines, each once as long as its text stays what it is. Safe for several threads."""

    def __init__(self) -> None:
        self._lock = fork_safe_lock()
        self._kept: OrderedDict[tuple[str, str], Line] = OrderedDict()

    def of(self, messages: Sequence[Message]) -> list[Line]:
        """The lines of stored messages."""
        with self._lock:
            return [self._line(message) for message in messages]

    def _line(self, message: Message) -> Line:
        key = (message.message_id, message.content)
        line = self._kept.get(key)
        if line is None or not _has_its_files(line.message):
            line = self._kept[key] = Line(message.message_id, from_stored(message), message.content)
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(key)
        return line


def _has_its_files(message: ChatMessage) -> bool:
    """Whether the images and documents of a message that are files are still there.

    An upload is often deleted when its turn is over; the message is read anew then, which leaves it out, and every
    later prompt can be sent.
    """
    return all(Path(path).is_file() for block in message.blocks if (path := getattr(block, "path", None)))
