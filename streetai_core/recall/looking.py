"""What a memory holds, made into the values that callers see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from streetai_core.config import Config
from streetai_core.errors import DamagedFileError
from streetai_core.recall.hits import signal_id, signals_at
from streetai_core.state import MemoryState
from streetai_core.stores.types import Head
from streetai_core.types import Message, Signal, Stack


def signals_of(state: MemoryState, message: Message, keys: Sequence[int] | None = None) -> list[Signal]:
    """The signals of a stored message, in order.

    Args:
        state: the memory.
        message: the message.
        keys: of its signals; `None`: they are looked for among all.
    """
    rows = state.rows_of_message(message.sequence) if keys is None else state.columns.rows(keys)
    order = rows[np.argsort(state.columns.column("chunk_index")[rows])]
    return signals_at(state, [(row, message) for row in order.tolist()])


def check_there(messages: Mapping[int, Message], sequences: Iterable[int]) -> None:
    """Refuse to go on without the message of a signal.

    Args:
        messages: by sequence.
        sequences: of the messages that have to be among them.

    Raises:
        DamagedFileError: one is not: it was taken away behind the library.
    """
    for sequence in sequences:
        if sequence not in messages:
            raise DamagedFileError(
                f"message number {sequence} is not there, and what was made of it is. Ask the doctor what else is "
                "damaged, and restore the file from a backup."
            )


def all_signals(state: MemoryState, messages: Sequence[Message]) -> list[Signal]:
    """All signals, in the order they were said; `messages` are all messages.

    Raises:
        DamagedFileError: a signal has no message.
    """
    columns = state.columns
    by_sequence = {message.sequence: message for message in messages}
    check_there(by_sequence, columns.column("sequence").tolist())
    order = np.lexsort((columns.column("chunk_index"), columns.column("sequence")))
    said = [by_sequence[sequence] for sequence in columns.column("sequence")[order].tolist()]
    return signals_at(state, list(zip(order.tolist(), said, strict=True)))


def all_stacks(state: MemoryState) -> list[Stack]:
    """All stacks, the largest first, of equal ones the oldest; their signals newest first."""
    members: dict[int, list[int]] = {}
    for key, stack in sorted(zip(state.columns.keys.tolist(), state.columns.column("stack").tolist(), strict=True)):
        members.setdefault(stack, []).append(key)
    stacks = [
        Stack(
            stack_id=f"{state.head.token}.stack.{stack}",
            size=state.stacks.size(stack),
            signal_ids=tuple(signal_id(state, key) for key in reversed(members.get(stack, []))),
        )
        # Where they lie in RAM depends on what this handle has seen deleted.
        for stack in sorted(state.stacks.keys)
    ]
    return sorted(stacks, key=lambda stack: -stack.size)


def counts(memory_id: str, state: MemoryState | None, config: Config, rules: int) -> dict[str, Any]:
    """The published six counts, and messages, tokens of the full history, encoder, version and what is left to do.

    Args:
        memory_id: of the memory.
        state: the memory; `None`: nothing was ever written.
        config: the settings.
        rules: the version of the rules that words are told by today.
    """
    head = Head(memory_id=memory_id, token="") if state is None else state.head
    total = living = stacks = without_vector = outdated_words = 0
    if state is not None:
        total, stacks, without_vector = len(state.columns), len(state.stacks), len(state.columns.without_vector)
        outdated_words = state.words.count_before(rules)
        living = int((state.effective(slice(None), head.next_turn, config) >= config.death_threshold).sum())
    return {
        "memory_id": memory_id,
        "total_signals": total,
        "living_signals": living,
        "dead_signals": total - living,
        "stacks": stacks,
        "turn_counter": head.next_turn,
        "messages": head.message_count,
        "history_tokens": head.history_tokens,
        "encoder": head.encoder,
        "version": head.version,
        "without_vector": without_vector,
        "outdated_words": outdated_words,
    }
