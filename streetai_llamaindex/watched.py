"""What a handler listens for: the turns of one engine, or of one session of it."""

from __future__ import annotations

from collections.abc import Iterable

from llama_index.core.schema import NodeWithScore

from streetai_llamaindex.conversations import conversation_of
from streetai_llamaindex.engines import Engine, engine_in
from streetai_llamaindex.retrieved import Retrieved, turns_of


class Watched:
    """Tells the turns that count from all others. No I/O.

    Args:
        engine: see `engines.Engine`; a memory stands for its session only.

    Raises:
        InputError: the engine cannot be used.
    """

    def __init__(self, engine: Engine) -> None:
        self._opening, session = engine_in(engine)
        self._lease = self._opening.lease()
        self._conversation = None if session is None else conversation_of(self._opening, session)

    def retrieved(self, nodes: Iterable[NodeWithScore]) -> list[Retrieved]:
        """The turns that nodes were retrieved in, without those of other engines and sessions."""
        return [one for one in turns_of(nodes) if self._counts(one)]

    def read(self) -> list[Retrieved]:
        """The open turn of this run or context that the memory was read in: what a model is asked now is its prompt."""
        if self._conversation is None:
            return []
        turn = self._conversation.turns.own()
        is_open = turn is not None and turn.outcome == "open" and turn.recalled
        return [Retrieved(self._conversation, turn)] if turn is not None and is_open else []

    def _counts(self, one: Retrieved) -> bool:
        if self._conversation is not None:
            return one.conversation is self._conversation
        return one.conversation.opening is self._opening
