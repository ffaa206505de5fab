"""The words rows of messages that are stored together, with what they have to do with others, and those have with them.

Messages are linked as they were said. Mostly each comes after all that it can replace; but an old history may be stored
in a memory in use, and what was said since stands for it then as if it had come first. So does what was said since an
edited message.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from streetai_core.planning.news import Anew, news_in, said_anew
from streetai_core.planning.replacing import Replacing, Wanted, wanted_by
from streetai_core.planning.since import Since
from streetai_core.planning.told import Told
from streetai_core.planning.words import Reader, with_marks, without_marks, words_row
from streetai_core.stores.types import WordsRow
from streetai_core.types import Matrix, Message


class Linking:
    """Makes the words rows of the messages of one operation, in the order they came.

    Args:
        replacing: finds what they replace.
        words: reads the rows of stored messages.
    """

    def __init__(self, replacing: Replacing, words: Reader) -> None:
        self._replacing = replacing
        self._since = Since(replacing)
        self._words = words
        self._rows: dict[int, WordsRow] = {}
        self._told: dict[int, tuple[Wanted, Anew]] = {}
        """By sequence: those that stand for one old message mostly do for more."""

    @property
    def rows(self) -> list[WordsRow]:
        """The rows of all messages, and of the stored ones that have to do with them."""
        return list(self._rows.values())

    def add(self, told: Told, message: Message, vectors: Matrix) -> None:
        """Link a message with others.

        Args:
            told: what its text tells.
            message: what is written.
            vectors: of its chunks, shape (n, dim).
        """
        terms = self._put(told, message, vectors)
        for newer, similarity in self._since.plainly_after(message, vectors):
            self._link(newer, message, terms, similarity)

    def edit(self, told: Told, message: Message, vectors: Matrix) -> None:
        """Link a message with others by its new text, and no more by its old one; arguments as for `add`."""
        terms = self._put(told, message, vectors)
        self._loosen(message, terms, vectors)
        for newer, similarity in self._since.after(message, vectors):
            self._link(newer, message, terms, similarity)

    def embed(self, late: Sequence[tuple[Message, Matrix]]) -> None:
        """Link stored messages with others that could not be embedded when they were written.

        Args:
            late: these, in the order they came, with the vectors of their chunks, shape (n, dim).
        """
        stored = {row.sequence: row for row in self._words([message.sequence for message, _ in late])}
        for message, vectors in late:
            row = stored.get(message.sequence) or words_row(message)
            found = self._replacing.of(message, vectors, row, wanted_by(message))
            if found:
                self._rows[message.sequence] = replace(row, replaces=found)
            terms = frozenset(row.terms.tolist())
            for newer, similarity in self._since.plainly_after(message, vectors):
                self._link(newer, message, terms, similarity)
        for newer, replaces in self._since.of_embedded(late):
            self._rows[newer.sequence] = replace(self._row(newer), replaces=replaces)

    def release(self, message: Message, vectors: Matrix) -> None:
        """Link a stored message with others that were hidden from it, or it from them; what is linked stays so.

        Args:
            message: what is stored.
            vectors: of its chunks, shape (n, dim).
        """
        wanted, anew = self._says(message)
        row, marks = self._row(message), news_in(message, anew, self._replacing.state, self._replacing.batch)
        self._add_to(row, self._replacing.of(message, vectors, row, wanted), marks)
        terms = frozenset(row.terms.tolist())
        for newer, similarity in self._since.after(message, vectors):
            self._link(newer, message, terms, similarity)

    def _put(self, told: Told, message: Message, vectors: Matrix) -> frozenset[int]:
        """Make the row of a message, with what it replaces and may bring news of; the hashes of its terms."""
        marks = news_in(message, told.anew, self._replacing.state, self._replacing.batch)
        row = with_marks(replace(told.row, sequence=message.sequence), marks)
        found = self._replacing.of(message, vectors, row, told.wanted)
        self._rows[message.sequence] = replace(row, replaces=found) if found else row
        return frozenset(row.terms.tolist())

    def _loosen(self, message: Message, terms: Collection[int], vectors: Matrix) -> None:
        """Have no message replace, or bring news of, what a message said before its edit and does not say now."""
        for newer, replaces in self._since.no_longer(message, vectors):
            self._rows[newer.sequence] = replace(self._row(newer), replaces=replaces)
        for newer, marks in self._since.outdated_by(message, terms):
            self._rows[newer.sequence] = without_marks(self._row(newer), marks)

    def _link(self, newer: Message, older: Message, terms: Collection[int], similarity: float) -> None:
        """Have a message that was here before replace one that was said earlier, or bring news of it, if it does."""
        wanted, anew = self._says(newer)
        marks = self._since.late_news(newer, anew, older, terms)
        replaces = self._since.is_replaced(older, newer, wanted, terms, similarity)
        if marks or replaces:
            self._add_to(self._row(newer), (older.sequence,) if replaces else (), marks)

    def _add_to(self, row: WordsRow, replaces: Collection[int], marks: Collection[int]) -> None:
        """Have the message of a row replace some more, and have some more marks, if any of them are new."""
        others = [one for one in replaces if one not in row.replaces]
        missing = [mark for mark in marks if mark not in row.terms]
        if others or missing:
            self._rows[row.sequence] = with_marks(replace(row, replaces=(*row.replaces, *others)), missing)

    def _says(self, message: Message) -> tuple[Wanted, Anew]:
        """What a message wants to replace, and says anew."""
        if message.sequence not in self._told:
            self._told[message.sequence] = wanted_by(message), said_anew(message)
        return self._told[message.sequence]

    def _row(self, message: Message) -> WordsRow:
        """The row of a message as it is by now; one that is not there is made."""
        known = self._rows.get(message.sequence)
        return known or next(iter(self._words([message.sequence])), None) or words_row(message)
