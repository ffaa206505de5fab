"""What was recalled for the turns under way in this process: text that no state, stream or checkpoint is to have."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from streetai_core import Memory, Prompt
from streetai_core.forking import fork_safe_lock
from streetai_core.handles import Handle
from streetai_langchain.agent_turns import TurnRecord, turn_id

_MOST = 1024
"""Most turns whose texts are kept: of a run that fails, or is never resumed, no end is told."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """What one recall has found."""

    text: str
    """As it is put into each request of the turn; empty if nothing was recalled."""
    signal_ids: tuple[str, ...]
    """Of what the text quotes."""
    memory: Memory | None = None
    """The handle that was asked; `None` if none was."""

    def left(self, is_whole: bool | None) -> Recalled | None:  # noqa: FBT001 - the answer of `Memory._has_all`
        """What of it is sent again: all; nothing, where the memory was erased; `None`: recall has to be asked anew."""
        if is_whole is None:
            return Recalled("", (), self.memory)
        return self if is_whole else None


NOTHING = Recalled("", ())
"""What a recall has found that found nothing, or failed."""


def recalled_in(prompt: Prompt, memory: Memory) -> Recalled:
    """What a prompt of a memory recalls."""
    ids = [hit.signal.signal_id for hit in prompt.retrieved] if prompt.recalled_text else []
    return Recalled(prompt.recalled_text, tuple(ids), memory)


class RecalledTexts(Handle):
    """Keeps them by turn; safe to use from many threads at once. The oldest go when there are too many.

    Args:
        most: how many turns are kept.
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._lock = fork_safe_lock()
        self._kept: OrderedDict[tuple[str, str], Recalled] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def keep(self, record: TurnRecord, recalled: Recalled) -> None:
        """Keep what was recalled for a turn until it is dropped."""
        with self._lock:
            self._kept[_key(record)] = recalled
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def of(self, record: TurnRecord) -> Recalled | None:
        """What was recalled for a turn; `None` if nothing was yet, or elsewhere, or it is not kept any more."""
        with self._lock:
            return self._kept.get(_key(record))

    def drop(self, record: TurnRecord) -> Recalled | None:
        """Let go of what was recalled for a turn that is over, and return it."""
        with self._lock:
            return self._kept.pop(_key(record), None)


def _key(record: TurnRecord) -> tuple[str, str]:
    return record["memory"], turn_id(record)
