"""The words of a question that say how to answer it, and not what it is about; English only.

"Can you list the order in which I brought up my boats in our conversations?" is about boats. The other words are rare
in what people say otherwise, so by rarity alone they would decide what is found.
"""

from __future__ import annotations

import re

_REQUEST = (
    r"(?:please )?(?:can|could|would|will) you (?:please )?(?:help me )?(?:to )?"
    r"(?:describe|explain|give|list|name|outline|provide|recommend|remind|show|suggest|summari[sz]e|tell|walk)"
    r"(?: me| us)?(?: about| of| through)?"
)
"""How a polite request begins."""
_ORDER = (
    r"(?:please )?(?:describe|explain|give|list|name|outline|provide|remind|show|summari[sz]e|tell)(?: me| us)?"
    r"(?: about| of)?"
)
"""How a plain one begins; counts at the start of a question only."""
_SUMMARY = (
    r"(?:an?|the) (?:(?:brief|clear|complete|comprehensive|concise|detailed|full|quick|short|thorough) )*"
    r"(?:list|outline|overview|recap|summary) of(?: how)?"
)
"""What kind of answer is wanted."""
_PLACE = (
    r"(?:across|during|in|over|throughout) (?:all )?(?:of )?(?:my|our|the|these|this)(?: (?:earlier|past|previous))? "
    r"(?:chat|conversation|discussion|message|question|request|session)s?"
)
"""Where it was said: a memory has nothing else."""
_SEQUENCE = r"(?:the )?order in which|in (?:the )?(?:chronological |correct |right )?order|step by step|so far"
"""How the answer is to be arranged."""
_MENTION = (
    r"(?:did|had|have) (?:I|we|you) (?:ever )?"
    r"(?:ask|asked|bring up|brought up|discuss|discussed|mention|mentioned|said|say|talk about|talked about|tell you|"
    r"told you)"
    r"|(?:I|we|you) (?:asked|brought up|discussed|mentioned|said|talked about|told you)"
)
"""That it was said at all."""
_LIMIT = r"(?:give|include|list|mention|name|use)\b[^.?!]{0,80}\bonly\b[^.?!]{0,80}"
"""How much of it the answer may have: "Mention only three items."; a sentence of eighty characters on either side is
longer than any such limit, and keeps a text of nothing but such words from costing time."""

_FRAMES = re.compile(
    rf"^\s*(?:{_ORDER})\b|\b(?:{_REQUEST}|{_SUMMARY}|{_PLACE}|{_SEQUENCE}|{_MENTION}|{_LIMIT})(?:\b|(?=[.?!]|$))",
    re.IGNORECASE,
)


def subject_of(question: str) -> str:
    """What a question is about: its text without the words that only say how to answer; may be blank."""
    return _FRAMES.sub(" ", question)
