"""Which older messages a new one may bring news of, found when it is written.

"They've killed Lark. I've been put on the warehouse scanner" says what has become of "I'm working on Project Lark":
both name what hardly any other message does, and the newer one says that something is over or has become so. Whether
that answers the same question can be seen only when one is asked (`recall/correcting.py`), so that nothing but a mark
is left.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from streetai_core.knowledge.statements import Statement
from streetai_core.knowledge.updates import told_anew
from streetai_core.planning.batch import Batch
from streetai_core.planning.speakers import before, of_speaker
from streetai_core.state import MemoryState
from streetai_core.text.marks import news_about
from streetai_core.text.words import hashed
from streetai_core.types import Message

_RARE = 5
"""Messages with a word up to which it tells what is spoken of. With 2 as many changes are found as with 5, in short
conversations; in longer ones more is said of everything."""

_LONGEST = 150
"""Characters of a message that may bring news, and of one of which there may be: some 25 words. Longer ones tell of
more than is asked for; without them no fewer changes are found, and less that is none in ordinary talk."""

_MOST = 8
"""Messages of which one may bring news, the newest ones."""


def said_anew(message: Message) -> frozenset[int]:
    """Hashes of the terms of what a user's message says is over, not so, or has become so; none for most messages."""
    if message.source != "user" or len(message.content) > _LONGEST:
        return frozenset()
    return frozenset(map(hashed, told_anew(Statement(message.content, message.role, message.name))))


def news_in(message: Message, anew: Collection[int], state: MemoryState, batch: Batch) -> list[int]:
    """The marks of a message for those of which it may bring news, in the memory or among what was said with it.

    Args:
        message: what is being written.
        anew: what `said_anew` makes of it.
        state: the memory.
        batch: the messages before it that are written together with it.
    """
    older = {sequence for term in anew for sequence in _speaking_of(term, message, state, batch)}
    return [news_about(sequence) for sequence in sorted(older)[-_MOST:]]


def _speaking_of(term: int, newer: Message, state: MemoryState, batch: Batch) -> Iterator[int]:
    """Sequences of the short messages of the same speaker that have a term, if it is rare."""
    words = state.words
    rows = words.rows_with(term)
    together = [message for message in batch.having(term, _RARE + 1) if message.sequence < newer.sequence]
    if len(rows) + len(together) > _RARE:
        return
    rows = before(words, of_speaker(words, rows, newer), newer)
    yield from words.column("sequence")[rows[words.column("characters")[rows] <= _LONGEST]].tolist()
    for message in together:
        by_speaker = (message.name, message.role) == (newer.name, newer.role)
        if by_speaker and len(message.content) <= _LONGEST and message.trust <= newer.trust:
            yield message.sequence
