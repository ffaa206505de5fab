"""Every call that writes, made ready on a small memory, so that it can be made to fail anywhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from streetai_core.memory import Memory
from streetai_core.registry import MemoryRegistry
from streetai_core.testing.torture.checking import open_registry
from streetai_core.testing.torture.work import message_of, text_of
from streetai_core.types import NewMessage

MEMORY = "tortured"

_KNOWN = tuple(f"known-{number}" for number in range(10))
"""Messages of the memory: enough for several stacks, few enough that thousands of comparisons take seconds."""

_GONE = "conversation to delete"

_REPLY = text_of(_KNOWN[3]) + " " + text_of(_KNOWN[4])

Call = Callable[[], object]


def make_template(path: Path) -> None:
    """Write the memory that every call starts from, and close it."""
    with open_registry(path) as registry:
        memory = registry.get(MEMORY)
        memory.add_messages(message_of(one) for one in _KNOWN)
        memory.add_messages(
            NewMessage(content=text_of(f"gone-{number}"), role="user", conversation_id=_GONE) for number in range(2)
        )
        memory.post_process(memory.retrieve(text_of(_KNOWN[3])), _REPLY)


def _add_message(registry: MemoryRegistry) -> Call:
    memory = registry.get(MEMORY)
    return lambda: memory.add_message(text_of("new"), "user", message_id="new")


def _add_messages(registry: MemoryRegistry) -> Call:
    memory = registry.get(MEMORY)
    messages = [message_of(f"new-{number}") for number in range(5)]
    return lambda: memory.add_messages(messages)


def _update_message(registry: MemoryRegistry) -> Call:
    memory = registry.get(MEMORY)
    return lambda: memory.update_message(_KNOWN[2], text_of(_KNOWN[2], 1))


def _delete_message(registry: MemoryRegistry) -> Call:
    memory = registry.get(MEMORY)
    return lambda: memory.delete_message(_KNOWN[5])


def _delete_messages(registry: MemoryRegistry) -> Call:
    memory = registry.get(MEMORY)
    return lambda: memory.delete_messages([_KNOWN[7], _KNOWN[8]])


def _delete_conversation(registry: MemoryRegistry) -> Call:
    memory = registry.get(MEMORY)
    return lambda: memory.delete_conversation(_GONE)


def _post_process(registry: MemoryRegistry) -> Call:
    memory = registry.get(MEMORY)
    hits = memory.retrieve(text_of(_KNOWN[3]))
    return lambda: memory.post_process(hits, _REPLY)


def _record_turn(registry: MemoryRegistry) -> Call:
    memory = registry.get(MEMORY)
    hits = memory.retrieve(text_of(_KNOWN[4]))
    messages = [message_of("asked"), message_of("answered")]
    return lambda: memory.record_turn("turn", messages, retrieved=hits, reply=_REPLY)


def _reencode(registry: MemoryRegistry) -> Call:
    memory: Memory = registry.get(MEMORY)
    return memory.reencode


def _quarantine(registry: MemoryRegistry) -> Call:
    memory = registry.get(MEMORY)
    return lambda: memory.quarantine(conversation=_GONE)


def _rollback(registry: MemoryRegistry) -> Call:
    memory = registry.get(MEMORY)
    return lambda: memory.rollback(1)


def _forget_message(registry: MemoryRegistry) -> Call:
    memory = registry.get(MEMORY)
    return lambda: memory.forget(message=_KNOWN[6])


def _forget_conversation(registry: MemoryRegistry) -> Call:
    memory = registry.get(MEMORY)
    return lambda: memory.forget(conversation=_GONE)


def _reset(registry: MemoryRegistry) -> Call:
    return lambda: registry.reset(MEMORY)


CALLS: dict[str, Callable[[MemoryRegistry], Call]] = {
    "add_message": _add_message,
    "add_messages": _add_messages,
    "update_message": _update_message,
    "delete_message": _delete_message,
    "delete_messages": _delete_messages,
    "delete_conversation": _delete_conversation,
    "post_process": _post_process,
    "record_turn": _record_turn,
    "reencode": _reencode,
    "quarantine": _quarantine,
    "rollback": _rollback,
    "forget_message": _forget_message,
    "forget_conversation": _forget_conversation,
    "reset": _reset,
}
"""Each prepares a call and returns it; a new verb that writes is one line here and one function above."""
