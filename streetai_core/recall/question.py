"""What a question asks for: by meaning, by words, of whom, of what time."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime

from streetai_core.text.dates import NO_TIME, QuestionTime, question_times, without_distances
from streetai_core.text.framing import subject_of
from streetai_core.text.matters import Telling, asked_for, without_idioms
from streetai_core.text.names import SaidWords, said_words
from streetai_core.text.words import hashed, is_piece, terms
from streetai_core.types import Vector

LONGEST = 4000
"""Characters of a question whose words are looked at. What is longer is a pasted document, whose first words tell what
it is about as well, and reading it whole would cost more than the search."""

_OF_ONESELF = re.compile(
    r"\bI\b"
    r"|\b(?:am|can|could|did|do|had|have|if|may|might|must|shall|should|that|was|what|when|where|will|would)\s+i\b"
    r"|\b(?i:my|mine|myself)\b"
)
"""How people speak of themselves in English. Not by "me", because "tell me" asks about anything; and by a small "i"
only after a word of English, because it is another word in many languages."""
_OF_THE_OTHER = re.compile(r"\b(?:you|your|yours)\b", re.IGNORECASE)
"""Words for whoever is to answer, whose messages are wanted as well then."""
_REQUEST = re.compile(r"\b(?:can|could|will|would) you\b", re.IGNORECASE)
"""How a question begins out of politeness, which names nobody."""
_SAY = (
    "advise|calculate|come up with|draft|estimate|explain|give|list|mention|offer|propose|quote|recommend|say|suggest|"
    "tell|think|warn|write"
)
_SAID = (
    "advised|calculated|came up with|come up with|drafted|estimated|explained|gave|given|listed|mentioned|offered|"
    "proposed|quoted|recommended|said|suggested|thought|told|warned|written|wrote"
)
_NOW_AND_THEN = r"(?:(?:already|also|at first|ever|first|initially|just|once|originally|really) )?"
_SAID_BY_THE_OTHER = re.compile(
    rf"\b(?:did you {_NOW_AND_THEN}(?:{_SAY})|(?<!are )(?<!were )you {_NOW_AND_THEN}(?:{_SAID}))\b"
    rf"|\b(?:had|have) you {_NOW_AND_THEN}(?:{_SAID})\b"
    r"|\b(?:was|were) your (?:advice|estimate|explanation|idea|recommendation|suggestion|tip|warning)s?\b",
    re.IGNORECASE,
)
"""How people ask for what they were told; not for "your advice" or what "you would suggest", still to be given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, made ready for ranking."""

    vector: Vector | None
    """Its embedding; `None` if the encoder failed: then words decide alone."""
    turn: int
    common: float = 0.0
    """What all vectors of its encoder have in common; 0 to below 1."""
    without_messages: Collection[int] = ()
    """Sequences of messages that are shown anyway."""
    terms: tuple[int, ...] = ()
    """Hashes of the terms of what it is about, each once."""
    pieces: frozenset[int] = frozenset()
    """Those of them that are only pieces of words."""
    framing: tuple[int, ...] = ()
    """Hashes of its other terms, which only say how to answer or stand in an idiom."""
    matters: tuple[Telling, ...] = ()
    """What of a person's life it asks for, by the terms that tell of it."""
    length: int = 0
    """How many terms it has, repetitions and framing counted."""
    words: SaidWords = field(default_factory=SaidWords)
    """Its words, for the names in it."""
    of_oneself: bool = False
    """Whether it speaks of who asks, and not of whoever is to answer as well."""
    of_the_other: bool = False
    """Whether it asks for what whoever is to answer has said before."""
    time: QuestionTime = NO_TIME
    text: str = ""
    """What was asked, as far as it is looked at."""


def read_question(
    text: str,
    vector: Vector | None,
    *,
    turn: int,
    asked_at: datetime,
    without: Collection[int] = (),
    common: float = 0.0,
) -> Question:
    """The question in `text`, asked at `asked_at`."""
    text = text[:LONGEST]
    said = terms(text)
    time = question_times(text, asked_at)
    undated = without_distances(text, asked_at) if time.explicit else text
    # Who gives nothing but a time looks for its words.
    is_dated = undated != text and any(map(str.isalnum, undated))
    plain, idioms = without_idioms(subject_of(undated if is_dated else text))
    subject = dict.fromkeys(said if plain == text else terms(plain))
    # A question of nothing else is about that, unless it asks for a matter by an idiom, or for a time.
    about = dict.fromkeys([term for term in said if term in subject] or ([] if idioms or is_dated else said))
    return Question(
        vector=vector,
        turn=turn,
        common=common,
        without_messages=without,
        terms=tuple(map(hashed, about)),
        pieces=frozenset(hashed(term) for term in about if is_piece(term)),
        framing=tuple(dict.fromkeys(hashed(term) for term in said if term not in about)),
        matters=asked_for(subject, idioms),
        length=len(said),
        words=said_words(text),
        of_oneself=_speaks_of_oneself(text),
        of_the_other=bool(_SAID_BY_THE_OTHER.search(text)),
        time=time,
        text=text,
    )


def _speaks_of_oneself(text: str) -> bool:
    """Whether a question says "I" or "my", and "you" at most to be polite; English only."""
    return bool(_OF_ONESELF.search(text)) and not _OF_THE_OTHER.search(_REQUEST.sub(" ", text))
