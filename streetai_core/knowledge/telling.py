"""Short messages that tell how something is, and whose matter it is.

In long ones some sentence shares as much with nearly any other message, so that only short ones are compared.
"""

from __future__ import annotations

import re

from streetai_core.knowledge.clauses import Clause, clauses
from streetai_core.knowledge.wording import stem, word_set

LONGEST = 45
"""Words of a message that is compared. Of what longer recorded ones would replace nine in ten were wrong."""

_LONGEST_TEXT = 2_000
"""Characters of it. What has more in so few words, such as a key, a page without spaces or one in Chinese, is no short
message, and looking through megabytes of it takes a second in which no other thread runs."""

_NOT_SO = re.compile(
    r"\b(?:(?:almost|nearly) (?:(?!hundred\b)\w{3,}ed|bought|got|left|lost|quit|sold|took|went)"
    r"|(?:was|were) to (?:be|have)|thought (?:of|about) \w+ing|could imagine|debating|propos(?:al|ed)|rumou?rs?"
    r"|jok(?:e|er|ing)|kidding)\b",
)
"""What did not come about, or is not settled."""

_BESIDE = re.compile(
    r"\b(?:also|as well|alongside|besides|in addition|next to my"
    r"|(?:this|next|coming) \w+ (?:alone|only)|for (?:today|tomorrow|tonight|a day|the day|once)|just (?:for|on)"
    r"|(?:just )?this (?:once|time)|just this week)\b",
)
"""What holds beside what is told elsewhere, or for once, and takes the place of nothing."""

_OTHERS = frozenset({"his", "her", "hers", "their", "theirs"})
"""Whose matter a sentence tells that is not of the speaker."""

_JOINED = frozenset({"and", "because", "but", "since", "so"})
"""How a clause begins that goes on with a sentence."""

_KNOWN = frozenset({"he", "she", "he's", "she's"})
"""Of whom a sentence speaks that begins so: somebody of whom was told before."""

_ACTING = frozenset(
    map(
        stem,
        word_set(
            """boss client coach dean dentist doctor landlady landlord lawyer manager nurse optician professor
            supervisor teacher therapist trainer vet"""
        ),
    )
)
"""Stems of those who change what is the speaker's: "the doctor put the dose up"."""


def short(text: str) -> tuple[Clause, ...]:
    """The clauses of a short message; none of a longer one."""
    is_long = len(text) > _LONGEST_TEXT or len(text.split(maxsplit=LONGEST)) > LONGEST
    return () if is_long else clauses(text)


def changed(text: str) -> tuple[int, ...]:
    """The places of the clauses of a short message that have a word of change."""
    return tuple(
        place
        for place, clause in enumerate(short(text))
        if clause.has_become and of_somebody(clause) and replaces(clause)
    )


def replaces(clause: Clause) -> bool:
    """Whether what it tells may stand in place of something else."""
    return not _NOT_SO.search(clause.small) and not _BESIDE.search(clause.small)


def of_somebody(clause: Clause) -> bool:
    """Whether it is told of whom or what it speaks, and of nobody else, as "The Bakers cancelled their trip" is."""
    subject = clause.subject
    begins = next((word for word in clause.lowered if word not in _JOINED), "")
    if subject.speaks_of_self or begins in _KNOWN:
        return True
    if subject.owner == "person" and subject.words.isdisjoint(_ACTING):
        return False
    return subject.owner != "other" and _OTHERS.isdisjoint(clause.lowered)
