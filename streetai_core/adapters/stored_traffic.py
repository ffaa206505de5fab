"""Which calls of tools and their results, of those that a request sends along, are stored already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from streetai_core.adapters.codec import Said
from streetai_core.adapters.stored import call_id, call_ids
from streetai_core.text.clean import clean
from streetai_core.types import Message


class StoredTraffic:
    """What is stored of a turn with tools. Ask it once for each message that a request has of the turn, in order.

    Args:
        stored: the messages of the turn, without the user's.
        sent: what the request has of it: the whole turn, or only the results that are new.
    """

    def __init__(self, stored: Sequence[Message], sent: Sequence[Said]) -> None:
        self._called = Counter(one for message in stored for one in call_ids(message))
        self._results: dict[str, list[str]] = {}
        """What the results say, in order, by the ids of their calls."""
        for message in stored:
            if message.role == "tool":
                self._results.setdefault(call_id(message), []).append(message.content)
        self._along = {call.call_id for said in sent for call in said.tool_calls}
        """Calls that the request has too: of these it has all results, from the first one on."""
        self._coming = Counter(said.tool_call_id for said in sent)
        """How many results of a call have not been asked for yet."""

    def has(self, said: Said) -> bool:
        """Whether a message is stored. Of the model's words without calls nothing is known here."""
        if said.tool_call_id:
            return self._has_result(said.tool_call_id, said.text)
        return bool(said.tool_calls) and all(call.call_id in self._called for call in said.tool_calls)

    def _has_result(self, name: str, text: str) -> bool:
        results, calls, coming = self._results.get(name, []), self._called[name], self._coming[name]
        self._coming[name] -= 1
        if calls <= 1:
            return bool(results)
        # Some servers give all calls of a turn one id, and of Gemini's, which have none, the same call has one.
        if name not in self._along:
            return coming > calls - len(results)
        said = clean(text)[0]
        if said in results:
            results.remove(said)
            return True
        return False
