"""Which turns a retriever was asked in, by what its nodes carry: from them the handlers learn whose reply is whose.

Nodes are copied, ranked anew and handed on by other components, on other threads, so all they carry is an id.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass

from llama_index.core.schema import NodeWithScore

from streetai_core.forking import fork_safe_lock
from streetai_llamaindex.conversations import Conversation
from streetai_llamaindex.turns import Turn

TURN_KEY = "turn_id"
"""In the metadata of a node: the turn that it was retrieved in."""

_MOST_KEPT = 1024
"""Turns that are remembered: far more than are open at once in one process."""


@dataclass(frozen=True, slots=True, eq=False)
class Retrieved:
    """A turn that something was retrieved in, or that a memory was read in."""

    conversation: Conversation
    turn: Turn


_lock = fork_safe_lock()
_by_id: OrderedDict[str, Retrieved] = OrderedDict()


def remember(conversation: Conversation, turn: Turn) -> None:
    """Take a turn that nodes were retrieved in; the oldest are forgotten where there are too many."""
    with _lock:
        _by_id[turn.turn_id] = Retrieved(conversation, turn)
        _by_id.move_to_end(turn.turn_id)
        while len(_by_id) > _MOST_KEPT:
            _by_id.popitem(last=False)


def turns_of(nodes: Iterable[NodeWithScore]) -> list[Retrieved]:
    """The turns that these nodes were retrieved in, each once; none for the nodes of other retrievers."""
    ids = dict.fromkeys(node.node.metadata.get(TURN_KEY) for node in nodes)
    with _lock:
        return [_by_id[one] for one in ids if isinstance(one, str) and one in _by_id]
