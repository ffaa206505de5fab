"""What is compared: messages as statements of somebody, and how near two of them are."""

from __future__ import annotations

import math
from dataclasses import dataclass

from streetai_core.text.spoken import prose
from streetai_core.types import Message, Role

LEAST_SIMILARITY = 0.2
"""Below this the two are about different things, whatever words they share."""

_OTHER_TALK = 1 / 6
"""How fast similarity counts less the more else two messages say: the exponent of the shares that the two clauses have
of their words. An embedding is of all that is said, so that of a long message tells little of one sentence. Of the 24
links in ten recorded conversations, which were all false, 7 are left."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A message as it counts here: who says what."""

    text: str
    """Without what is pasted or quoted, see `of`."""
    role: Role = "user"
    author: str | None = None
    """The speaker's name, where several people share a role."""

    @classmethod
    def of(cls, message: Message) -> Statement:
        """What a message says beside the code and the earlier messages that stand in it."""
        return cls(prose(message.content, message.role), message.role, message.name)

    @property
    def has_facts(self) -> bool:
        """Whether it can tell a fact of the speaker: an unnamed assistant has none, tools and systems neither."""
        return self.role == "user" or (self.role == "assistant" and self.author is not None)

    def may_outdo(self, older: Statement) -> bool:
        """Whether both are of one speaker with facts, and it says anything else."""
        one_speaker = (self.role, self.author) == (older.role, older.author)
        return one_speaker and self.has_facts and self.text != older.text


@dataclass(frozen=True, slots=True)
class Likeness:
    """What an older statement has in common with a newer one, at least, to be replaced by it."""

    words: tuple[str, ...] = ()
    """Words in lower case that it has, in any of their forms; none: it may have any."""
    similarity: float = -math.inf
    """The least similarity of their embeddings. Below -1 are those of an encoder whose vectors have much in common."""


def of_pair(similarity: float, share: float) -> float:
    """What the similarity of two messages tells of two clauses, which have `share` of their words.

    It is not put below the least that counts: messages that pass that are about the same thing.
    """
    return max(similarity * math.pow(min(share, 1.0), _OTHER_TALK), min(similarity, LEAST_SIMILARITY))
