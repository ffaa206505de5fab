"""The words rows of messages that are stored together, with what they have to do with others, and those have with them.

Messages are linked as they were said. Mostly each comes after all that it can replace; but an old history may be stored
in a memory in use, and what was said since stands for it then as if it had come first.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from streetai_core.planning.news import Anew, said_anew
from streetai_core.planning.replacing import Replacing, Wanted, wanted_by
from streetai_core.planning.told import Told
from streetai_core.planning.words import Reader, with_marks
from streetai_core.stores.types import WordsRow
from streetai_core.types import Matrix, Message


def linked(told: Told, message: Message, vectors: Matrix, replacing: Replacing) -> WordsRow:
    """The words row of a message, with what it replaces and may bring news of.

    Args:
        told: what its text tells.
        message: what is written.
        vectors: of its chunks, shape (n, dim).
        replacing: finds what it replaces.
    """
    row = with_marks(replace(told.row, sequence=message.sequence), replacing.news_in(message, told.anew))
    found = replacing.of(message, vectors, row, told.wanted)
    return replace(row, replaces=found) if found else row


class Linking:
    """Makes the words rows of the messages of one operation, in the order they came.

    Args:
        replacing: finds what they replace.
        words: reads the rows of stored messages.
    """

    def __init__(self, replacing: Replacing, words: Reader) -> None:
        self._replacing = replacing
        self._words = words
        self._rows: dict[int, WordsRow] = {}
        self._told: dict[int, tuple[Wanted, Anew]] = {}
        """What a message wants to replace, and says anew; those that stand for one old message mostly do for more."""

    @property
    def rows(self) -> list[WordsRow]:
        """The rows of all messages, and of the stored ones that have to do with them."""
        return list(self._rows.values())

    def add(self, told: Told, message: Message, vectors: Matrix) -> None:
        """Link a message with others; arguments as for `linked`."""
        row = self._rows[message.sequence] = linked(told, message, vectors, self._replacing)
        terms = frozenset(row.terms.tolist())
        for newer, similarity in self._replacing.said_after(message, vectors):
            self._link(newer, message, terms, similarity)

    def _link(self, newer: Message, older: Message, terms: Collection[int], similarity: float) -> None:
        """Have a message that was here before replace one that was said earlier, or bring news of it, if it does."""
        if newer.sequence not in self._told:
            self._told[newer.sequence] = wanted_by(newer), said_anew(newer)
        wanted, anew = self._told[newer.sequence]
        marks = self._replacing.late_news(newer, anew, older, terms)
        replaces = _wants(wanted, terms, similarity) and self._replacing.is_replaced(older, newer, wanted, similarity)
        if not (marks or replaces):
            return
        row = self._rows.get(newer.sequence) or self._words([newer.sequence])[0]
        if replaces:
            row = replace(row, replaces=(*row.replaces, older.sequence))
        self._rows[newer.sequence] = with_marks(row, marks)


def _wants(wanted: Wanted, terms: Collection[int], similarity: float) -> bool:
    """Whether a message with these terms is like one that is wanted."""
    return any(
        similarity >= least and any(all(term in terms for term in some) for some in alternatives)
        for least, alternatives in wanted.items()
    )
