"""What becomes of rules of quarantine when what they hide is forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from streetai_core.state import MemoryState
from streetai_core.stores.base import ReadTransaction
from streetai_core.stores.provenance import Quarantine
from streetai_core.stores.types import MessageQuery
from streetai_core.types import Message


def outlived(
    transaction: ReadTransaction, state: MemoryState, going: Sequence[Message], named: AbstractSet[str | None]
) -> list[Quarantine]:
    """The rules of quarantine that name what nothing is left of when messages have gone.

    Args:
        transaction: of the memory.
        state: the memory.
        going: the messages.
        named: conversations that are forgotten, whether there is anything in them or not.
    """
    gone = {one.sequence for one in going}

    def is_meant(rule: Quarantine) -> bool:
        if rule.field == "message":
            return rule.value in gone
        if rule.field == "source" or rule.value is None:
            return False
        return any(map(rule.hides, going)) or (rule.field == "conversation" and rule.value in named)

    candidates = [rule for rule in state.quarantine if is_meant(rule)]
    left = [one for one in transaction.messages(MessageQuery()) if one.sequence not in gone] if candidates else []
    return [rule for rule in candidates if not any(map(rule.hides, left))]
