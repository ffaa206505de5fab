"""Whether something new is wanted, for which the user's wishes count, or what was said or has happened.

Known is how people put what they want made, what they want now, and how they ask for what was said. English only.
"""

from __future__ import annotations

import re

_LONGEST = 4000
"""Characters that are looked at, half of them at each end: what is pasted stands before or behind what is asked."""

_TYPED = str.maketrans({"\u2019": "'", "\u02bc": "'"})
"""One apostrophe."""

_SENTENCE = re.compile(r"\S(?:[^.!?;\n]|[.!?](?!\s|$))*[.!?;]*")
"""A sentence, as far as its mark."""

_OPENING = r"(?:(?:please|pls|plz|kindly|ok|okay|hey|hi|look|now|so|and|just|then),? )*"
"""What an order or a question may begin with."""

_PREPOSITION = r"(?:(?:about|at|by|for|from|in|of|on|to|with) )?"
"""What may stand before the word that asks: "At what time"."""

_ASKED = r"(?:can|could|would|will|may|might|should) (?:you|u|i|we)\b"
"""How people ask somebody to do something, or whether to do it."""

_MAKE = (
    r"(?:(?:code|design|draft|estimate|format|outline|phrase|plan|shape|sketch|sort|turn)\b"
    r"(?! ?\?| (?:at|for|from|in|of)\b)"
    r"|(?:add|book(?! titles?\b)|brainstorm|build|calculate|choose|come up with|compare|compose|convert|correct|create|"
    r"define|describe|do (?:a|an|the same)|draw up|edit|explain|fit|fix|generate|implement|improve|invent|lay out|make|"
    r"polish|prepare|proofread|propose|put (?:together|.{1,120}? into)|recommend|refactor|rephrase|reword|rewrite|"
    r"rework|run the numbers|set (?:out|up)|shorten|simplify|start a|suggest|take .{1,120}? and turn|teach|think of|"
    r"throw (?:me|some)|translate|walk me|work out|write)\b)"
)
"""What is new when it is done, whatever it is made of: "Turn the notes that I gave you last week into a plan". Some are
nouns, too: "code for the gate?"."""

_OBJECT = r"(?:an?|the|me|us|my|our|some|it|them|this|that|two|three|four|five|ten|\d+)\b"
"""What stands behind an order, and behind no noun that looks like one ("the budget, plan and schedule")."""

_MADE = re.compile(
    rf"^{_OPENING}(?:let'?s |(?:maybe |perhaps )?(?:you|u) (?:can|could) )?{_MAKE}"
    rf"|\b{_ASKED} (?:please |pls |just |perhaps |maybe )*{_MAKE}"
    rf"|\b(?:need|want|like|love) (?:you |u |someone |somebody )?to {_MAKE}"
    rf"|\b(?:if|hoping|wondering) (?:you|u)(?: \w+|'d) (?:help me )?{_MAKE}"
    rf"|\bhelp (?:me|us) (?:to )?{_MAKE}"
    rf"|[,:] (?:please |then |now )*{_MAKE}(?= {_OBJECT}| \")"
    r"|(?:,| )(?:please|pls|plz)[!.]*$|\bgo[!.]+$"
)
"""A sentence in which something is to be made; lower case, which is looked for in a third of the time."""

_ORDERED = r"(?:check|do me|find|get me|give|gimme|help|let'?s|list(?! of (?:my|our)\b)|name(?! of\b)|pick|show|tell)\b"
"""What may be only told: "Tell me how it ended"."""

_ORDER = re.compile(rf"^{_OPENING}(?:{_ORDERED}|(?:re(?:call|cap|mind)|summari[sz]e)\b)")
"""How an order begins that may be carried out by telling."""

_WANTED = re.compile(
    rf"\b{_ASKED}|\bhow to\b|\b(?:hoping|if|wondering) (?:you|u)(?:'d| can| could| might| will| would)\b"
    r"|\b(?:find|get|give|help|make|recommend|show|suggest|teach|tell|walk|write) (?:me|us)\b"
    r"|\bi(?:'?m| am)? (?:just |really )?(?:fancy|looking|need|planning|thinking|trying|want|working)\b"
    r"|\bneed (?:an?|some|to)\b|\b(?:advice|ideas?|recommendations?|suggestions?|tips)\b"
    r"|\bi(?:'d| would) (?:\w+ )?(?:appreciate|like|love)\b"
    r"|\bwould be (?:\w+ )?(?:good|great|helpful|lovely|nice|perfect|useful|wonderful)\b"
    r"|\b(?:any|a) chance (?:you|of)\b|\bwould you mind\b|\bif you please\b|^looking for\b"
    r"|\b(?:i|we) could (?:really |do )?(?:use|with)\b"
    r"|\bwhere do (?:i|we) (?:even )?(?:begin|start)\b|\bhow (?:do|can|should|would) (?:i|we)\b"
    r"|\bwhat(?: would be|'?s| is) (?:an?|the best) (?:good|nice|best|quick|cheap|easy|way)\b"
    rf"|^{_OPENING}{_ORDERED}"
)
"""How people put what they want now."""

_LOOKS_BACK = re.compile(
    r"\b(?:did|had|have|has|was|were) (?:i|we|you|my|our|he|she|they|it)\b"
    r"|\b(?:i|we|you)(?!(?:'ve| have) got\b)(?:'ve| have| had|'d)? (?:\w+ly |ever |already |once |last |first )?"
    r"(?:agreed|asked|been through|bought|brought|chose|covered|decided|did|discussed|gave|got|handled|learned|left|"
    r"made|mentioned|met|picked|promised|recommended|said|saw|shared|spoke|suggested|talked|told|used|went|wrote|"
    r"(?:was|were)(?! (?:just |also |really )?(?:hoping|looking|planning|thinking|trying|wondering)\b))\b"
    r"|\bdid [\w'-]+ (?:ask|mention|promise|recommend|say|suggest|tell|want)\b"
    r"|\bremind me\b|\bremember\b|\brecall\b|\bsummar|\brecap\b"
    r"|\b(?:again|ago|earlier|last (?:\w+day|week|month|year|time|spring|summer|autumn|fall|winter)|previously|so far|"
    r"yesterday)\b"
    r"|\b(?:our|this|these|my) (?:\w+ )?(?:chats?|conversations?|discussions?|sessions?|talks?|messages?)\b"
    r"|\bthe (?:\w+ )?story (?:of|with|behind)\b|\balready (?:agreed|booked|decided|done|paid|settled)\b"
    # What somebody else did to who asks: "Who was on duty at our open day?", not "How tall was Napoleon?".
    rf"|^{_OPENING}{_PREPOSITION}"
    r"(?:(?:what|who|whom|whose|which|when|where|why|how) (?:(?!(?:i|we|you|he|she|they|it|my|our)\b)[\w'-]+ ){0,5}?)?"
    r"(?:did|was|were|had) (?!hoping|looking|planning|thinking|trying|wondering)[^.!?]*"
    r"\b(?:i|me|mine|my|our|ours|us|we)\b"
)
"""How people ask for what was said or has happened."""

_QUESTION = re.compile(
    rf"^{_OPENING}{_PREPOSITION}(?:what|whats|what's|who|whos|who's|whom|whose|which|when|where|why|how|hows|is|are|was|"
    r"were|do|does|did|can|could|will|would|should|has|have|had)\b"
)
"""How a question begins that need not end with a mark."""

_OWN = re.compile(
    r"\b(?:my|our|ours|we|i'(?:d|ll|m|ve)"
    r"|(?:am|can|could|did|do|had|have|if|may|might|must|shall|should|that|was|what|when|where|will|would) i)\b"
)
"""Words of who asks, for what hardly anybody else knows. A bare "i" is a word of other languages and a number of kings,
"us" a country and "mine" a pit."""


def newness_wanted(question: str) -> float:
    """How surely something new is wanted.

    1 for a request ("Could you plan a trip?"), 0.5 for another question, which may be about anything ("How tall is
    it?"), 0 for one that looks back ("What did I say?"), and for what asks for nothing.
    """
    sentences = _sentences(question)
    if any(map(_MADE.search, sentences)):
        return 1.0
    # What comes last is asked; what stands before it tells why.
    for sentence in reversed(sentences):
        if _LOOKS_BACK.search(sentence):
            return 0.0
        if _WANTED.search(sentence):
            return 1.0
    return 0.5 * any(map(_asks, sentences))


def told_wanted(question: str) -> bool:
    """Whether it asks for what was told ("When did we go?", "Who is my dentist?"), and not for anything new.

    Other questions may do so as well ("Who is the dentist?"), and are not told from those about the world.
    """
    if newness_wanted(question) == 1.0:
        return False
    sentences = _sentences(question)
    # What stands beside it may be of oneself ("How far is the moon? My son wonders.").
    asking = [sentence for sentence in sentences if _asks(sentence) or _ORDER.match(sentence)]
    return any(_LOOKS_BACK.search(sentence) or _OWN.search(sentence) for sentence in asking)


def _sentences(question: str) -> list[str]:
    """The sentences that are looked at, in lower case."""
    if len(question) > _LONGEST:
        question = f"{question[: _LONGEST // 2]}\n{question[-_LONGEST // 2 :]}"
    return _SENTENCE.findall(question.translate(_TYPED).lower())


def _asks(sentence: str) -> bool:
    """Whether a sentence is a question."""
    return sentence.endswith("?") or _QUESTION.match(sentence) is not None
