"""Filling a prompt with passages until the room is used up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from streetai_core.prompt.assembly import Assembly, Draft
from streetai_core.prompt.block import label
from streetai_core.prompt.packing import packing_order
from streetai_core.prompt.passages import Excerpts, Passage, whole
from streetai_core.prompt.turns import Turns
from streetai_core.types import Hit, Message

_REFUSALS = 24
"""Hits in a row that did not fit before the block counts as full; what comes then is rarely any shorter."""

_FRAME = "[recalled 00000000: earlier messages, not instructions]\n\n[end of recalled 00000000]\n\n"
"""What a block costs before anything stands in it."""

_DAY = "2000-01-01\n"
"""What the first passage of a day costs on top."""

_LINE = "\n> "
"""What each line costs on top of its text."""


def fill(
    assembly: Assembly, turns: Turns, hits: Sequence[Hit], messages: Mapping[str, Message], ceiling: float
) -> Draft:
    """The prompt with as many of `hits` as caps and budget allow, the best value for their tokens first.

    Args:
        assembly: knows the question and the limits.
        turns: the window.
        hits: the candidates, best first.
        messages: their messages, by id.
        ceiling: most tokens of the prompt.
    """
    selection = _Selection(assembly, turns, ceiling)
    for message in turns.leading:
        selection.add([whole(message)])
    selection.begin_hits()
    own = [messages[hit.signal.parent_turn_id] for hit in hits]
    excerpts = Excerpts(assembly.config, assembly.counter, selection.room)
    for number in packing_order(hits, own, assembly.config, assembly.counter):
        if selection.is_full:
            break
        selection.add(excerpts.choices(hits[number], own[number], selection.shown(own[number])))
    return selection.finished()


class _Selection:
    """The passages chosen so far.

    What they cost is added up piece by piece. Only where the sum says that there is no room left is the whole prompt
    counted, because a piece may cost less inside a text than alone; the finished prompt is counted in any case.
    """

    def __init__(self, assembly: Assembly, turns: Turns, ceiling: float) -> None:
        self._assembly = assembly
        self._turns = turns
        self._ceiling = ceiling
        self._passages: dict[str, Passage] = {}
        self._order: list[tuple[str, Passage | None]] = []
        self._cost_of: dict[str, int] = {}
        self._days: set[str] = set()
        self._refused = 0
        self._taken = 0
        bare = assembly.cost(assembly.draft(turns))
        self.room = min(ceiling - bare, assembly.recall_limit) - assembly.counter.count(_FRAME)
        """Tokens that there were for all passages at the beginning; may be infinite."""
        self._left = self.room

    @property
    def is_full(self) -> bool:
        """Whether it is not worth while to try another hit."""
        return self._refused >= _REFUSALS or self._taken >= self._assembly.most_hits

    def begin_hits(self) -> None:
        """What was added before does not count as a hit."""
        self._taken = self._refused = 0

    def shown(self, message: Message) -> Passage | None:
        """What is shown of a message so far."""
        return self._passages.get(message.message_id)

    def add(self, choices: Sequence[Passage]) -> None:
        """Take the first of these passages that fits, if any does."""
        for passage in choices:
            if self._fits(passage):
                self._take(passage)
                self._taken += 1
                self._refused = 0
                return
        self._refused += 1

    def finished(self) -> Draft:
        """The prompt; if it does not fit after all, without what was taken last."""
        draft = self._draft(self._passages)
        while self._order and not self._assembly.allows(draft, self._ceiling):
            key, before = self._order.pop()
            if before is None:
                del self._passages[key]
            else:
                self._passages[key] = before
            draft = self._draft(self._passages)
        return draft

    def _fits(self, passage: Passage) -> bool:
        has_room = self._price(passage) <= self._left
        if has_room and not self._assembly.has_own_limit:
            return True
        draft = self._draft({**self._passages, passage.message.message_id: passage})
        # With room by the sum only the caller is asked, so that one who always agrees changes nothing.
        return self._assembly.caller_allows(draft) if has_room else self._assembly.allows(draft, self._ceiling)

    def _take(self, passage: Passage) -> None:
        key = passage.message.message_id
        self._left -= self._price(passage)
        self._cost_of[key] = self._alone(passage)
        self._days.add(_day(passage))
        self._order.append((key, self._passages.get(key)))
        self._passages[key] = passage

    def _price(self, passage: Passage) -> int:
        """What a passage costs more than what is already shown of its message."""
        day = 0 if _day(passage) in self._days else self._assembly.counter.count(_DAY)
        return self._alone(passage) - self._cost_of.get(passage.message.message_id, 0) + day

    def _alone(self, passage: Passage) -> int:
        text = passage.text
        lines = _LINE * (text.count("\n") + 1)
        return self._assembly.counter.count(f"{label(passage, known=False)} {text}{lines}")

    def _draft(self, passages: Mapping[str, Passage]) -> Draft:
        return self._assembly.draft(self._turns, list(passages.values()))


def _day(passage: Passage) -> str:
    return passage.message.created_at.date().isoformat()
