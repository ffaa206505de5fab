"""Whether a message only greets, thanks, agrees or laughs, so that nothing that was said before is wanted for it.

What is nearest to "thanks!" among a thousand messages are those in which somebody says thanks.
"""

from __future__ import annotations

import re

_LONGEST = 80
"""Characters of small talk at most."""

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


_GREETINGS = _words(
    """hi hii hiya hello hey heya hullo howdy greetings morning afternoon evening goodnight night bye goodbye byebye
    cya ttyl thanks thank thx ty tysm cheers welcome congrats congratulations sorry hallo danke tschüss merci
    bonjour salut hola gracias adios adiós ciao grazie obrigado obrigada olá hej tack"""
)
"""Words that small talk is made of, behind which a name may stand: "Thanks, Nora!"."""

_AGREEING = _words(
    """ok okay okey k kk yes yeah yep yup yea no nope nah sure alright fine great good nice cool awesome perfect lovely
    wonderful excellent amazing fantastic brilliant super right exactly indeed agreed absolutely definitely
    certainly understood noted got lol lmao rofl haha hahaha hehe hm hmm hmmm mm mhm uh um oh ah aha wow oops
    yay ha please appreciated np"""
)
"""Words that small talk is made of."""

_FILLING = _words(
    """a again ahead all and appreciate are as bit care do doing day everybody everyone folks for friend friends go
    going guys have help helped helpful how i is it it's later lot lots made makes many me much my night now of
    off problem see sense so soon sounds talk take team that that's the then there this to today tomorrow too
    very was week weekend well what's whats whatever will with worries you your you're u up things everything"""
)
"""Words that may stand with these: none of them says what it is about."""

_SAYING = _GREETINGS | _AGREEING
_EVERY = _SAYING | _FILLING

_ASKING = re.compile(r"\bhow (?:are|is|r) (?:you|u|it|things|everything)\b|\bhow do you do\b|\bwhat['\u2019]?s up\b")
"""How one greets with a question. Any other asks for something: "Is that right?"."""


def is_small_talk(text: str) -> bool:
    """Whether a text is small talk and nothing else; so is one without a letter or digit, such as an emoji.

    Args:
        text: a message. Much of what is not in English counts as something that is said.
    """
    if len(text) > _LONGEST:
        return False
    greets = _ASKING.search(text.lower()) is not None
    if "?" in text and not greets:
        return False
    words = _WORD.findall(text)
    known = [word.lower().replace("\u2019", "'") for word in words]
    if known and not greets and _SAYING.isdisjoint(known):
        return False
    others = [word for word, lowered in zip(words, known, strict=True) if lowered not in _EVERY]
    return not others or (known[0] in _GREETINGS and len(others) == 1 and others[0].istitle())
