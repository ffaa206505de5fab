"""Sentences that tell something and then ask: "I moved to Linz, which tram do I take?" tells that somebody moved."""

from __future__ import annotations

import re

_ASKS = re.compile(r"[?\uff1f]\s*$")

_AUXILIARY = r"(?:can|could|will|would|should|shall|may|might|must|do|does|did|is|are|am|was|were|has|have)"
_ABOUT = (
    r"(?:i|you|we|he|she|it|they|there|that|this|these|those|the|an?|my|our|your|his|her|their|any(?:one|thing)?"
    r"|some(?:one|thing)?)\b"
)
"""What stands behind the auxiliary of a question."""

_QUESTION = (
    rf"(?:any\b|(?:please )?{_AUXILIARY} {_ABOUT}"
    # "Which is", "who has" and "where I" go on telling.
    rf"|(?:what|how|why)(?:['\u2019]s\b| (?:\w+ ){{0,4}}?{_AUXILIARY}\b| about\b)"
    rf"|(?:who|whom|where|when) {_AUXILIARY} {_ABOUT}|(?:which|whose) (?:\w+ ){{1,4}}?{_AUXILIARY}\b)"
)
_TURN = re.compile(
    rf"(?:[,;:]|\s[-\u2013\u2014]) (?:(?:and|so|but|then|also) )*(?={_QUESTION})| (?:and|so|but) (?={_QUESTION})",
    re.IGNORECASE,
)
"""Where a sentence turns from telling to asking."""

_ONLY_WHEN = re.compile(
    r"(?:(?:and|but|so|or|then|also|ok|okay|well|hi|hey|hello|sorry|oh),? )*"
    r"(?:when(?:ever)?|once|after|before|until|till|while|as soon as|by the time|in case|assum(?:e|ing)|provided"
    r"|suppos(?:e|ing)|imagine|pretend|hypothetically|for (?:example|instance)|say|let['\u2019]?s say|even if|what if"
    r"|if|unless|whether)\b",
    re.IGNORECASE,
)
"""How a sentence begins that tells under what the question is asked, and not what is so."""

_OF_YOU = re.compile(
    r"you(?:['\u2019]ve| have)? (?:just |already |also |keep )?"
    r"(?:assumed?|claim(?:ed)?|said|say|saying|suggest(?:ed)?|think|thought|told|wrote)\b",
    re.IGNORECASE,
)
"""How a sentence begins that repeats what the listener has said, to ask about that."""

_CONFIRMING = re.compile(r"\b(?:right|correct|true|sure|ok|okay|agreed|mistake|error|typo)\b", re.IGNORECASE)
_SHORTEST = 4
"""Words of a question from which on it asks for something: "did I?" or "is that right?" ask whether it is so at all."""
_LONGEST_CONFIRMING = 6
"""Words up to which a question with such a word only wants to know that."""


def told_before_question(sentence: str) -> str | None:
    """What a sentence tells before it asks; `None` if it asks nothing, tells nothing, or asks whether that is so.

    Args:
        sentence: in English, with single spaces between its words.
    """
    if not _ASKS.search(sentence) or _ONLY_WHEN.match(sentence) or _OF_YOU.match(sentence):
        return None
    turn = _TURN.search(sentence)
    if turn is None:
        return None
    asked = sentence[turn.end() :]
    words = len(asked.split())
    only_confirms = words <= _LONGEST_CONFIRMING and _CONFIRMING.search(asked)
    asks_for_something = words >= _SHORTEST or asked.lower().startswith(("any ", "what", "how"))
    return sentence[: turn.start()] if asks_for_something and not only_confirms else None
