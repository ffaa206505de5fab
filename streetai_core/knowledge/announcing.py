"""What says of itself that something has changed, whatever it is: "Change of plans", or the reply "Updated.".

A user who says "Whoops, fat fingers. SE14 6LB is right" names nothing that a rule could compare. But it is said that
something changed, by who tells it or by the assistant, which has understood it.
"""

from __future__ import annotations

import re

from streetai_core.text.letter_case import lowered

_ANNOUNCES = re.compile(
    r"\bchange of (?:plans?|heart|mind)\b|\bplans? (?:(?:have|has|just) )*changed\b"
    r"|\bchanged (?:my|our|her|his|their) minds?\b|\bplot twist\b|\bu-turn\b|\bnew plan\b|\bstand corrected\b"
    # Not "don't forget that"
    r"|(?:^|[.!,;:\u2013\u2014-] ?)(?:(?:no|ok|okay|please|actually),? )?"
    r"(?:scratch|scrap|strike|forget|ignore|disregard) (?:that|what i)\b"
    r"|\b(?:whoops|oops|oopsie|my bad|my mistake|fat fingers?)\b|^(?:(?:quick|small|slight|little) )?update\b"
    r"|\bthere['\u2019]?s (?:been )?an? (?:\w+ )?(?:change|update)\b"
    r"|\b(?:change|update) (?:on|to|re|for|about) (?:the|my|our)\b",
)
"""How somebody says that he has changed his mind or was wrong, before he says in what."""


def announces_change(text: str) -> bool:
    """Whether somebody says that what he tells has changed, or was said wrongly."""
    return _ANNOUNCES.search(lowered(text)) is not None


_DONE = (
    "adapted|adjusted|altered|amended|bumped|changed|corrected|deleted|edited|exchanged|fixed|lowered|moved|overwritten"
    "|raised|recalculated|reduced|relabell?ed|removed|renamed|replaced|rescheduled|reset|revised|shifted|swapped"
    "|switched|updated"
)
"""What a reply says was done with what it keeps: no word that is also a state ("set", "put")."""

_DOING = (
    "adapt|adjust|alter|amend|bump|change|correct|delete|edit|exchange|fix|lower|move|overwrite|raise|recalculate|reduce"
    "|relabel|remove|rename|replace|reschedule|reset|revise|shift|swap|switch|update"
)
"""What it says that it will do."""

_CONFIRMS = re.compile(
    rf"\bi(?:['\u2019]ve| have) (?:now |just |also |already )?(?:{_DONE})\b"
    rf"|\bi(?:['\u2019]ll| will|['\u2019]m going to) (?:now |just |also |then )?(?:{_DOING})\b"
    # "Subscription list updated.", "Moved to Thursday in your calendar", "The regular order is changed."
    rf"|(?:^|[.!,;:\u2013\u2014] )(?:(?!what\b|times\b|slightly\b)[\w'\u2019]+ ){{0,4}}?(?:{_DONE})(?=[.!,;]|$"
    r"| (?:it|that|the|your|everywhere|in|to|and|accordingly|throughout|too)\b)"
    r"|\b(?:thanks|thank you) for (?:the |that |letting me know about the )?(?:\w+ )?"
    r"(?:update|updating|correct\w+|change)\b"
    r"|\b(?:change|correction|update) (?:noted|made|saved|done)\b"
    r"|\bnoted (?:the|that|your) (?:change|correction|update)\b"
    # "Got it, Thursday instead."; but "Sure, take oat milk instead" is advice.
    r"|^(?:noted|got it|understood|done)\b[^.!?]*"
    r"\b(?:instead|rather than|no longer|in (?:place of|(?:his|her|its|their) place)|(?:changes?|moves?) too)\b",
)
"""What assistants say who have understood that something changed."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_OPENING = 2
"""Sentences in which an assistant says what it has done; further on it gives advice."""

_LONGEST = 300
"""Characters of them."""


def confirms_change(reply: str) -> bool:
    """Whether a reply says at its beginning that something has been changed."""
    said = _SENTENCE.split(lowered(reply[:_LONGEST].lstrip()), maxsplit=_OPENING)[:_OPENING]
    return any(_CONFIRMS.search(sentence) is not None and not sentence.endswith("?") for sentence in said)
