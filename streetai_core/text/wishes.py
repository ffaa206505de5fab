"""What somebody wants from now on ("Always use metric units.", "I'd rather take the train"), and for what it counts.

A request seldom has a word in common with a wish that bears on it, and embeddings bring "How tall is it?" no nearer to
metric units than to other talk. Known is how wishes are put: orders for always and never, for the future, for whenever
something is asked; what is preferred; and what binds every suggestion, as an allergy does. English only.
"""

from __future__ import annotations

import re
from functools import cache

from streetai_core.text.triggers import Triggers
from streetai_core.text.words import hashed

WISH = hashed("\0wish")
"""Stands among the terms of a message that states a wish. No text has this term: the character is in no word."""

_LONGEST = 4000
"""Characters of a message that are looked at; what is longer is a document or code, and no wish of a person's."""

_TYPED = str.maketrans({"\u2019": "'", "\u02bc": "'"})
"""One apostrophe."""

_START = r"(?:^|(?<=[.!?;:,\n])|\b(?:and|but|so|also|please|pls|plz|just|ok|okay|oh|btw|hey|thing|note)\b[,:]?)\s{0,3}"
"""Where an order begins: a sentence, a part of one, or behind a word that leads over to it."""

_ORDER = (
    r"(?:address|answer|ask|assume|avoid|be|book|bother|bring|call|check|cite|comment|convert|default|do|double-check|"
    r"end|ever|explain|expect|forget|format|give|go|include|indent|joke|keep|lecture|leave|limit|link|list|make|mention|"
    r"name|offer|open|point|praise|prefer|propose|provide|put|quote|recommend|refer|remember|remind|reply|respond|round|"
    r"say|send|show|sign|skip|speak|spell|start|stick|suggest|summari[sz]e|take|talk|tell|translate|treat|try|turn|use|"
    r"warn|wrap|write)\b"
)
"""What one is told to do, or not to do, time and again."""

_ANSWERING = (
    r"(?:answer|book|explain|find|format|give|help|make|mention|plan|quote|recommend|refer|reply|respond|say|send|show|"
    r"suggest|talk|teach|tell|use|write)\b"
)
"""What whoever is to answer does."""

_BRINGING_UP = r"(?:ask|bring|mention|need|paste|request|say|send|share|talk|want|write)(?:ing)?\b"
"""What whoever asks does."""

_DOING = r"(?!(?:are|can|have|know|like|need|said|think|want)\b)\w+"
"""What one may do about anything, but not what every "anything you need" says."""

_LIVING = (
    r"(?:(?:do|have)\b(?! (?:all|it|that|them|this|time)\b)|(?:drink|drive|eat|fly|own|smoke|stand|touch|use|wear)\b)"
)
"""What people do or leave alone, as a habit."""

_EVERY_TIME = r"(?:when|whenever|if|any ?time|every ?time|each time|next time|once)"

_FORMS = (
    # Always and never.
    ("always never", rf"{_START}(?:always|never) {_ORDER}"),
    (
        "don't dont not stop quit",
        rf"{_START}(?:do not|don't|dont|stop|quit) (?:ever |always |keep )?(?:{_ORDER}|\w+ing\b)",
    ),
    (
        "always ever every each throughout",
        r", ?(?:always|every ?where|ever|(?:each|every) time|throughout) ?(?:[,.!;:]|$)",
    ),
    # From now on.
    ("from", r"\bfrom (?:now|here|today|this point) on(?:wards?)?\b"),
    ("future forward henceforth default", r"\b(?:going forward|in (?:the )?future|henceforth|by default)\b"),
    ("unless until", r"\b(?:unless|until) I (?:say|ask|tell)\b"),
    (
        "every goes agree rule hold",
        r"\b(?:as a general rule|my rule|every time after|that goes for|let's agree|hold me to)\b",
    ),
    (
        "mind know record fyi",
        r"\b(?:(?:bear|keep) (?:\w+ )?in mind|just so you know|you should know|(?:for the|on) record|fyi)\b",
    ),
    # Whenever something is asked or done.
    ("when if time once", rf"\b{_EVERY_TIME} (?:I|we)(?:'m| am| are)?(?: ever)? {_BRINGING_UP}"),
    ("when if time once", rf"\b{_EVERY_TIME}(?: that)? you (?:do |ever )?{_ANSWERING}"),
    ("when", rf"\bwhen \w+ing\b[^.?!]{{0,60}}, (?:I\b|please\b|{_ORDER})"),
    (
        "you",
        rf"\b(?:anything|everything|whatever|(?:all|any|each|every) \w+(?: \w+)?)(?: that)? you (?:do |ever )?{_DOING}",
    ),
    # What is preferred.
    (
        "prefer rather favo",
        r"\bI(?: \w+ly|'d| would| do| much| just| still| always| kind of)* (?:prefer \w+|rather\b|favou?r )",
    ),
    (
        "prefer person",
        r"\b(?:my (?:\w+ )?preferences? (?:is|are|for)|(?:is|are) my preference|preferably|I'm an? \w+ person)\b",
    ),
    ("you", r"\bI(?:'d| would| really| do)* (?:like|love|need|want|expect|appreciate it)(?: it)? (?:if|for) you\b"),
    ("you", r"\bI(?:'d| would| really| do)* (?:like|love|need|want|expect) you (?:always |never |not |only )*to\b"),
    ("like", r"\bI(?:'d| would) like (?:all|any|every|my|the|your)\b"),
    ("drives", r"\bdrives me (?:crazy|insane|mad|nuts|up the wall)\b"),
    ("when if", r"\b(?:hate|annoys me|bothers me|like it|love it) (?:when|if)\b"),
    # How to answer.
    (
        "no stick away clear refrain",
        r"\b(?:no need (?:for|to)|stick (?:to|with)|stay away from|steer clear of|refrain from)\b",
    ),
    ("avoid skip keep", rf"(?:\bplease skip\b|{_START}(?:avoid|keep (?:all |any |everything|it |the |things |your )))"),
    ("call address", rf"{_START}(?:call|address) me\b(?! (?:at|back|before|in|later|on|to|tomorrow|when)\b)"),
    (
        "answer reply respond speak talk write",
        rf"{_START}(?:answer|reply|respond|speak|talk|write)(?: back| me| to me)? (?:always |only )?in (?!the\b)\w+",
    ),
    ("use", rf"{_START}use (?:just |only )?\w+(?: \w+){{0,3}} (?:for (?:all|every)|everywhere|instead of|not|when)\b"),
    ("could can would", r"\b(?:could|can|would) (?:we|you) (?:always|avoid|drop|never|not|stop)\b"),
    ("assume", r"\bassume (?:I|my|that|the|we)\b"),
    # What binds every suggestion.
    ("not n't dont cant never", rf"\b(?:I|we) (?:do not|don't|dont|can't|cant|cannot|never|won't) {_LIVING}"),
    ("not n't doesnt", r"\b(?:does not|doesn't|doesnt) (?:eat|drink)\b"),
    ("no always please pls", rf"{_START}(?:no (?!\w+ing\b)|always |never )\w+[^.?!\n]{{0,60}}\b(?:please|pls|plz)\b"),
    ("no for", rf"{_START}no \w+(?: (?:and|or) \w+)? for me\b"),
    ("not nothing", r"\b(?:not a fan of|nothing (?:but|from|made|over|political|that|too|under|with))\b"),
    ("out", r"\b(?:leave|keep|cut) (?:\w+ )?out\b"),
    ("has", r"\b(?:all of it|any\w*|each|every\w*|it all|you \w+(?: \w+){0,3}) has to be\b"),
    ("best", r"\bI (?:learn|read|sleep|think|work) best\b"),
    (
        "allerg intoleran vegan vegetarian coeliac celiac halal kosher",
        r"\b(?:allerg(?:ic|y|ies)|intoleran(?:t|ce)|vegan|vegetarian|coeliac|celiac|halal|kosher)\b",
    ),
    ("dyslexic diabetic blind teetotal wheelchair", r"\b(?:dyslexic|diabetic|colou?r[- ]?blind|teetotal|wheelchair)\b"),
)
"""How a wish is put, behind parts of words of which it has one: to look for these takes a tenth of the time."""

_NO_WISH = re.compile(
    r"\bnever (?:been|had|heard|mind|say never|seen)\b"
    r"|\b(?:boss|brother|dad|he|husband|mom|mother|mum|she|sister|they|who|wife) (?:always |never )?"
    r"(?:prefer|said|say|tell|told|want)(?:s|ed|red)?\b",
    re.IGNORECASE,
)
"""What is put like a wish and is none, and wishes of others."""

_ORDERED = (
    r"(?:add|book(?! titles?\b)|build|calculate|check|compare|compose|convert|create|describe|design|draft|edit|"
    r"explain|find|fit|fix|generate|give|help|lay out|list(?! of (?:my|our)\b)|make|name(?! of\b)|outline|pick|plan|"
    r"prepare|proofread|propose|put together|recommend|refactor|rewrite|set up|shorten|show|sketch|sort|suggest|teach|"
    r"tell|translate|turn|walk|write)\b"
)
_REQUEST = re.compile(
    r"\b(?:(?:can|could|would|will|may|might|should) (?:you|i|we)\b|how to\b"
    r"|(?:find|get|give|help|make|recommend|show|suggest|teach|tell|walk|write) (?:me|us)\b"
    r"|i(?:'?m| am)? (?:fancy|looking|need|planning|thinking|trying|want|working)\b|need (?:an?|some|to)\b"
    r"|(?:advice|ideas?|recommendations?|suggestions?|tips)\b)"
    rf"|(?:^|[.!,:;]\s*)(?:please |pls |ok,? |okay,? |hey,? |hi,? |now |so |and )*{_ORDERED}"
)
"""How people put what they want now; lower case, which is looked for in a third of the time."""

_LOOKS_BACK = re.compile(
    r"\b(?:did|had|have|has|was|were) (?:i|we|you|my|our|he|she|they|it)\b"
    r"|\b(?:i|we|you)(?:'ve| have| had|'d)? (?:\w+ly |ever |already |once |last |first )?"
    r"(?:asked|bought|brought|chose|covered|decided|did|discussed|gave|got|handled|learned|left|made|mentioned|met|"
    r"picked|promised|recommended|said|saw|shared|spoke|suggested|talked|told|used|was|went|were|wrote)\b"
    r"|\bremind me\b|\bremember\b|\brecall\b|\bsummar|\brecap\b"
    r"|\b(?:again|ago|earlier|last (?:\w+day|week|month|year|time|spring|summer|autumn|fall|winter)|previously|so far|"
    r"yesterday)\b"
    r"|\b(?:our|this|these|my) (?:\w+ )?(?:chats?|conversations?|discussions?|sessions?|talks?|messages?)\b"
)
"""How people ask for what was said or has happened; lower case, as above."""


def states_wish(text: str) -> bool:
    """Whether a text says what its author wants from now on, and not only this once."""
    plain = text[:_LONGEST].translate(_TYPED)
    triggers, forms = _forms()
    found = [forms[number] for number in triggers.of(plain.lower()) if forms[number].search(plain)]
    # Looked for last, because nearly no text is so far.
    return bool(found) and any(form.search(_NO_WISH.sub(" ", plain)) for form in found)


@cache
def _forms() -> tuple[Triggers, tuple[re.Pattern[str], ...]]:
    """The forms, compiled, and which of them are worth trying; at the first use, because it takes a while."""
    triggers = Triggers([cues.split() for cues, _ in _FORMS])
    return triggers, tuple(re.compile(form, re.IGNORECASE) for _, form in _FORMS)


def newness_wanted(question: str) -> float:
    """How surely something new is wanted, for which wishes count, and not only what was said or has happened.

    1 for a request ("Could you plan a trip?"), 0.5 for another question, which may be about anything ("How tall is
    it?"), 0 for one that looks back ("What did I say?"), and for what asks for nothing.
    """
    plain = question.translate(_TYPED).lower()
    if _LOOKS_BACK.search(plain):
        return 0.0
    return 1.0 if _REQUEST.search(plain) else 0.5 * plain.rstrip().endswith("?")
