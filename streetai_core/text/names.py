"""Whom a question names: people by their names, and by titles where these are written as names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from streetai_core.text.spelling import plain
from streetai_core.text.words import MARKS, STOP_WORDS

_NAMING = re.compile(rf"(?:[^\W_]|-)(?:[^\W_]|[-{MARKS}])*")
"""Letters with their marks, digits and hyphens."""

_POSSESSIVE = re.compile(r"['\u2019][sS]")

_MOST_NAMES = 1 << 12
"""Authors whose words are remembered; more than a group of people who chat."""

_MOST_PARTS = 8
"""Parts of a name that are looked for beside what names its author; no person is called by more."""

_NOBODY = re.compile("(?!)")
"""Found nowhere."""

_ENGLISH = re.compile(
    r"\b(?:about|could|did|does|how|should|the|their|they|were|what|when|where|which|who|whom|whose|why|with|would)\b",
    re.IGNORECASE,
)
"""Words by which a question is told to be English; hardly any stands in another language."""

_TITLES = frozenset(
    """
    administrator admin advisor adviser agent analyst architect assistant assurance attorney bot business chair chairman
    chairperson chairwoman client coach consultant coordinator counsel customer data design designer developer director
    doctor dr engineer executive expert finance grad guest head host human industrial interface interviewee interviewer
    judge lead leader lecturer legal madam manager marketing member minister miss moderator mr mrs ms nurse officer
    operations operator owner participant patient phd pm postdoc president prof product professor program programme
    project quality rep reporter representative researcher sales scientist secretary service sir software speaker staff
    student support system teacher team technical technician tester tutor undergrad user witness
    """.split()  # noqa: SIM905 - reads better
)
"""What people are called after their work or their part in a talk: ordinary words, most of which are said in it too."""


@dataclass(frozen=True, slots=True)
class NamingWords:
    """By what a question names an author."""

    words: tuple[str, ...]
    """All of these have to be there, in lower case and without accents; none: nothing names this author."""
    as_names: bool
    """Whether they are titles, which name somebody only where they begin with a capital letter."""


@dataclass(frozen=True, slots=True)
class SaidWords:
    """The words of a question, in lower case and without accents."""

    every: frozenset[str] = frozenset()
    capital: frozenset[str] = frozenset()
    """Those that do not begin with a small letter."""

    def name(self, author: str) -> bool:
        """Whether they name an author."""
        return self.have(naming_words(author))

    def have(self, naming: NamingWords) -> bool:
        """Whether they name the authors that are named so."""
        return bool(naming.words) and (self.capital if naming.as_names else self.every).issuperset(naming.words)


def said_words(question: str) -> SaidWords:
    """The words of a question by which it may name somebody."""
    spelled = _spelled(question)
    return SaidWords(
        frozenset(map(_bare, spelled)),
        frozenset(_bare(word) for word in spelled if not word[0].islower()),
    )


def in_first_person(question: str, authors: Iterable[str]) -> str:
    """The question as those would ask it whom it names: "Where does Mara live?", "Where does I live?".

    People who tell of themselves say "I", so what they tell is nearer to a question that says "I" too. Models read over
    the grammar: "do I" finds no more. English only; other questions stay as they are.

    Args:
        question: free text.
        authors: names, all of which it names.
    """
    if not _ENGLISH.search(question):
        return question
    question = unicodedata.normalize("NFC", question)
    for author in authors:
        question = mention(author).sub(_as_oneself, question)
    return question


def _as_oneself(mention: re.Match[str]) -> str:
    """What stands for the mention of an author; a title in small letters is an ordinary word."""
    if mention["name"][0].islower() and mention.re.groupindex.get("title"):
        return mention[0]
    return "my" if mention["owns"] else "I"


@lru_cache(maxsize=_MOST_NAMES)
def mention(author: str) -> re.Pattern[str]:
    """How an author stands in a text that names this one: first name or title, and what else of the name is there."""
    naming, parts = naming_words(author), _spelled(author)
    written = {_bare(part): part for part in reversed(parts)}
    name = r"[\W_]+".join(_either_way(written[word]) for word in naming.words)
    if not name:
        return _NOBODY
    beside = [part for part in parts if _bare(part) not in STOP_WORDS.union(naming.words)]
    others = "|".join(map(_either_way, beside[:_MOST_PARTS]))
    if others:
        name = rf"(?:(?:{others})[.\s]+)*{name}(?:\s+(?:{others}))*"
    title = "(?P<title>)" if naming.as_names else ""
    owns = r"(?P<owns>['\u2019]s\b|(?<=s)['\u2019](?=\s))?"
    return re.compile(rf"(?<![\w-])(?P<name>{name}){title}(?![\w-]){owns}", re.IGNORECASE)


@lru_cache(maxsize=_MOST_NAMES)
def naming_words(author: str) -> NamingWords:
    """By what a question names an author: by the first name, or in full where that is a common word.

    "Will it rain?" does not name Will Smith. Titles are passed over where there is a name beside them, as in "Dr.
    Smith"; "What of the user interface?" does not name the User Interface of a meeting, "What did User Interface say?"
    does.
    """
    parts = tuple(map(_bare, _spelled(author)))
    own = [part for part in parts if part not in _TITLES and _is_long(part)]
    if own and own[0] not in STOP_WORDS:
        return NamingWords((own[0],), as_names=False)
    tells = len(parts) > 1 or not _TITLES.isdisjoint(parts)
    return NamingWords(parts if tells else (), as_names=not own and not _TITLES.isdisjoint(parts))


def _is_long(part: str) -> bool:
    """Whether a part of a name is more than an initial or a number."""
    return len(part) > 1 and not part.isdigit()


def _bare(word: str) -> str:
    """A word in lower case, without accents."""
    return plain(word).lower()


def _either_way(part: str) -> str:
    """A pattern of a part of a name as it is written, and without its accents."""
    return f"(?:{'|'.join(re.escape(one) for one in dict.fromkeys((part, plain(part))))})"


def _spelled(text: str) -> list[str]:
    """The words of a text or a name as they are written, without a possessive, in order."""
    return _NAMING.findall(_POSSESSIVE.sub(" ", unicodedata.normalize("NFC", text)))
