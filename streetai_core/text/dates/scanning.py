"""From characters to tokens: the check that a text names a time at all, and the words, numbers and gaps round it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from streetai_core.text.alternation import any_of
from streetai_core.text.dates.vocabulary import ANCHORS, PHRASES, SHORT, VOCABULARY, Value

BREAK = "break"
"""Kind of a token that no expression may cross: other words, other marks."""

REACH_BEFORE = 64
"""How many characters before an anchor an expression may begin ("at the very beginning of the second half of")."""

REACH_AFTER = 96
"""How many characters behind an anchor may belong to its expression."""

LONGEST_STRETCH = 4096
"""Stretches of text are cut here, so that memory stays small on texts that are nothing but dates."""

_LONGEST_GAP = 4
"""White space wider than this, or with an empty line in it, separates."""

_CODE_BEFORE = frozenset("_.@#/\\$=<`{")
_CODE_AFTER = frozenset("_(=[\\@{`")
"""Beside these a word is part of an identifier, an address or a path."""

_ASSIGNMENTS = (" = ", " == ", " := ", " += ", "()")
"""Behind these a word is the name of a variable."""

_NO_NUMBER_BEFORE = frozenset("$\u20ac\u00a3\u00a5#.:/@_=+%~^\\<>&")
_NO_NUMBER_AFTER = frozenset("%$\u20ac\u00a3\u00a5/_=+~^\\<>&\u00b0")
"""Beside these a number is a price, a share, a time, or part of code."""

_LONGEST_YEAR = 4
_LONGEST_NUMBER = 8
"""Characters of the longest token that is a number with something round it: '1990's."""


class Token(NamedTuple):
    """A word, number or mark: `kind` and `value` as in the vocabulary, and its place in the text."""

    kind: str
    value: Value
    word: str
    start: int
    end: int
    titled: bool


_SLASHED = r"(?:(?:0?[1-9]|1[0-2])/(?:1[3-9]|2[0-9]|3[01])|(?:1[3-9]|2[0-9]|3[01])/(?:0?[1-9]|1[0-2]))"
"""Day and month, where only one of the two numbers can be the month."""

_ANCHOR = re.compile(
    rf"(?<![a-z0-9])(?:{any_of(ANCHORS)}|['\u2019][0-9][0-9]"
    r"|(?:eleven|twelf|(?:thir|four|fif|six|seven|eigh|nine)teen|twentie|thirtie)th"
    r"|on the (?:first|second|third|(?:four|fif|six|seven|eigh|nin|ten)th)"
    r"|(?:twenty|thirty)[- ](?:first|second|third|(?:four|fif|six|seven|eigh|nin)th)"
    r"|(?=[0-9])(?:[0-9][0-9]?(?:st|nd|rd|th|/(?:1[3-9]|2[0-9]|3[01]|[0-9][0-9]?/[0-9][0-9])"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)"
    r"|[1-3][0-9]/[01]?[0-9]|1[89][0-9][0-9]|20[0-9][0-9]|[0-9](?:0s|[0-9][0-9]0s)))\b"
)
"""What a text must have at least one of."""

_TOKEN = re.compile(
    r"(?P<quarter>[qh][1-4](?!\w))"
    r"|(?P<word>[^\W\d_]+(?:['\u2019]s?(?![^\W\d_]))?)"
    r"|(?P<iso>(?:1[89]|20)[0-9]{2}(?:-[0-9]{1,2}-[0-9]{1,2}|/[0-9]{1,2}/[0-9]{1,2})"
    r"(?=t[0-9]{2}:|(?![\w/]|[-.:][0-9])))"
    r"|(?P<years>(?:19|20)[0-9]{2}/(?:(?:19|20)[0-9]{2}|[0-9]{2})(?![\w/]|[-.:,][0-9]))"
    r"|(?P<monthly>(?:0?[1-9]|1[0-2])/(?:19|20)[0-9]{2}(?![\w/]|[-.:,][0-9]))"
    r"|(?P<numeric>[0-9]{1,2}(?:/[0-9]{1,2}/(?:[0-9]{2}){1,2}|-[0-9]{1,2}-[0-9]{4}|\.[0-9]{1,2}\.[0-9]{4})"
    r"(?![\w/]|[-.:][0-9]))"
    rf"|(?P<slashed>{_SLASHED}(?![\w/]|[.:,][0-9]))"
    r"|(?P<nth>[0-9]{1,3}(?:st|nd|rd|th)(?![\w/]))"
    r"|(?P<decade>['\u2019]?(?:[0-9]{2})?[0-9]0['\u2019]?s(?!\w))"
    r"|(?P<short>['\u2019][0-9]{2}(?![\w/:]))"
    r"|(?P<glued>[0-9]{1,2}(?=(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)))"
    r"|(?P<number>[0-9]+(?:[.,:/][0-9]+)*\w*)"
)

_PHRASE_STARTS: dict[str, list[tuple[str, ...]]] = {}
for _phrase in sorted(PHRASES, key=len, reverse=True):
    _PHRASE_STARTS.setdefault(_phrase.split()[0], []).append(tuple(_phrase.split()))

_UNKNOWN: tuple[str, Value] = (BREAK, "")

_DECIMAL = re.compile(r"[0-9]{1,2}\.5")


def names_time(lower: str) -> bool:
    """Whether there is any word or number in `lower` that an expression of time needs; a false alarm is possible."""
    return _ANCHOR.search(lower) is not None


def stretches(lower: str) -> Iterator[tuple[int, int]]:
    """The parts of `lower`, as `(start, end)`, outside of which no time is named."""
    start = end = -1
    for anchor in _ANCHOR.finditer(lower):
        if start >= 0 and anchor.start() - REACH_BEFORE <= end and anchor.end() - start < LONGEST_STRETCH:
            end = anchor.end() + REACH_AFTER
            continue
        if start >= 0:
            end = min(end, anchor.start())
            yield start, end
        start = max(anchor.start() - REACH_BEFORE, end, 0)
        end = anchor.end() + REACH_AFTER
    if start >= 0:
        yield start, min(end, len(lower))


def tokens_of(text: str, lower: str, start: int, end: int) -> list[Token]:
    """The tokens of `lower[start:end]`; gaps that are more than a space become tokens of their own."""
    tokens: list[Token] = []
    position = start
    if start and lower[start - 1].isalnum():  # begin at a whole word
        while position < end and lower[position].isalnum():
            position += 1
    before = position
    for match in _TOKEN.finditer(lower, position, end):
        begin = match.start()
        gap = lower[before:begin]
        if gap != " ":
            separator = _separator(gap, tokens[-1] if tokens else None)
            if separator:
                tokens.append(Token(separator, gap, gap, before, begin, titled=False))
        tokens.append(_token(text, lower, match))
        before = match.end()
    return _with_phrases(tokens)


def _with_phrases(tokens: list[Token]) -> list[Token]:
    """The tokens, with the words of each holiday's name, and of other phrases, made one."""
    if _PHRASE_STARTS.keys().isdisjoint([token.word for token in tokens]):
        return tokens
    merged: list[Token] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        width = 1
        for words in _PHRASE_STARTS.get(token.word, ()):
            if tuple(other.word for other in tokens[index : index + len(words)]) == words:
                width = len(words)
                last = tokens[index + width - 1]
                token = Token(*PHRASES[" ".join(words)], " ".join(words), token.start, last.end, token.titled)
                break
        merged.append(token)
        index += width
    return merged


def _separator(gap: str, previous: Token | None) -> str:
    """The kind of token that a gap between two words makes; empty where it is as good as a space."""
    bare = gap.strip()
    if not bare:
        if not gap:
            return "" if previous is not None and previous.kind == "number" else BREAK
        return "" if len(gap) <= _LONGEST_GAP and gap.count("\n") <= 1 else BREAK
    if bare == ",":
        return "comma"
    if bare in {"-", "\u2013"}:
        return "dash"
    if bare == "." and previous is not None and previous.word in SHORT | {"st", "jr"}:
        return ""
    return BREAK


def _token(text: str, lower: str, match: re.Match[str]) -> Token:
    group = match.lastgroup
    word = match.group()
    start, end = match.span()
    if group == "word":
        return _word(text, lower, word, start, end)
    if _number_is_plain(lower, start, end):
        return Token(*_number(group or "", word), word, start, end, titled=False)
    return Token(BREAK, word, word, start, end, titled=False)


def _word(text: str, lower: str, word: str, start: int, end: int) -> Token:
    bare = word
    if word[-1] in "'\u2019":
        bare = word[:-1]
    elif word[-2:-1] in {"'", "\u2019"}:
        bare = word[:-2]
    kind, value = VOCABULARY.get(bare, _UNKNOWN)
    if kind != BREAK and (
        (start > 0 and lower[start - 1] in _CODE_BEFORE)
        or (end < len(lower) and lower[end] in _CODE_AFTER)
        or lower.startswith(_ASSIGNMENTS, end)
    ):
        kind = BREAK
    if bare is not word:
        word = word.replace("\u2019", "'")
    return Token(kind, value, word, start, end, text[start].isupper())


def _number_is_plain(lower: str, start: int, end: int) -> bool:
    before = lower[start - 1] if start else " "
    after = lower[end] if end < len(lower) else " "
    return before not in _NO_NUMBER_BEFORE and not before.isalpha() and after not in _NO_NUMBER_AFTER


def _number(group: str, word: str) -> tuple[str, Value]:
    """Kind and value of a token that begins with a digit or an apostrophe, or is a quarter."""
    if group in {"iso", "numeric", "slashed", "monthly"}:
        return group, word
    if group in {"quarter", "years"}:
        return VOCABULARY.get(word, _UNKNOWN) if group == "quarter" else _two_years(word)
    digits = "".join(filter(str.isdecimal, word)) if len(word) <= _LONGEST_NUMBER else ""
    if group in {"nth", "decade"}:
        return group, int(digits)
    if group == "short":
        return "year", full_year(int(digits))
    if digits == word and len(word) <= _LONGEST_YEAR:
        return "number", int(word)
    return ("decimal", word) if _DECIMAL.fullmatch(word) else VOCABULARY.get(word, _UNKNOWN)  # "2moro"


def _two_years(word: str) -> tuple[str, Value]:
    """Kind and value of two years in one word, which must follow on each other: "2010/11"."""
    first, second = int(word[:4]), word[5:]
    return ("years", first) if str(first + 1).endswith(second) else _UNKNOWN


_PIVOT = 70
"""Two-digit years from here on are of the twentieth century."""


def full_year(short: int) -> int:
    """The year that two digits stand for: 70 to 99 are of the twentieth century."""
    return short + (1900 if short >= _PIVOT else 2000)
