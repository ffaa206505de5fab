"""What a message quotes of earlier ones, as mail programs do it and people by hand: its author says none of it.

Lines behind ">" are quoted, and so is the line above them that tells who wrote them. Programs that put an answer above
the mail that it answers only mark where that begins: all that follows the mark is quoted. A mark with nothing above it
is none: then the mail itself is what is sent. So is what stands behind ">" where there is nothing else.

Every line is looked at a constant number of times, and as far as `_LONGEST_LINE`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LONGEST_LINE = 240
"""Characters of a line that are looked at."""

_LONGEST = 200_000
"""Characters of a text that are looked at: a longer one is a file."""

_LONGEST_HEADING = 6
"""Lines in which a heading comes to its subject: from, sent, to, copies to, importance, subject."""

_NO_QUOTE = re.compile(r">(?:>>\s|=|<)")
"""How the first line begins of what is of a shell of Python, or of code: an answer to an answer is not quoted alone."""

_WROTE = re.compile(
    r"\b(?:wrote|schrieb|a écrit|escribi[oó]|escreveu|ha scritto|schreef|skrev|kirjoitti|napisała?|napsala?)\b"
)
_DIGIT = re.compile(r"\d")
"""Who wrote what follows, and before it when: "On 3 March 2025 at 9:12, Mara Voss wrote:"."""

_BROKEN = re.compile(r"(?:on|am|le|el|il|op|em|den|w dniu|dne)\s.*\d", re.IGNORECASE)
"""How the first of two lines begins into which that is broken."""

_ORIGINAL = re.compile(
    r"-{2,}\s?(?:original (?:message|appointment)|(?:ursprüngliche|weitergeleitete) nachricht|message d'origine"
    r"|message transféré|mensaje (?:original|reenviado)|mensagem (?:original|encaminhada)"
    r"|messaggio (?:originale|inoltrato)|(?:oorspronkelijk|doorgestuurd) bericht|ursprungligt meddelande"
    r"|forwarded message)\s?-{2,}$|begin forwarded message:$",
    re.IGNORECASE,
)
"""What stands above a mail that is answered or sent on."""

_FROM = re.compile(r"\*?(?:from|von|de|da|van|från)\s?:\*?\s", re.IGNORECASE)
"""The first line of a heading, where no other mark stands above the mail."""

_HEADING = re.compile(r"\*?[^\W\d_]+(?: [^\W\d_]+)?\s?:\*?(?:\s|$)")
"""The other lines of it."""

_SUBJECT = re.compile(r"\*?(?:subject|betreff|objet|asunto|assunto|oggetto|onderwerp|ämne)\s?:", re.IGNORECASE)
"""The one that it always has, near its end."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a text."""

    start: int
    end: int
    said: str
    """Its first characters, without the white space around them."""
    is_quoted: bool
    """Whether it is marked by itself. What is indented is code."""


def quoted(text: str) -> list[tuple[int, int]]:
    """The spans of whole lines that are quoted in a text, in order; none if nothing else stands in it.

    Args:
        text: without what is pasted into it otherwise (`text/pasted.py`): code has lines that begin alike.
    """
    if len(text) > _LONGEST or not (">" in text or ":" in text):
        return []
    lines = _lines(text)
    following = _following(lines)
    spans: list[tuple[int, int]] = []
    place, has_own = 0, False
    while place < len(lines):
        behind = _behind_mark(lines, place)
        first = following[behind]
        if first < len(lines) and lines[first].is_quoted and not _NO_QUOTE.match(lines[first].said):
            last = _last_quoted(lines, following, first)
            spans.append((lines[first if behind == place else place].start, lines[last].end))
            place = last + 1
        elif behind > place and has_own:
            spans.append((lines[place].start, len(text)))
            break
        else:
            has_own = has_own or (behind == place and bool(lines[place].said))
            place = max(behind, place + 1)
    return spans if has_own else []


def _lines(text: str) -> list[_Line]:
    lines, end = [], 0
    for line in text.splitlines(keepends=True):
        start, end = end, end + len(line)
        lines.append(_Line(start, end, line[:_LONGEST_LINE].strip(), line.startswith((">", " >"))))
    return lines


def _following(lines: list[_Line]) -> list[int]:
    """For each place, and for the end, the first line from there on that is not blank; their number if none is."""
    following = [len(lines)] * (len(lines) + 1)
    for place in range(len(lines) - 1, -1, -1):
        following[place] = place if lines[place].said else following[place + 1]
    return following


def _last_quoted(lines: list[_Line], following: list[int], first: int) -> int:
    """The last of the quoted lines that go on from one, blank ones between them."""
    last = first
    while (more := following[last + 1]) < len(lines) and lines[more].is_quoted:
        last = more
    return last


def _behind_mark(lines: list[_Line], place: int) -> int:
    """The line behind the mark that begins at a place; the place itself if none does."""
    said = lines[place].said
    if _ORIGINAL.match(said) or _tells_writer(said):
        return place + 1
    if _FROM.match(said):
        return _behind_heading(lines, place)
    if place + 1 < len(lines) and _BROKEN.match(said) and _tells_writer(f"{said} {lines[place + 1].said}"):
        return place + 2
    return place


def _tells_writer(said: str) -> bool:
    wrote = _WROTE.search(said) if said.endswith(":") else None
    return wrote is not None and _DIGIT.search(said, 0, wrote.start()) is not None


def _behind_heading(lines: list[_Line], place: int) -> int:
    """The line behind the subject of the heading that begins at a place; the place itself if it has none."""
    for number in range(place + 1, min(place + _LONGEST_HEADING, len(lines))):
        if _SUBJECT.match(lines[number].said):
            return number + 1
        if not _HEADING.match(lines[number].said):
            return place
    return place
