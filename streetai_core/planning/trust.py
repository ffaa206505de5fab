"""What a reply may teach about texts that are not the user's own."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from streetai_core.config import Config
from streetai_core.stores.base import ReadTransaction
from streetai_core.types import Message, NewMessage

_BYTES = 8
"""A database keeps whole numbers of 64 bits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Whose the signals are that a reply is about to teach something of."""

    trust: Mapping[int, float]
    """Message sequence -> how far it may be believed."""
    conversation: int = 0
    """Which conversation the reply was given in."""
    boosted: Collection[int] = ()
    """Keys of the signals that this conversation may not boost any more."""


def standing_of(
    transaction: ReadTransaction,
    sequence_of: Mapping[int, int],
    messages: Mapping[int, Message],
    mark: int,
    config: Config,
) -> Standing:
    """What is known of the signals that were sent.

    Args:
        transaction: with the learning log.
        sequence_of: signal key -> sequence of its message.
        messages: these messages, by sequence.
        mark: the number of the conversation.
        config: the settings.
    """
    foreign = [key for key, sequence in sequence_of.items() if messages[sequence].source != "user"]
    boosted: list[int] = []
    if config.max_boosts is not None and foreign:
        boosts = transaction.boosts(foreign, mark)
        boosted = [key for key in foreign if boosts.get(key, 0) >= config.max_boosts]
    trust = {sequence: message.trust for sequence, message in messages.items()}
    return Standing(trust=trust, conversation=mark, boosted=frozenset(boosted))


def conversation_mark(token: str, conversation_id: str | None) -> int:
    """The memory's own number for a conversation: a hash with the memory's token, so that the log has no names."""
    name = b"\0" if conversation_id is None else b"\1" + conversation_id.encode()
    digest = hashlib.blake2b(name, key=token.encode()[: hashlib.blake2b.MAX_KEY_SIZE], digest_size=_BYTES).digest()
    return int.from_bytes(digest, "big", signed=True)


def conversation_in(messages: Iterable[NewMessage]) -> str | None:
    """The conversation that a turn belongs to: that of its last message."""
    ids = [one.conversation_id for one in messages if isinstance(one, NewMessage)]
    return ids[-1] if ids and isinstance(ids[-1], str) else None
