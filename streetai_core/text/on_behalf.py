"""How a program asks on behalf of the user: of "the user's allergies", where the user would ask for "my allergies".

A model that searches its memory writes so. People tell of themselves as "I", and so are found by it. English only.
"""

from __future__ import annotations

import re

_OF_ONESELF = re.compile(r"(?<!\btell )(?<!\btold )\b(?:i|me|my|mine|our|ours|us|we)\b", re.IGNORECASE)
"""Whoever speaks of themselves means somebody else by "the user", of what they build, say. Models too say "told me"."""

_BUILT = (
    r"[ -](?:accounts?|agents?|authentication|base|data|defined|experience|flows?|forms?|friendly|groups?|guides?|ids?|"
    r"inputs?|interfaces?|logins?|management|manuals?|models?|names?|numbers?|objects?|permissions?|profiles?|records?|"
    r"registration|research|roles?|rows?|schemas?|services?|sessions?|settings|stor(?:y|ies)|tables?|tests?|testing|"
    r"tokens?|types?|ui)\b"
)
"""What users in general have."""

_OWNER = re.compile(r"\b(?:the )?(?:user['\u2019]s|users['\u2019])", re.IGNORECASE)
"""As whose something is."""

_ANY = "".join(rf"(?<!\b{word} )" for word in ("a", "each", "end", "every", "new", "per"))
"""Not behind words by which any user is meant."""

_TO = "|".join(rf"(?<=\b{word} )" for word in ("about", "by", "did", "does", "for", "from", "gave", "of", "with"))
"""Behind words that one user follows, also without "the"."""

_ONE = re.compile(
    rf"\bthe user\b(?!{_BUILT})"
    rf"|{_ANY}\buser(?= (?:has|had|is|said|told|wants?|was|\w+ed)\b)"
    rf"|(?:{_TO})user\b(?!{_BUILT})",
    re.IGNORECASE,
)
"""As somebody who does something, or to whom something is done."""

_SUBJECT = re.compile(rf"^\W*user\b(?=\W+\w)(?!{_BUILT})", re.IGNORECASE)
"""As what a list of keywords is about: "user landlord rent"."""

_ASSISTANT = re.compile(
    r"\b(?:the )?assistant(?= (?:advised?|estimated?|explain(?:ed)?|gave|give|list(?:ed)?|made|make|mention(?:ed)?|"
    r"offer(?:ed)?|propose[ds]?|quoted?|recommend(?:ed)?|said|say|should|suggest(?:ed)?|tell|told|warn(?:ed)?|write|"
    r"wrote)\b)",
    re.IGNORECASE,
)
"""How the other one is spoken of, whose messages are wanted then."""


def as_the_user_asks(question: str) -> str:
    """A question as the user would ask it; as it is, if whoever asks speaks of themselves.

    Models read over the grammar: "does I" finds no less than "do I".
    """
    small = question.lower()
    if ("user" not in small and "assistant" not in small) or _OF_ONESELF.search(question):
        return question
    question = _OWNER.sub("my", question)
    question = _ONE.sub("I", question)
    question = _SUBJECT.sub("my", question)
    return _ASSISTANT.sub("you", question)
