"""What a stream has given so far: the sum of a chain's pieces, or the messages in those of a graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage

from streetai_langchain.replies import added, cut_reply, reply_of

_MODES = frozenset({"checkpoints", "custom", "debug", "messages", "tasks", "updates", "values"})
"""The stream modes of langgraph: with several of them, each piece is a pair that begins with its mode."""

_WITH_MESSAGES = frozenset({"messages", "updates", "values"})
"""Those of them whose pieces have what was said."""

_MESSAGES = "messages"
"""The key of a graph's state that a conversation is under."""

_PAIR = 2
"""Of a mode or a message and what it comes with."""


class Streamed:
    """The output of one stream, taken in piece by piece.

    A chain streams pieces that add up to its output. A graph, such as an agent, streams what happens in it: by default
    the updates of its steps, on request its messages token by token, its whole state, or several of these at once. The
    pieces of a graph are never summed: the messages in them are collected, each once.

    Args:
        output_key: where the reply is in an output that is a dict, and in the updates of a graph; as for `reply_of`.
        mode: the stream mode or modes that were asked for, if any were.
        join: what makes the output so far of that before and the next piece (`parsers.joining`).
        parsed: as for `reply_of`.
    """

    def __init__(
        self,
        output_key: str | None,
        mode: object = None,
        *,
        join: Callable[[Any, Any], Any] = added,
        parsed: bool = False,
    ) -> None:
        self._key = output_key
        self._parsed = parsed
        self._joined = join
        self._silent = isinstance(mode, str) and mode in _MODES - _WITH_MESSAGES
        """Whether nothing that is said can be seen in the pieces."""
        self._sum: Any = None
        self._messages: dict[str, BaseMessage] = {}
        self._named: Any = None

    def add(self, piece: Any) -> None:
        """Take in the next piece."""
        if self._silent:
            return
        if _of_subgraphs(piece):
            piece = piece[1:] if len(piece) > _PAIR else piece[1]
        if _is_part(piece):
            piece = piece["type"], piece["data"]
        if _has_mode(piece):
            if piece[0] not in _WITH_MESSAGES:
                return
            piece = piece[1]
        messages = _in_graph(piece)
        if messages is None:
            self._sum = self._joined(self._sum, piece)
            return
        for message in messages:
            self._join(message)
        if self._key is not None and isinstance(piece, Mapping):
            named = [update[self._key] for update in piece.values() if update and self._key in update]
            self._named = named[-1] if named else self._named

    @property
    def whole(self) -> Any:
        """All that came: the sum of the pieces of a chain, or the messages of a graph."""
        return list(self._messages.values()) if self._messages else self._sum

    def reply(self) -> AIMessage | None:
        """The reply of a stream that has come to its end; result and errors as for `reply_of`."""
        return reply_of(*self._output(), parsed=self._parsed)

    def cut_reply(self) -> AIMessage | None:
        """What there is of the reply of a stream that was cut; as `replies.cut_reply`."""
        return cut_reply(*self._output(), parsed=self._parsed)

    def _output(self) -> tuple[Any, str | None]:
        """The output, and where in it the reply is if that is not the whole."""
        if self._named is not None:
            return self._named, None
        return (list(self._messages.values()), None) if self._messages else (self._sum, self._key)

    def _join(self, message: BaseMessage) -> None:
        """Add a message; chunks of one message are summed, and the whole message takes their place."""
        key = message.id or f"{len(self._messages)}"
        known = self._messages.get(key)
        if isinstance(known, AIMessageChunk) and isinstance(message, AIMessageChunk):
            message = known + message
        self._messages[key] = message


def _of_subgraphs(piece: Any) -> bool:
    """Whether a piece begins with the path of the graph that it is from, as it does if subgraphs are streamed too."""
    if not isinstance(piece, tuple) or len(piece) not in {_PAIR, _PAIR + 1} or not isinstance(piece[0], tuple):
        return False
    return all(isinstance(step, str) for step in piece[0])


def _is_part(piece: Any) -> bool:
    """Whether a piece says itself what it is, as all of a graph do with `version="v2"`."""
    return isinstance(piece, Mapping) and {"type", "ns", "data"} <= piece.keys() and piece["type"] in _MODES


def _has_mode(piece: Any) -> bool:
    return isinstance(piece, tuple) and len(piece) == _PAIR and isinstance(piece[0], str) and piece[0] in _MODES


def _in_graph(piece: Any) -> Sequence[BaseMessage] | None:
    """The messages in a piece of a graph's stream; `None` if it is no such piece."""
    if isinstance(piece, tuple):
        # Token by token: a message, or a chunk of one, and where it is from.
        token = len(piece) == _PAIR and isinstance(piece[0], BaseMessage) and isinstance(piece[1], Mapping)
        return [piece[0]] if token else None
    if not isinstance(piece, Mapping) or not piece:
        return None
    if not all(update is None or isinstance(update, Mapping) for update in piece.values()):
        return None
    # What each step has changed; a step that has changed nothing has `None`.
    updates = [update.get(_MESSAGES) for update in piece.values() if update is not None]
    said = [one for update in updates if isinstance(update, list) for one in update if isinstance(one, BaseMessage)]
    return said if said or all(update is None for update in piece.values()) else None
