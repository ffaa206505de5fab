"""A message as the statements in it: what is asked, imagined or quoted is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from streetai_core.knowledge.aspects import aspects_of
from streetai_core.knowledge.becoming import BECOME, OVER
from streetai_core.knowledge.cues import ChangeCue, change_cue
from streetai_core.knowledge.phrases import Phrase, are_apart, phrase_of
from streetai_core.knowledge.quotes import with_notices, without_quotes
from streetai_core.knowledge.subjects import Subject, subject_of
from streetai_core.knowledge.told_and_asked import told_before_question
from streetai_core.knowledge.typed import with_apostrophes
from streetai_core.knowledge.values import ValueKind, kind_of
from streetai_core.knowledge.wording import (
    DETERMINERS,
    FUNCTION_WORDS,
    STATES,
    content_words,
    is_irregular,
    stem,
    tells_state,
    tokens,
)
from streetai_core.text.letter_case import lowered
from streetai_core.text.sentences import is_typed_small, prose_spans, sentence_spans

_LONGEST = 2000
"""Characters that are read of a message: who tells a fact says it near the start; longer ones are pasted material."""

_QUESTION = re.compile(
    r"[?\uff1f]\s*$|^(?:(?:so|and|but|hey|ok|well),? )?(?:"
    r"(?:who|what|when|where|which|why|how|whose|is|are|am|was|were|do|does|did|has|should|would|could|can|may|will|shall)"
    r"\s+(?:i|you|we|they|he|she|it|the|a|an|my|your|our|there|this|that|is|are|do|does|did|was|were|much|many|often|long"
    r"|far|old|to|can|should)"
    r"|(?:is(?! \d)|are) (?!(?:at|back|from|in|now|off|on|out|still)\b)\w+|(?:could|does|should) \w+"
    r"|(?:at|by|for|from|in|of|on|to|until|with) (?:what|which|whom|whose)"
    r"|(?:what|which|how) (?:\w+ ){1,3}(?:is|are|am|was|were|do|does|did|can|could|should|will|would)"
    r" (?:i|you|we|they|he|she|it|the|my|your|our|there|this|that))\b",
    re.IGNORECASE,
)
_IMAGINED = re.compile(
    r"^(?:(?:but|and|so|or|well|hmm+|ok(?:ay)?),? )*(?:if|unless|suppose|imagine|whether)\b"
    r"|\b(?:wish|would(?! rather)|wouldn't|might|could have|as if|what if|dream(?:ing)? of"
    r"|thinking (?:of|about)|considering)\b"
    r"|\b(?:i|we|they|he|she)['\u2019]d (?!rather|like\b|(?:already |just |never )?(?:\w{3,}ed|been|bought|chosen|done"
    r"|felt|forgotten|found|given|gone|got|had|heard|held|kept|known|left|lost|made|meant|misheard|mistaken|paid|said|seen"
    r"|sent|sold|spent|taken|thought|told|understood|won|written)\b)\w"
    r"|\b(?:not (?:quite |really |entirely )?sure|unsure|don['\u2019]t know|do not know|wonder|wondering|no idea)"
    r" (?:if|whether|how|what|where|why|when|who|which)\b",
    re.IGNORECASE,
)
STATE_STEMS = frozenset({"keep", "stay", "liv", "tak", "us", "get", "go", "lik", "prefer", "host", "pay"})
"""Verbs of state that say nothing about the subject: who keeps and who transfers savings speaks of savings."""

_LONG_SENTENCE = 20
"""Words up to which a sentence is taken as one statement."""

_JOINT = re.compile(
    r"(?:,\s+|\s+)(?=(?:and|but|so|because|since|while|although)\s+(?:i|we|my|our|now|the|it|they|he|she|that)\b)"
    r"|;\s+",
    re.IGNORECASE,
)
"""Where a long sentence falls into its main clauses."""

_WHICH = re.compile(r",\s+which\s+", re.IGNORECASE)
_OF_THE_SAME = re.compile(r"(?:has|have|now|just|recently|(?:is|are) now)\b", re.IGNORECASE)
"""How a relative clause begins that says what became of what stands before it."""

_OF_ANOTHER = re.compile(r"(?:i|we|my|our|he|she|they|it|the)\b", re.IGNORECASE)
"""How one begins that says something of somebody else. What any other says is of the thing before it, and no news."""

_SUBJECT = 3
"""Words within which a sentence names what it is about: "the boat 31"."""

_NOUN_PHRASE = 8
"""Words before a relative clause in which what it is about begins."""

_CALLED_OUT = re.compile(r"(?<=!)\s+")
"""What stands behind an exclamation mark is a sentence of its own, with a small letter too."""

_SYMBOLS = re.compile(r"[{}<>=;|\\]")
_FEW_SYMBOLS = 3
"""So many symbols make a line of code or a table, which states no fact of its writer."""

_LONGEST_CLAUSE = 40
"""Words of one statement; longer ones are lists and pasted material."""

_SPLICE = re.compile(
    r",\s+so\s+|:\s+(?=(?:\w+|(?:i|we|it)['\u2019]\w+)\s+\w+\s+\w)"
    r"|,\s+(?=(?:the|my|our|i|we|i['\u2019](?:m|ve)|we['\u2019](?:re|ve)|it['\u2019]s)\s"
    r"|(?-i:[A-Z])[\w'\u2019]+\s(?:has|have|had|is|was|are|were|will)\s)"
    r"|\s+and\s+(?=(?:i|we|it|he|she|they)['\u2019](?:m|s|re|ve)\s)"
    r"|\s+and\s+(?=(?-i:[A-Z])\w+(?:['\u2019]s|\s+(?:is|was|lives|works|has))\s)",
    re.IGNORECASE,
)
"""Where a comma stands between two main clauses, or "and" before somebody or something with a name."""

_ADDRESSED = re.compile(
    r"^(?:(?:hey|hi|hello|thanks|thank you|sorry|wow|oh|congrats|yeah|ok|okay)[, ]+)+(?-i:[A-Z]\w+)[,!.]+\s*",
    re.IGNORECASE,
)
"""The listener's name at the beginning, which is no part of what is told."""

_NEGATED = re.compile(
    r"\b(?:no|not|never|nothing|stopped|quit|cancelled|without|gave up)\b|n['\u2019]t\b", re.IGNORECASE
)

_LEAD = re.compile(
    r"^(?:actually|sorry|since|for|after|from|in|on|at|as|instead|with|when|because|before|by|until|during|starting)\b"
    r"[^,.;]{0,60},\s+",
    re.IGNORECASE,
)
"""What stands before the main clause."""

_TITLE = re.compile(r"\b(Mr|Mrs|Ms|Dr|St|No|Prof)\.(?=\s)")
"""Abbreviations whose dot ends no sentence."""

_REPORTED = re.compile(r"^\s*(?:they|people|he|she) (?:say|says|said)\b", re.IGNORECASE)
_ELSEWHERE = re.compile(
    r"^\s*(?:in (?:chapter|act|scene|episode|season|(?:my|the) (?:novel|story|tale|book|play|script|essay|dream))\b"
    r"|(?:please )?write (?:me )?an? (?:\w+ )?(?:essay|joke|poem|scene|song|story|tale)\b"
    r"|(?:someone|somebody|people) (?:told|tells?|said|says?)\b|back (?:in|then)\b"
    r"|(?:let['\u2019]?s )?(?:role-?play|pretend)\b"
    r"|(?:please )?(?:translate|proofread|rephrase|paraphrase|summari[sz]e|rewrite)\b(?!['\u2019])[^:]{0,60}:"
    r"|(?:(?:many|some|a few|two|three|five|ten|twenty|\d{1,2}) )?(?:years|decades|ages) ago\b)"
    r"|\b(?:told me|tells me|heard|mentioned|wrote|dream(?:s|t|ed))(?: that)? (?:his|her|their|he|she|they)\b",
    re.IGNORECASE,
)
"""How a sentence begins that tells of a story, is there to be worked on, or long past, and whom others tell of."""


@dataclass(frozen=True, kw_only=True)
class Clause:
    """One statement: a sentence that says how something is.

    What only a comparison asks for is worked out then, for most messages are compared with none.
    """

    sentence: str
    words: tuple[str, ...]
    """As written, in order."""
    cue: ChangeCue | None

    @cached_property
    def small(self) -> str:
        """The sentence in small letters."""
        return lowered(self.sentence)

    @cached_property
    def lowered(self) -> tuple[str, ...]:
        """The words in lower case, with straight apostrophes."""
        return tuple(word.lower().replace("\u2019", "'") for word in self.words)

    @cached_property
    def content(self) -> frozenset[str]:
        """Stems of the words that carry the subject and the value."""
        return frozenset(
            root for root, word in zip(self._stems, self.lowered, strict=True) if word not in FUNCTION_WORDS
        )

    @cached_property
    def topic(self) -> frozenset[str]:
        """The stems without values."""
        return self.content - self.valued - STATE_STEMS

    @cached_property
    def topic_words(self) -> tuple[str, ...]:
        """The words of the topic in lower case, without those that have forms which no ending tells ("children").

        Other stemmers know most forms with the same ending as one word too ("experiencing" is an exception), but not
        those.
        """
        return tuple(
            word
            for root, word in zip(self._stems, self.lowered, strict=True)
            if root in self.topic and not is_irregular(root)
        )

    @cached_property
    def valued(self) -> frozenset[str]:
        """The stems of the values: numbers, dates, colours, names."""
        return self.content.intersection(root for root, kind in zip(self._stems, self.kinds, strict=True) if kind)

    @cached_property
    def names(self) -> frozenset[str]:
        """The stems of names, handles and addresses."""
        return frozenset(
            root for root, kind in zip(self._stems, self.kinds, strict=True) if kind in {"name", "contact"}
        )

    @cached_property
    def subject(self) -> Subject:
        """Who or what it is about."""
        return subject_of(tokens(_LEAD.sub("", self.sentence)))

    @cached_property
    def values(self) -> frozenset[ValueKind]:
        """The kinds of its values."""
        return frozenset(kind for kind in self.kinds if kind)

    @cached_property
    def aspects(self) -> frozenset[str]:
        """The aspects of a life that it speaks of."""
        return aspects_of(frozenset(self._stems))

    @cached_property
    def state(self) -> bool:
        """Whether it tells what holds until further notice, not what happened once."""
        return self.cue is not None or tells_state(self.lowered)

    @cached_property
    def negated(self) -> bool:
        """Whether it denies something."""
        return _NEGATED.search(self.sentence) is not None

    @cached_property
    def has_become(self) -> bool:
        """Whether it says that something has become so."""
        return BECOME.search(self.small) is not None

    @cached_property
    def is_over(self) -> bool:
        """Whether it says that something is over, not so, or made otherwise."""
        return OVER.search(self.small) is not None

    @cached_property
    def units(self) -> frozenset[str]:
        """The stems that follow a number: what is counted."""
        return frozenset(
            following for kind, following in zip(self.kinds, self._stems[1:], strict=False) if kind == "number"
        )

    @cached_property
    def numbered(self) -> tuple[str, str] | None:
        """The thing with a number of which it tells another value, as (stem, number): "Boat 31 lies at berth 7"."""
        for place in range(min(len(self.words) - 1, _SUBJECT)):
            word, number = self.lowered[place], self.words[place + 1]
            if word in FUNCTION_WORDS:
                continue
            follows = self.lowered[place + 2 : place + 3]
            is_thing = number.isdigit() and self.kinds[place] is None and follows and follows[0].isalpha()
            told = any(self.kinds[place + 2 :]) or follows[0:1] == ("now",) or not STATES.isdisjoint(follows)
            return (self._stems[place], number) if is_thing and told else None
        return None

    @cached_property
    def phrase(self) -> Phrase | None:
        """What it is about, as a noun phrase."""
        return phrase_of(tokens(_LEAD.sub("", self.sentence)))

    def is_of_another(self, other: Clause) -> bool:
        """Whether both tell of things of one kind that a number or a word tells apart: of another boat, exam, room."""
        mine, theirs = self.numbered, other.numbered
        if mine is not None and theirs is not None and mine[0] == theirs[0] and mine[1] != theirs[1]:
            return True
        this, that = self.phrase, other.phrase
        if this is None or that is None or not are_apart(this, that):
            return False
        # What is said to become something else is named too.
        return not (that.telling - this.telling) & self.content

    @cached_property
    def old_value(self) -> frozenset[str]:
        """Stems of the old value, where the cue says it."""
        if self.cue is None or not self.cue.old:
            return frozenset()
        return content_words(tokens(self.sentence[slice(*self.cue.old)]))

    @cached_property
    def _stems(self) -> tuple[str, ...]:
        return tuple(stem(word) for word in self.lowered)

    @cached_property
    def kinds(self) -> tuple[ValueKind | None, ...]:
        """The kind of value that each word is."""
        return tuple(kind_of(word, first=place == 0) for place, word in enumerate(self.words))


@lru_cache(maxsize=4096)
def clauses(text: str) -> tuple[Clause, ...]:
    """The statements in `text`, in order; none for a question, a thought experiment or a quotation.

    Args:
        text: a message without its code. What stands in quotes is read only if it is some notice, and nothing after
            2,000 characters.
    """
    readable = with_apostrophes(with_notices(_TITLE.sub(r"\1", text[:_LONGEST])))
    return tuple(clause for sentence in _sentences(readable) for part in _parts(sentence) if (clause := _clause(part)))


def _sentences(text: str) -> Iterator[str]:
    """The sentences of a text, those that begin with a small letter too, where it is typed so."""
    small = is_typed_small(text)
    for start, end in sentence_spans(text):
        for first, last in prose_spans(text, start, end, small=True) if small else ((start, end),):
            yield from _CALLED_OUT.split(text[first:last])


def _spliced(sentence: str) -> list[str]:
    """A short sentence, and its main clauses if it has several, the last one behind it: each may tell a fact anew."""
    parts = _SPLICE.split(sentence)
    if len(parts) == 1 or _IMAGINED.search(parts[0]):
        return [sentence]
    return [*parts[:-1], sentence, parts[-1]]


def _parts(sentence: str) -> list[str]:
    """The sentence, or its main clauses if it is long: one that tells a lot is about more than one thing."""
    if _ELSEWHERE.search(sentence):
        return []
    if _QUESTION.search(sentence):
        told = told_before_question(" ".join(sentence.split()))
        return [] if told is None else _parts(told)
    if len(sentence.split(maxsplit=_LONG_SENTENCE)) <= _LONG_SENTENCE:
        return _spliced(sentence)
    return [clause for part in _JOINT.split(sentence) if part for clause in _with_relative(part)]


def _with_relative(part: str) -> list[str]:
    """A main clause, and its relative clauses as sentences of their own."""
    main, *others = _WHICH.split(part)
    return [
        main,
        *(f"{_last_noun(main)} {one}" for one in others if _OF_THE_SAME.match(one)),
        *(one for one in others if _OF_ANOTHER.match(one)),
    ]


def _last_noun(clause: str) -> str:
    """The noun phrase at the end of a clause, with what belongs to it: "the price of a ticket"."""
    words = clause.split()[-_NOUN_PHRASE:]
    return " ".join(words[next((place for place, word in enumerate(words) if word.lower() in DETERMINERS), 0) :])


def _clause(sentence: str) -> Clause | None:
    sentence = _ADDRESSED.sub("", without_quotes(sentence).strip())
    if not sentence or _QUESTION.search(sentence) or _REPORTED.search(sentence):
        return None
    if _IMAGINED.search(sentence) or len(_SYMBOLS.findall(sentence)) >= _FEW_SYMBOLS:
        return None
    words = tokens(sentence)
    if len(words) > _LONGEST_CLAUSE:
        return None
    return Clause(sentence=sentence, words=words, cue=change_cue(sentence))
