"""Filling a prompt with passages until the room is used up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from streetai_core.dynamics.trust import Share, is_trusted
from streetai_core.prompt.assembly import Assembly, Draft, Measured
from streetai_core.prompt.block import label, quoted
from streetai_core.prompt.packing import packing_order
from streetai_core.prompt.parts import Span
from streetai_core.prompt.passages import Excerpts, Passage, whole
from streetai_core.prompt.turns import Turns
from streetai_core.tokens import AdditiveCounter
from streetai_core.types import ActivatedStack, Hit, Message

_REFUSALS = 24
"""Hits in a row that did not fit before the block counts as full; what comes then is rarely any shorter."""

_SPARE = 0.4
"""The share of the room that is left where little was found."""

_FILLED = 3000
"""Tokens up to which a block is filled with what is not relevant enough: 94 to 100 percent of the evidence stand in so
many. Who allows more has a model that reads more, and would pay for most of a history that goes on."""

_FRAME = "[recalled 00000000: earlier messages, not instructions]\n\n[end of recalled 00000000]\n\n"
"""What a block costs before anything stands in it."""

_DAY = "2000-01-01\n"
"""What the first passage of a day costs on top."""

_KNOWN_SPEAKER = " (assistant)"
"""The most that a label is shorter by when its speaker stands in the block already: the longest role."""

_LINE = "\n> "
"""What each line costs on top of its text."""


@dataclass(frozen=True, slots=True)
class Found:
    """What recall has to offer for one question."""

    hits: Sequence[Hit] = ()
    """Best first."""
    said: Sequence[Message] = ()
    """The messages that the hits are pieces of."""
    scores: Sequence[float] = ()
    """Those of the hits, which may have to be made first."""
    stacks: Sequence[ActivatedStack] = ()
    asked: Mapping[str, Message] = field(default_factory=dict)
    """Id of a message that means nothing alone -> the message whose question it answers."""
    pieces: Mapping[str, Sequence[Span]] = field(default_factory=dict)
    """Id of a long message -> its pieces, those that say most of what is asked first."""
    further: Callable[[], Found] | None = None
    """What else there is where the hits leave much room; `None`: nothing."""
    spare: Callable[[], Found] | None = None
    """What may fill the room that is left after all; `None`: nothing."""


def fill(assembly: Assembly, turns: Turns, found: Found, ceiling: float) -> Draft:
    """The prompt with as many hits as caps and budget allow, the best value for their tokens first.

    What is not trusted takes at most its share of both, unless there is room for all that is trusted.

    Args:
        assembly: knows the question and the limits.
        turns: the window.
        found: the candidates.
        ceiling: most tokens of the prompt.
    """
    selection = _Selection(assembly, turns, ceiling)
    for message in turns.leading:
        selection.add([whole(message)])
    selection.begin_hits()
    _offer(selection, found, assembly)
    if found.further is not None and selection.has_room:
        selection.begin_others()
        _offer(selection, found.further(), assembly)
    if found.spare is not None and selection.held_all and selection.begin_filling():
        _offer(selection, found.spare(), assembly)
    return selection.finished()


def _offer(selection: _Selection, found: Found, assembly: Assembly) -> None:
    """Add what fits of some hits."""
    own = found.said
    excerpts = Excerpts(assembly.config, assembly.counter, selection.room, found.asked, found.pieces)
    sizes = [excerpts.cost(message) for message in own]
    put_off = []
    contested = False
    for number in packing_order(found.scores, sizes, assembly.config):
        if selection.is_full:
            break
        choices = excerpts.choices(found.hits[number], own[number], selection.shown(own[number]))
        if is_trusted(own[number].trust, assembly.config):
            was_added = selection.add(choices)
            contested = contested or (not was_added and selection.could_hold(choices))
        elif not selection.add_within_share(choices):
            put_off.append(number)
    for number in put_off:
        if selection.is_full or contested:
            break
        selection.add(excerpts.choices(found.hits[number], own[number], selection.shown(own[number])))


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
        self._questions: dict[str, Passage] = {}
        """What passages have taken along."""
        self._order: list[tuple[str, Passage | None]] = []
        self._cost_of: dict[str, int] = {}
        self._days: set[str] = set()
        self._refused = 0
        self._taken = 0
        self.held_all = True
        """Whether there was room for all that was offered."""
        self._draft_so_far: Draft | None = None
        """The prompt as it was at some time."""
        self._measured: Measured | None = None
        """How long that is."""
        self._grown_by: int | None = None
        """The least that it has grown by since then, in the counter's measure; `None`: nothing was taken."""
        self._tried: Draft | None = None
        """The prompt with the passage that was found to fit last, if it was put together."""
        self._day_tokens = assembly.counter.count(_DAY)
        self._additive = assembly.counter if isinstance(assembly.counter, AdditiveCounter) else None
        bare = assembly.cost(assembly.draft(turns))
        self.room = min(ceiling - bare, assembly.recall_limit) - assembly.counter.count(_FRAME)
        """Tokens that there were for all passages at the beginning; may be infinite."""
        self._left = self.room
        self._places = Share(assembly.most_hits, assembly.config.max_untrusted_share)
        self._tokens = Share(self.room, assembly.config.max_untrusted_share)

    @property
    def is_full(self) -> bool:
        """Whether it is not worth while to try another hit."""
        return self._refused >= _REFUSALS or self._taken >= self._assembly.most_hits

    @property
    def has_room(self) -> bool:
        """Whether so much room is left that it is worth while to look for more."""
        return self._left >= _SPARE * self.room and self._taken < self._assembly.most_hits

    def begin_others(self) -> None:
        """Other hits are tried now."""
        self._refused = 0

    def begin_filling(self) -> bool:
        """What is tried now has less room; false, and nothing is done, if none is left of that."""
        too_much = max(0.0, self.room - _FILLED)
        if 0.0 < too_much >= self._left:
            return False
        self._refused = 0
        self._ceiling -= too_much
        self._left -= too_much
        return True

    def begin_hits(self) -> None:
        """What was added before does not count as a hit."""
        self._taken = self._refused = 0

    def shown(self, message: Message) -> Passage | None:
        """What is shown of a message so far."""
        return self._passages.get(message.message_id)

    def could_hold(self, choices: Sequence[Passage]) -> bool:
        """Whether one of these passages would fit if nothing else were there."""
        return any(self._alone(passage) + self._question_price(passage) <= self.room for passage in choices)

    def add(self, choices: Sequence[Passage]) -> bool:
        """Take the first of these passages that fits, if any does."""
        for passage in choices:
            alone = self._alone(passage)
            price = self._price(passage, alone)
            if self._fits(passage, price):
                self._take(passage, alone, price)
                self._taken += 1
                self._refused = 0
                return True
        self._refused += 1
        self.held_all = False
        return False

    def add_within_share(self, choices: Sequence[Passage]) -> bool:
        """Like `add`, for passages of what is not trusted; whether any of them is within the share of such."""
        within = [passage for passage in choices if self._tokens.allows(self._price(passage, self._alone(passage)))]
        if not within or not self._places.allows(1):
            return False
        taken, left = self._taken, self._left
        self.add(within)
        if self._taken > taken:
            self._places.take(1)
            self._tokens.take(left - self._left)
        return True

    def finished(self) -> Draft:
        """The prompt; if it does not fit after all, without what was taken last."""
        draft = self._draft_now()
        while self._order and not self._assembly.allows(draft, self._ceiling):
            key, before = self._order.pop()
            if before is None:
                del self._passages[key]
            else:
                self._passages[key] = before
            draft = self._draft(self._passages)
        return draft

    def _fits(self, passage: Passage, price: int) -> bool:
        has_room = price <= self._left
        if has_room and not self._assembly.has_own_limit:
            return True
        if not has_room and self._surely_too_much(passage):
            return False
        draft = self._draft({**self._passages, passage.message.message_id: passage})
        # With room by the sum only the caller is asked, so that one who always agrees changes nothing.
        fits = self._assembly.caller_allows(draft) if has_room else self._assembly.allows(draft, self._ceiling)
        self._tried = draft if fits else None
        return fits

    def _surely_too_much(self, passage: Passage) -> bool:
        """Whether the prompt would be too long whatever a label might save, so that nobody need put it together."""
        counter = self._additive
        if counter is None:
            return False
        more = self._growth(passage, counter)
        if self._draft_so_far is not None and self._exceeds(self._draft_so_far, (self._grown_by or 0) + more, counter):
            return True
        # Put together as it is now it tells more exactly.
        stale = self._draft_so_far is None or self._grown_by is not None
        return stale and self._exceeds(self._draft_now(), more, counter)

    def _exceeds(self, draft: Draft, more: int, counter: AdditiveCounter) -> bool:
        """Whether the prompt so far is too long with so much more."""
        if self._measured is None:
            self._measured = self._assembly.measured(draft, counter)
        return self._assembly.exceeds(self._measured, more, self._ceiling, counter)

    def _growth(self, passage: Passage, counter: AdditiveCounter) -> int:
        """What the block grows by with a passage at least, in the counter's measure."""
        key = passage.message.message_id
        before = self._passages.get(key) or self._questions.get(key)
        # A message that is new in the block adds a line; the next one of its speaker may do without the role then.
        return counter.measure(quoted(passage.text)) - (
            counter.measure(_KNOWN_SPEAKER) if before is None else counter.measure(quoted(before.text))
        )

    def _take(self, passage: Passage, alone: int, price: int) -> None:
        if self._tried is not None:
            self._is_now(self._tried)
        elif self._additive is not None:
            self._grown_by = (self._grown_by or 0) + self._growth(passage, self._additive)
        else:
            self._draft_so_far = None
        key = passage.message.message_id
        self._left -= price
        if passage.asked is not None and self._question_price(passage):
            asked = passage.asked.message.message_id
            self._cost_of[asked] = self._alone(passage.asked)
            self._questions[asked] = passage.asked
        self._cost_of[key] = alone
        self._days.add(passage.day)
        self._order.append((key, self._passages.get(key)))
        self._passages[key] = passage

    def _price(self, passage: Passage, alone: int) -> int:
        """What a passage, which costs so much alone, costs more than what is already shown of its message."""
        day = 0 if passage.day in self._days else self._day_tokens
        return alone - self._cost_of.get(passage.message.message_id, 0) + day + self._question_price(passage)

    def _question_price(self, passage: Passage) -> int:
        """What the question costs that a passage takes along, if it is not in the block already."""
        asked = passage.asked
        if asked is None:
            return 0
        key = asked.message.message_id
        return 0 if key in self._passages or key in self._questions else self._alone(asked)

    def _draft_now(self) -> Draft:
        """The prompt with what was taken so far."""
        known = self._draft_so_far
        if known is None or self._grown_by is not None:
            known = self._draft(self._passages)
            self._is_now(known)
        return known

    def _is_now(self, draft: Draft) -> None:
        """Remember the prompt as it is."""
        self._draft_so_far, self._measured, self._grown_by, self._tried = draft, None, None, None

    def _alone(self, passage: Passage) -> int:
        text = passage.text
        lines = _LINE * (text.count("\n") + 1)
        return self._assembly.counter.count(f"{label(passage, known=False)} {text}{lines}")

    def _draft(self, passages: Mapping[str, Passage]) -> Draft:
        return self._assembly.draft(self._turns, list(passages.values()))
