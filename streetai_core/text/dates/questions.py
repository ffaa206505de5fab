"""What a question wants to know about time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from streetai_core.text.alternation import any_of
from streetai_core.text.dates.expressions import asked_dates
from streetai_core.text.dates.spans import Mention, TimeSpan
from streetai_core.text.dates.vocabulary import HOLIDAY_PHRASES
from streetai_core.text.letter_case import lowered


@dataclass(frozen=True, slots=True)
class QuestionTime:
    """The times that matter to a question.

    Attributes:
        spans: The times it names, in the order of the question.
        explicit: Whether these narrow down what is wanted, so that they may filter: all of them are over, or written
            as dates, or have begun and it is asked what was. "What may I cook tonight?" names a time and filters
            nothing.
        asks_when: Whether a date or a length of time is the answer, so that messages which name dates are wanted.
        recency: Whether the newest statement is wanted ("now", "latest").
        past: Whether an early or former one is wanted ("first", "used to").
        present: Whether it plainly asks for what is ("Where do I live?").
        of_then: Whether it asks for what was ("Where did we camp?"). "Shoe size?" asks for neither plainly.
    """

    spans: tuple[TimeSpan, ...]
    explicit: bool
    asks_when: bool
    recency: bool
    past: bool
    present: bool
    of_then: bool


NO_TIME = QuestionTime((), explicit=False, asks_when=False, recency=False, past=False, present=False, of_then=False)
"""A question without any wish about time."""

_AUXILIARY = (
    r"(?:did|do|does|was|were|is|are|will|would|has|have|had|am|can|could|should|shall|might|exactly|about|'s|\u2019s)"
)
_WHEN = re.compile(
    rf"\bwhen(?:\s+|(?=['\u2019])){_AUXILIARY}\b"
    r"|\b(?:since|until|till|and|or|exactly|remember|recall|know|tell me|remind me|guess|say|said|mention(?:ed)?"
    r"|not sure|wonder(?:ing)?|about|of|on)\s+when\b"
    r"|\bwhen\s*\?"
    r"|\b(?:what|which)(?:\s+(?:exact|specific|calendar|other|particular))?\s+"
    r"(?:dates?|days?|months?|years?|weeks?|weekends?|weekday|seasons?|decade|century|time|hour|morning|evening)\b"
    r"|\bwhat(?:\s+was|\s+is|['\u2019]s)\s+(?:the|my|your|his|her|our|their)\s+(?:\w+\s+){0,3}"
    r"(?:date|deadline|birthday|anniversary|due date)\b"
    r"|\bwhose\s+birthday\b"
    r"|\bhow\s+(?:long|soon|recently)\b"
    r"|\bhow\s+(?:many|much)\s+(?:more\s+)?(?:days?|weeks?|weekends?|months?|years?|hours?|nights?|time)\b"
    r"|\bhow\s+old\b"
)
"""Questions whose answer is a date or a length of time."""

_WHEN_FIRST = re.compile(
    r"\s*when\b(?![^?.!]*,\s*(?:who|what|where|which|why|how|did|do|does|is|are|was|were|have|has)\b)"
)
""""When" at the start, where it does not open a clause of its own ("When I was in Rome, what did I eat?")."""

_RECENCY = re.compile(
    r"\b(?:latest|newest|most recent(?:ly)?|recent(?:ly)?|lately|now|nowadays|current(?:ly)?|these days|right now|still"
    r"|at (?:the moment|present|this point)|as of (?:now|today)|presently|up[- ]to[- ]date|so far|any ?more"
    r"|last time|(?<!at )(?<!at long )last|today)\b(?!\s+names?\b)"
)
_PAST = re.compile(
    r"\b(?:firstly|original(?:ly)?|initial(?:ly)?|used to|did(?:n['\u2019]t)? (?:\w+ ){1,3}?use to|previous(?:ly)?"
    r"|former(?:ly)?|back then|at the time"
    r"|in the beginning|at the start|earliest|in the past|at first|begin with"
    r"|(?<!how )(?<!years[ -])(?<!year[ -])(?<!months[ -])(?<!month[ -])old(?:er)?)\b"
)

_IN_ORDER = re.compile(r"\b(?:first(?! names?\b)(?! aid\b)|before|once)\b")
"""Words that ask for the past in a question about it, and else for a place in an order: the first sprint, what to do
before the trip."""

_PAST_VERB = (
    r"(?:(?!(?:need|feed|bleed|breed|exceed|proceed|succeed|speed|wed|shed)\b)\w+ed|ate|began|bought|came|drove|found"
    r"|gave|got|knew|left|made|met|read|said|saw|spoke|spent|told|took|taught|thought|went|won|wrote)"
)
_OF_NOW = re.compile(
    r"\b(?:am|is|are|do|does|will|shall|should|must|can|may)\b|\b(?:what|who|where|when|which|how)['\u2019]s\b"
    r"|^\W*(?:(?:and|but|so) )?(?:who|whose|which|what|how (?:many|much))\b"
)
_OF_THEN = re.compile(
    rf"\b(?:was|were|did|had|used)\b|(?<!\bam )(?<!\bis )(?<!\bare )\b(?:i|we|you|he|she|they|it|who)"
    rf" (?:\w+ly )?{_PAST_VERB}\b"
    rf"|\b(?:whose|which|what|how (?:many|much)) (?:\w+ )?{_PAST_VERB}\b"
    rf"|(?:\b(?:has|have)|['\u2019]ve)\s(?:\w+\s){{0,3}}?(?:{_PAST_VERB}|been|done|eaten|given|gone|seen|taken|written)\b"
)
"""The tense of a question: verbs of the present, or who does something, and verbs of the past, which win."""

_OF_ANY_THEN = re.compile(rf"\b(?:had|has|have|used|was|were|did)\b|\b{_PAST_VERB}\b")
"""Words of the past, where no verb tells what is."""

_DECIDED = "accept|agree|arrange|book|choose|decide|invite|order|pick|plan|register|reserve|schedule|settle|sign up"
_HAS_DECIDED = (
    "accepted|agreed|arranged|booked|chosen|decided|got|invited|ordered|picked|planned|registered|reserved|scheduled"
    "|settled|signed up"
)
_PUT = "hide|keep|lay|leave|park|put|save|stash|stick|store"
_HAS_PUT = "hidden|kept|laid|left|parked|put|saved|stashed|stuck|stored"
_HELD = re.compile(
    rf"\bdid (?:\w+ ){{1,3}}?(?:{_DECIDED})\b|\b(?:has|have) (?:\w+ ){{0,4}}?(?:{_HAS_DECIDED})\b"
    r"|\b(?:i|we) (?:agreed|arranged|booked|chose|decided|hired|invited|ordered|picked|planned|registered|reserved"
    r"|scheduled|settled|signed up|went (?:for|with))\b"
    r"|\b(?:do|does) (?:\w+ ){1,3}?have left\b|\bdid i (?:say|mention|tell you)\b"
    rf"|\bwhere (?:did (?:\w+ ){{1,3}}?(?:{_PUT})|(?:has|have) (?:\w+ ){{1,3}}?(?:{_HAS_PUT}))\b"
    r"|\bwhat did (?:i|we) (?:call|name|set)\b"
)
"""How a question asks for what was decided, told or put somewhere, or is there ("have we got"): that holds until it is
changed."""

_SUPPOSED = re.compile(r"\W*(?:and |but |so )?(?:if|imagine|say|suppose|what if)\b")
"""How a question begins that asks for what would be."""

_SINCE = re.compile(r"\bsince\s+(?:about\s+|around\s+)?$")
"""Stands before a time that goes on."""


_AGO = re.compile(r"\b(?:ago|back|earlier)\b")
"""Ends a time that is counted in numbers."""

_DISTANCE = re.compile(
    rf"\b(?:(?P<holiday>{any_of(HOLIDAY_PHRASES)})"
    r"|last|past|previous|this|current|yesterday|today|tonight|(?:day|week|month|year)(?:'?s)?)\b"
)
"""Words that say how far from now, as everybody says them of any day, and names of days that have some of these."""

_QUOTED = re.compile(
    r"\"[^\"]{0,200}\"|\u201c[^\u201d]{0,200}\u201d|\u201e[^\u201c\u201d]{0,200}[\u201c\u201d]|\u00ab[^\u00bb]{0,200}\u00bb"
    r"|(?<!\w)['\u2018][^'\u2019]{0,200}['\u2019](?!\w)"
)
"""What is said or called so, and means no time; short, for to look for the end of each of many would take long."""

_WITHIN = re.compile(r"[^\W_][,;:]?\s+$")
"""Stands before a word within a sentence."""

_BEFORE = 8
"""Characters of what stands before a word that are looked at: longer white space ends a sentence."""


def question_times(question: str, asked_at: datetime) -> QuestionTime:
    """The times that `question`, asked at `asked_at`, names and asks for.

    Dates whose year or week is left open are taken from the past unless the question speaks of the future. Linear
    in the length of the question; never raises.
    """
    mentions = asked_dates(question, asked_at)
    lower = lowered(question)
    rest = _without(lower, mentions)
    spans = tuple(_onwards(lower, mention, asked_at) for mention in mentions)
    held = _HELD.sub(" is ", rest)
    is_of_now = _OF_NOW.search(held) is not None
    of_then = (_OF_THEN if is_of_now else _OF_ANY_THEN).search(held) is not None
    past = _PAST.search(rest) is not None or (_IN_ORDER.search(rest) is not None and (of_then or not is_of_now))
    return QuestionTime(
        spans,
        explicit=bool(mentions) and all(_narrows(question, one, asked_at, of_then=past or of_then) for one in mentions),
        asks_when=_WHEN.search(rest) is not None or _WHEN_FIRST.match(rest) is not None,
        recency=_RECENCY.search(rest) is not None,
        past=past,
        present=is_of_now and not (past or of_then or _SUPPOSED.match(rest)),
        of_then=past or of_then,
    )


def without_distances(question: str, asked_at: datetime) -> str:
    """A question without the words by which its times are counted from the day on which it is asked.

    Those of a message are counted from another day: "last week" of March is none of this week's. Names of days, months
    and seasons stay, and so do quotations and titles.
    """
    lower = lowered(question).replace("\u2019", "'")
    quoted = [found.span() for found in _QUOTED.finditer(question)]
    parts, position = [], 0
    for mention in asked_dates(question, asked_at):
        if any(start < mention.start and mention.end <= end for start, end in quoted):
            continue
        for start, end in _distances(lower, mention):
            if not _is_title(question, start, end):
                parts += [question[position:start], " "]
                position = end
    return "".join([*parts, question[position:]])


def _distances(lower: str, mention: Mention) -> list[tuple[int, int]]:
    """The spans of the words of a mention that count from now."""
    if _AGO.search(lower, mention.start, mention.end):
        return [(mention.start, mention.end)]
    found = _DISTANCE.finditer(lower, mention.start, mention.end)
    return [one.span() for one in found if one["holiday"] is None]


def _is_title(question: str, start: int, end: int) -> bool:
    """Whether words have capitals within a sentence, all of them: "Last Christmas" is a song there."""
    words = question[start:end]
    has_capitals = not words.isupper() and all(one[0].isupper() or one[0].isdigit() for one in words.split())
    return has_capitals and _WITHIN.search(question[max(0, start - _BEFORE) : start]) is not None


def _onwards(lower: str, mention: Mention, asked_at: datetime) -> TimeSpan:
    """The days that a mention means in a question: "since May" goes on until it is asked."""
    if not _SINCE.search(lower, 0, mention.start):
        return mention.span
    return TimeSpan(mention.span.start, max(mention.span.end, asked_at.date()))


def _without(lower: str, mentions: list[Mention]) -> str:
    """The text without the times it names, whose "last" and "before" ask for nothing."""
    parts, position = [], 0
    for mention in mentions:
        parts += [lower[position : mention.start], " "]
        position = mention.end
    return "".join([*parts, lower[position:]])


def _narrows(question: str, mention: Mention, asked_at: datetime, *, of_then: bool) -> bool:
    """Whether a mention says which time the answer is about: it is over, has begun, or is written as a date."""
    written = any(character.isdigit() for character in question[mention.start : mention.end])
    known = mention.span.start <= asked_at.date() if of_then else mention.span.end < asked_at.date()
    return written or known
