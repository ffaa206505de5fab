"""What all rules of the grammar share: the tokens, the day it is, and which of many years or weeks is meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from streetai_core.text.dates.calendars import holiday_of, month_of, season_of
from streetai_core.text.dates.scanning import BREAK, Token
from streetai_core.text.dates.spans import TimeSpan
from streetai_core.text.dates.tense import ARRANGED, GRANTED, Cue, cue_before, cues, direction, is_state
from streetai_core.text.dates.verbs import ABLE, CLEAR, HINT
from streetai_core.text.dates.vocabulary import UNTIL

DEEPEST = 6
"""How far expressions nest ("the day before | the end of | the week before | Easter"); it keeps the time linear."""

_WORD = re.compile(r"\w")

FIRST_YEAR, LAST_YEAR = 1900, 2099
"""Numbers of four digits outside these are not taken for years."""

_WIDEST_SEARCH = 8
"""A 29 February may be eight years away (1896 to 1904)."""


_LEADS = UNTIL | {"by", "since", "for"}
"""Words that tell by themselves on which side of now the time behind them is."""

_LEFT = frozenset(
    {"photo", "photos", "picture", "pictures", "pics", "video", "leftovers", "news", "slides", "notes", "email"}
    | {"emails", "letter", "message", "messages", "receipt", "recording", "sore", "tired", "hungover", "exhausted"}
)
"""What is left of a time behind "from": the photos from Friday are there."""

_OF_THE_TIME = frozenset(
    {"the", "edge", "early", "of", "in", "about", "dash", "weekday", "filler", "shift", "unit", "ordinal", "nth"}
    | {"number"}
)
_LONGEST_LEAD = 6
"""Words such as "the very end of" that may stand between."""

_VERBS = frozenset({"is", "isn't", "was", "will", "would"})
"""Behind "since Friday" they show that it means "because"."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a rule read: the days, the token behind it, and whether the words alone fix the days.

    `fixed` is false where the sentence had to tell whether the last or the coming one is meant.
    """

    span: TimeSpan
    end: int
    fixed: bool = True


Rule = Callable[["Reader", int], "Found | None"]
"""Reads an expression that begins at a token; `None` if there is none."""


class Reader:
    """The tokens of one stretch of text and the frame in which they are read."""

    __slots__ = ("_cues", "_default", "_depth", "_forced", "_lower", "_rules", "_tokens", "anchor", "now", "previous")

    def __init__(
        self, lower: str, tokens: list[Token], now: datetime, default: int, rules: Mapping[str, tuple[Rule, ...]]
    ) -> None:
        """Read `tokens` as said at `now`; `default` is the direction where the sentence shows none."""
        stop = Token(BREAK, "", "", len(lower), len(lower), titled=False)
        self._tokens = [*tokens, stop, stop, stop]
        self._lower = lower
        self._rules = rules
        self._default = default
        self._cues: list[Cue] | None = None
        self._depth = 0
        self._forced = 0
        self.now = now
        self.anchor = now.date()
        self.previous: TimeSpan | None = None
        """The time that was named last in these tokens."""

    @property
    def today(self) -> date:
        """The day on which it was said."""
        return self.now.date()

    def token(self, index: int) -> Token:
        """The token at `index`; before the first and behind the last one there are breaks."""
        return self._tokens[index]

    def kind(self, index: int) -> str:
        """The kind of the token at `index`."""
        return self._tokens[index].kind

    def number(self, index: int) -> int:
        """The value of a token whose kind has numbers for values; 0 for others."""
        value = self._tokens[index].value
        return value if isinstance(value, int) else 0

    def name(self, index: int) -> str:
        """The value of a token whose kind has names for values; empty for others."""
        value = self._tokens[index].value
        return value if isinstance(value, str) else ""

    def word(self, index: int) -> str:
        """The word at `index`, in lower case."""
        return self._tokens[index].word

    def skip(self, index: int, *kinds: str) -> int:
        """The index behind the token if it is of one of the `kinds`, else the same index."""
        return index + 1 if self._tokens[index].kind in kinds else index

    def character(self, position: int) -> str:
        """The character at a place of the text, a space outside it."""
        return self._lower[position] if 0 <= position < len(self._lower) else " "

    def year(self, index: int) -> int:
        """The year that the token at `index` writes, 0 if it writes none."""
        kind = self.kind(index)
        if kind == "year" or (kind == "number" and FIRST_YEAR <= self.number(index) <= LAST_YEAR):
            return self.number(index)
        return 0

    def two_years(self, index: int) -> tuple[int, int] | None:
        """The first of two years that are written as one ("2010/11", "2019-20"), and the index behind them."""
        if self.kind(index) == "years":
            return self.number(index), index + 1
        first, second = self.year(index), self.word(index + 2)
        follows = len(second) in {2, 4} and second == str(first + 1)[-len(second) :]
        if not first or self.kind(index) != "number" or self.kind(index + 1) != "dash" or not follows:
            return None
        return first, index + 3

    @property
    def nested(self) -> bool:
        """Whether the expression being read is part of another one."""
        return self._depth > 1

    def expression(self, index: int) -> Found | None:
        """The expression that begins at `index`, of any kind."""
        rules = self._rules.get(self._tokens[index].kind)
        if rules is None or self._depth >= DEEPEST:
            return None
        self._depth += 1
        try:
            for rule in rules:
                found = rule(self, index)
                if found is not None:
                    return found
        except (ValueError, OverflowError):  # 31 June, or beyond the year 9999
            return None
        finally:
            self._depth -= 1
        return None

    def expression_from(self, index: int, anchor: date, sign: int) -> Found | None:
        """The expression that begins at `index`; undecided dates are the nearest before (-1) or after (1) `anchor`."""
        saved = self.anchor, self._forced
        self.anchor, self._forced = anchor, sign
        try:
            return self.expression(index)
        finally:
            self.anchor, self._forced = saved

    def direction(self, index: int, least: int = HINT, last: int = 0) -> int:
        """Whether the sentence round a token, or the ones from it to `last`, looks back (-1) or forward (1).

        0 if it does not show it, or only by cues that are weaker than `least`.
        """
        if self._forced:
            return self._forced
        token = self._tokens[index]
        lead = self.lead(index)
        if lead < index:
            return self._led(index, lead) or self._default
        return (
            direction(self._lower, self._cues_here(), token.start, self._tokens[last or index].end, least)
            or self._default
        )

    def looks_back(self, index: int) -> bool:
        """Whether the words before a token tell plainly of the past, whatever stands behind it."""
        before = cue_before(self._cues_here(), self._tokens[index].start)
        return before is not None and before.sign < 0 and not self.is_so(index)

    def is_so(self, index: int) -> bool:
        """Whether the words before a token tell what is done now: "is processed"."""
        before = cue_before(self._cues_here(), self._tokens[index].start)
        return before is not None and is_state(self._cues_here(), before)

    def lead(self, index: int) -> int:
        """The place of the word by which the time at a token is told ("by the end of May"), `index` if none is."""
        tokens = self._tokens
        before = index - 1
        while before > index - _LONGEST_LEAD and (
            tokens[before].kind in _OF_THE_TIME
            or tokens[before].word == "around"
            or (tokens[before].kind == "comma" and tokens[before - 1].kind == "weekday")
        ):
            before -= 1
        word = self.word(before)
        told = word in _LEADS or (word == "than" and self.word(before - 1) == "later")
        told = told or (word == "from" and not _LEFT.isdisjoint((self.word(before - 1), self.word(before - 2))))
        return before if told else index

    def is_all(self, index: int, end: int) -> bool:
        """Whether the text is nothing but the time from a token to `end`, as an answer is: "March."."""
        before = _WORD.search(self._lower, 0, self._tokens[index].start)
        return before is None and _WORD.search(self._lower, self._tokens[end - 1].end) is None

    def goes_on(self, index: int, end: int) -> bool:
        """Whether the time from a token to `end` is told as one since which something is so."""
        if self.word(self.lead(index)) != "since" or self.word(end) in _VERBS:
            return False
        before = cue_before(self._cues_here(), self._tokens[index].start)
        return before is None or not before.word.startswith("had ")

    def ends_now(self, index: int, end: int) -> bool:
        """Whether only what is over of the time from a token to `end` is meant: "so far this year"."""
        before = (self.word(index - 2), self.word(index - 1))
        return "so far" in {" ".join(before), f"{self.word(end)} {self.word(end + 1)}"}

    def _cues_here(self) -> list[Cue]:
        if self._cues is None:
            self._cues = cues(self._lower, self._tokens[0].start, self._tokens[-4].end)
        return self._cues

    def _led(self, index: int, lead: int) -> int:
        """The direction of a time behind a word that tells it: deadlines are ahead, and "since" looks back."""
        token = self._tokens[index]
        known = self._cues_here()
        word = self.word(lead)
        if word == "since":
            return 1 if self.word(index + 1) in _VERBS else -1
        said = direction(self._lower, known, token.start, token.end)
        if word == "from":
            return said if direction(self._lower, known, token.start, token.end, CLEAR) else -1
        before = cue_before(known, token.start)
        if word == "for":
            arranged = before is not None and before.word in ARRANGED
            return 1 if arranged else direction(self._lower, known, token.start, token.end, ABLE)
        if before is None:
            return -1 if said < 0 and word == "by" and not self.word(lead - 1).isalpha() else 1
        if word == "by":
            return -1 if before.word in {"was", "were", "had"} or before.word.startswith("had ") else 1
        return 1 if before.word in GRANTED or is_state(known, before) else before.sign

    def yearly(self, index: int) -> Callable[[int], TimeSpan]:
        """The days of the month, season or holiday that a token names, by year."""
        number, name = self.number(index), self.name(index)
        kind = self.kind(index)
        if kind == "month":
            return lambda year: month_of(year, number)
        if kind == "season":
            return lambda year: season_of(year, name)
        return lambda year: holiday_of(year, name)

    def occurrence(self, index: int, of_year: Callable[[int], TimeSpan]) -> TimeSpan:
        """Which year's date is meant by the one at token `index`: the last, the coming or the nearest one."""
        sign = self.direction(index)
        if sign < 0:
            return self.nearest(of_year, lambda span: span.start <= self.anchor)
        if sign > 0:
            return self.nearest(of_year, lambda span: span.end >= self.anchor)
        return self.nearest(of_year, lambda _: True)

    def nearest(self, of_year: Callable[[int], TimeSpan], wanted: Callable[[TimeSpan], bool]) -> TimeSpan:
        """The `wanted` span of a year that is nearest to the anchor.

        Raises:
            ValueError: no year nearby has one.
        """
        for reach in (1, _WIDEST_SEARCH):
            spans = []
            for year in range(self.anchor.year - reach, self.anchor.year + reach + 1):
                try:
                    span = of_year(year)
                except ValueError:  # 29 February, or the end of the calendar
                    continue
                if wanted(span):
                    spans.append(span)
            if spans:
                return min(spans, key=self._distance)
        raise ValueError("there is no such day")

    def _distance(self, span: TimeSpan) -> timedelta:
        if span.contains(self.anchor):
            return timedelta(0)
        return span.start - self.anchor if span.start > self.anchor else self.anchor - span.end
