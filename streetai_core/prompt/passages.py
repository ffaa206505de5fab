"""What is shown of a recalled message: all of it, or of a long one the part that matched with its surroundings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from streetai_core.config import Config
from streetai_core.prompt.packing import most_tokens
from streetai_core.prompt.parts import LEAST_PIECES, Span, best_parts, joined, nothing_between, united
from streetai_core.text.characters import cut_near
from streetai_core.text.chunking import sentence_spans
from streetai_core.text.cutting import first_border, last_border
from streetai_core.tokens import TokenCounter
from streetai_core.types import Hit, Message

_LONGEST_STRETCH = 20_000
"""Characters behind a passage that are looked at; more never fits."""

_LONGEST_QUESTION = 240
"""Characters up to which the message that asked is shown whole beside its answer; of a longer one the last sentence, or
of that the last words."""


@dataclass(frozen=True, slots=True)
class Passage:
    """The parts of one message that are shown, and the hits that they are shown for."""

    message: Message
    spans: tuple[Span, ...]
    hits: tuple[Hit, ...] = ()
    asked: Passage | None = None
    """The question that it answers, where it means nothing alone."""
    text: str = field(init=False)
    """The parts in order, with marks where something is left out."""
    day: str = field(init=False)
    """When it was said, as a label shows it."""
    is_replaced: bool = field(init=False)
    """Whether a later statement has replaced what it is shown for."""

    def __post_init__(self) -> None:
        """Put the text together once: it is counted and quoted many times while a prompt is filled."""
        content = self.message.content
        parts = joined(content, self.spans)
        before = "[...] " if self.spans and not nothing_between(content, 0, self.spans[0][0]) else ""
        after = " [...]" if self.spans and not nothing_between(content, self.spans[-1][1], len(content)) else ""
        object.__setattr__(self, "text", before + parts + after)
        object.__setattr__(self, "day", self.message.created_at.date().isoformat())
        object.__setattr__(self, "is_replaced", any(hit.replaced for hit in self.hits))


def whole(message: Message) -> Passage:
    """All of a message."""
    return Passage(message, ((0, len(message.content)),))


def as_asked(message: Message) -> Passage:
    """What is shown of a message that ends with a question, for the answer's sake."""
    text = message.content.rstrip()
    if len(text) <= _LONGEST_QUESTION:
        return whole(message)
    start, end = sentence_spans(text)[-1]
    if end - start > _LONGEST_QUESTION:
        cut = end - _LONGEST_QUESTION
        begin = first_border(text, cut, end)
        start = begin if begin >= 0 else cut_near(text, cut, start, end)
    return Passage(message, ((start, end),))


def with_questions(passages: Iterable[Passage]) -> list[Passage]:
    """The passages, each message once, and the questions that they answer."""
    shown = {passage.message.message_id: passage for passage in passages}
    for question in [passage.asked for passage in shown.values() if passage.asked is not None]:
        key = question.message.message_id
        known = shown.get(key)
        if known is None:
            shown[key] = question
        else:
            shown[key] = replace(known, spans=united(known.message.content, (*known.spans, *question.spans)))
    return list(shown.values())


class Excerpts:
    """Makes passages; remembers the sentences of the long messages of one prompt.

    Args:
        config: the settings.
        counter: counts tokens.
        room: tokens that there are for all passages together; infinite where nothing limits them.
        asked: id of a message that means nothing alone -> the message whose question it answers.
        pieces: id of a long message -> its pieces, those that say most of what is asked first; of others what stands
            around a hit is shown with it.
    """

    def __init__(
        self,
        config: Config,
        counter: TokenCounter,
        room: float,
        asked: Mapping[str, Message] | None = None,
        pieces: Mapping[str, Sequence[Span]] | None = None,
    ) -> None:
        self._config = config
        self._counter = counter
        self._room = room
        self._asked = {answer: as_asked(message) for answer, message in (asked or {}).items()}
        self._pieces = pieces or {}
        self._sizes: dict[str, int] = {}
        self._most: dict[str, float] = {}
        self._sentences: dict[str, list[Span]] = {}

    def size(self, message: Message) -> int:
        """Tokens of all of a message."""
        size = self._sizes.get(message.message_id)
        if size is None:
            size = self._sizes[message.message_id] = self._counter.count(message.content)
        return size

    def cost(self, message: Message) -> int:
        """Tokens of all of a message, and of the question that it answers if it means nothing alone."""
        question = self._asked.get(message.message_id)
        return self.size(message) + (0 if question is None else self._counter.count(question.text))

    def choices(self, hit: Hit, message: Message, shown: Passage | None) -> list[Passage]:
        """Passages for a hit, the better one first, grown from what is already `shown` of its message.

        Code is worth most as a whole: its fence comes first, however long, then what any other text gets. What means
        nothing alone comes with the question that it answers, and alone if there is no room for both.
        """
        parts = [self._parts(hit, message)]
        if self._config.passage == "message" and hit.signal.kind == "code":
            parts.insert(0, ((hit.signal.block_start, hit.signal.block_end),))
        passages = [_grown(shown, hit, message, spans) for spans in dict.fromkeys(parts)]
        question = self._asked.get(message.message_id)
        return passages if question is None else [*(replace(one, asked=question) for one in passages), *passages]

    def _parts(self, hit: Hit, message: Message) -> tuple[Span, ...]:
        """What to show for one hit."""
        start, end = hit.signal.start, hit.signal.end
        if self._config.passage == "chunk":
            return ((start, end),)
        if self.size(message) <= self._most_tokens(message):
            return ((0, len(message.content)),)
        if hit.signal.kind == "code":
            return (self._with_surroundings(message, start, self._head(message, start, end)),)
        pieces = self._pieces.get(message.message_id, ())
        if len(pieces) >= LEAST_PIECES and pieces[0] == (start, end):
            return best_parts(message.content, pieces, self._most_tokens(message), self._counter.count)
        return (self._with_surroundings(message, start, end),)

    def _head(self, message: Message, start: int, end: int) -> int:
        """Where to cut code that is longer than a passage: after the last line that fits, but not before the first.

        An encoder without a limit has a whole fence in one chunk.
        """
        stops = [stop for _, stop in sentence_spans(message.content, start, end)]
        if not stops:
            return end
        fitting = _most_that_fit(
            len(stops), lambda count: self._fits(message, message.content[start : stops[count - 1]])
        )
        return stops[max(fitting, 1) - 1]

    def _with_surroundings(self, message: Message, start: int, end: int) -> Span:
        """The span grown by whole sentences, after it and before it in turn, while it fits."""
        sentences = self._sentences.get(message.message_id)
        if sentences is None:
            sentences = self._sentences[message.message_id] = sentence_spans(message.content)
        ends = [end, *(stop for _, stop in sentences if stop > end)]
        starts = [start, *(first for first, _ in reversed(sentences) if first < start)]

        def fits(before: int, after: int) -> bool:
            return self._fits(message, message.content[starts[before] : ends[after]])

        # What no longer fits on one side never will: the passage grows on both sides at first, then on one of them.
        both = _most_that_fit(min(len(starts), len(ends)) - 1, lambda count: fits(count, count))
        after = both + _most_that_fit(len(ends) - 1 - both, lambda more: fits(both, both + more))
        before = both
        if after == both:
            before += _most_that_fit(len(starts) - 1 - both, lambda more: fits(both + more, both))
        start, end = starts[before], ends[after]
        end = self._stretched(message, start, end)
        return self._stretched_back(message, start, end), end

    def _stretched(self, message: Message, start: int, end: int) -> int:
        """Where the passage ends with the part that fits of what follows it: whole lines, else whole words."""
        text = message.content
        low, high = end, min(len(text), end + _LONGEST_STRETCH)
        while low < high:
            middle = (low + high + 1) // 2
            if self._fits(message, text[start:middle]):
                low = middle
            else:
                high = middle - 1
        if low in (end, len(text)):
            return low
        line = text.rfind("\n", end + 1, low)
        return max(end, last_border(text, end, low)) if line < 0 else line

    def _stretched_back(self, message: Message, start: int, end: int) -> int:
        """Where the passage starts with the whole words that fit of the sentence before it.

        At the end of a message nothing follows that could fill the passage.
        """
        text = message.content
        low, high = max(0, start - _LONGEST_STRETCH), start
        while low < high:
            middle = (low + high) // 2
            if self._fits(message, text[middle:end]):
                high = middle
            else:
                low = middle + 1
        if low in (start, 0):
            return low
        begin = first_border(text, low, start - 1)
        return start if begin < 0 else begin

    def _fits(self, message: Message, text: str) -> bool:
        """Whether a part of a message is short enough to be shown."""
        return self._counter.count(text) <= self._most_tokens(message)

    def _most_tokens(self, message: Message) -> float:
        """Most tokens of a message that are shown."""
        most = self._most.get(message.message_id)
        if most is None:
            most = self._most[message.message_id] = most_tokens(self.size(message), self._room, self._config)
        return most


def _most_that_fit(most: int, fits: Callable[[int], bool]) -> int:
    """The largest number from 1 to `most` that fits, 0 if none does; none fits that is larger than one that does not.

    Small ones are tried first: to ask of a large one is to count a long text.
    """
    low, high = 0, 1
    while high <= most and fits(high):
        low, high = high, 2 * high
    high = min(high, most + 1)
    while high - low > 1:
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return low


def _grown(shown: Passage | None, hit: Hit, message: Message, spans: Sequence[Span]) -> Passage:
    """The passage with some more parts, and one more hit."""
    if shown is None:
        return Passage(message, tuple(spans), (hit,))
    return replace(shown, spans=united(message.content, (*shown.spans, *spans)), hits=(*shown.hits, hit))
