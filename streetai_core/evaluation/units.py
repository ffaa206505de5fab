"""What a simple ranker ranks: whole messages, chunks, or short messages whole and long ones in parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from streetai_core.config import Config
from streetai_core.evaluation.datasets import RecordedMessage, Recording
from streetai_core.text.chunking import Limits, split

ADAPTIVE_TOKENS = 96
"""Up to so many tokens (characters / 4) a message is one adaptive unit; longer ones are cut into parts of that size."""

_CHARACTERS_PER_TOKEN = 4

_ADAPTIVE = Limits(
    min_chars=ADAPTIVE_TOKENS * _CHARACTERS_PER_TOKEN // 2,
    min_words=1,
    max_chars=ADAPTIVE_TOKENS * _CHARACTERS_PER_TOKEN,
    max_words=10_000,  # the characters decide
    max_chunks=10_000,
)


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a message."""

    message_id: str
    line: str
    """As it is matched and sent: `Author: text`."""


def _whole(message: RecordedMessage) -> list[str]:
    return [message.text]


def _chunks(message: RecordedMessage) -> list[str]:
    return _cut(message.text, Limits.of(Config()))


def _adaptive(message: RecordedMessage) -> list[str]:
    if len(message.text) <= ADAPTIVE_TOKENS * _CHARACTERS_PER_TOKEN:
        return [message.text]
    return _cut(message.text, _ADAPTIVE)


UNITS: Mapping[str, Callable[[RecordedMessage], list[str]]] = {
    "messages": _whole,
    "chunks": _chunks,
    "adaptive": _adaptive,
}
"""The kinds of units by name; chunks are those of the library's default configuration."""


def units_of(recording: Recording, kind: str) -> list[Unit]:
    """The units of a recording in the order they were said; `kind` is a key of `UNITS`."""
    return [
        Unit(message.message_id, f"{message.speaker}: {part}")
        for message in recording.messages
        for part in UNITS[kind](message)
    ]


def _cut(text: str, limits: Limits) -> list[str]:
    return [text[chunk.start : chunk.end].strip() for chunk in split(text, limits)]
