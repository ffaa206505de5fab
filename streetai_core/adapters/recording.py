"""Storing what was said in a request and its reply: each message once, in order, and learning from the last reply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from streetai_core import recording
from streetai_core.adapters.codec import Reply, Said
from streetai_core.adapters.exchanges import joined
from streetai_core.adapters.stored import (
    PARTIAL,
    as_answer,
    as_message,
    begun,
    call_id,
    call_ids,
    imported,
    is_answer,
    words_of_reply,
)
from streetai_core.adapters.stored_traffic import StoredTraffic
from streetai_core.adapters.turns import Turn
from streetai_core.memory import Memory
from streetai_core.text.clean import clean
from streetai_core.types import Message, NewMessage

_MARGIN = 64
"""Stored messages that are read beyond those that a request has."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to be stored for a turn."""

    messages: list[NewMessage]
    user_id: str | None
    """The id of the user's message, stored now or before."""
    next_number: int
    """Of the turn's next message."""
    answered: bool
    """Whether the turn has had its last reply: then a second one, to the same request, teaches nothing more."""


def record(
    turn: Turn, reply: Reply | None, memory: Memory, provider: str, *, goes_on: bool = False
) -> Exception | None:
    """Store what is new in a turn, learn from its reply if that is its last, and note on the turn what was done.

    Args:
        turn: a request that has been sent.
        reply: what came back; `None`: nothing.
        memory: whose.
        provider: names it in ids and metadata.
        goes_on: whether its models go on with their own words at the end of a request.

    Returns:
        Why nothing could be learned, if something should have been.

    Raises:
        StreetAIError: nothing was stored.
    """
    stored = _newest(turn, memory)
    _resume(turn, stored, provider)
    plan = _planned(turn, stored, provider)
    if goes_on and (beginning := _beginning(turn, plan)):
        # The app has written it for the reply; nobody has said it alone.
        plan.messages.pop()
        reply = None if reply is None else replace(reply, text=beginning + reply.text)
    answer = None
    if reply is not None:
        turn.response_id = reply.response_id
        answer = as_answer(
            reply,
            provider,
            continues=turn.request.continues,
            conversation_id=turn.session.conversation_id,
            message_id=_named(turn, provider, plan.next_number),
        )
    messages = plan.messages if answer is None else [*plan.messages, answer]
    final = reply is not None and reply.complete and not reply.waits and not plan.answered
    failure = _learned(turn, memory, messages, words_of_reply(reply) if final and reply is not None else "")
    turn.user_message_id = plan.user_id
    turn.assistant_message_id = None if answer is None else answer.message_id
    turn.message_ids = tuple(one.message_id for one in messages if one.message_id)
    turn.partial = reply is None or not reply.complete
    return failure


def has_called(turn: Turn, memory: Memory) -> bool:
    """Whether the results in a request are of calls that the memory knows."""
    return _caller(turn, _newest(turn, memory)) is not None


def _newest(turn: Turn, memory: Memory) -> list[Message]:
    """The newest messages of the conversation, as many as a request can have something to do with."""
    parts = turn.parts
    # Only tools make a turn go on with what is stored; else all that matters is how the conversation ends.
    tools = bool(parts.since) or any(said.tool_call_id for said in parts.history)
    last = len(turn.request.said) + _MARGIN if tools else len(parts.asked)
    return memory.messages(conversation_id=turn.session.conversation_id, last=last)


def _learned(turn: Turn, memory: Memory, messages: Sequence[NewMessage], reply: str) -> Exception | None:
    """Store messages and learn; what was learned is noted on the turn."""
    recalled = turn.prompt.retrieved if turn.prompt is not None and turn.prompt.recalled_text else []
    recorded = recording.record(memory, turn.turn_id, messages, retrieved=recalled, reply=reply)
    turn.updates = tuple(recorded.updates)
    return recorded.failure


def _planned(turn: Turn, stored: Sequence[Message], provider: str) -> _Plan:
    """What of a request is not stored yet."""
    parts, thread = turn.parts, turn.session.conversation_id
    mine = [message for message in stored if message.message_id.startswith(_named(turn, provider, ""))]
    before: list[NewMessage] = []
    user_id = next((message.message_id for message in reversed(mine) if message.role == "user"), None)
    if mine:
        # Of a turn whose tools were at work, the user's message and the traffic up to the last call are there.
        whole = [message for message in mine if message.role != "user" and not message.metadata.get(PARTIAL)]
        # The beginning of a reply that the model is to go on with, also of one that was cut.
        told = {message.content for message in mine if message.role == "assistant"}
        since = [said for said in joined(parts.since) if not (_is_words(said) and clean(said.text)[0] in told)]
        there = StoredTraffic(whole, since)
        new = [said for said in since if not there.has(said)]
    else:
        said_now = joined([*parts.asked, *parts.since])
        known = begun(stored, said_now)
        user_id = next((message.message_id for message in reversed(known) if message.role == "user"), None)
        new = [*_late_results(parts.history, stored), *said_now[len(known) :]]
        if not stored:
            before = imported(joined(parts.history), provider, thread)
    number = 1 + max((_number(message) for message in mine), default=-1)
    messages = []
    for said in joined(new):
        message = as_message(said, thread, _named(turn, provider, number))
        if message is not None:
            messages.append(message)
            number += 1
            if said.role == "user":
                user_id = message.message_id
    answered = any(is_answer(message) for message in mine)
    return _Plan([*before, *messages], user_id, number, answered)


def _beginning(turn: Turn, plan: _Plan) -> str:
    """The words of the model at the end of a request that are not stored yet; empty if it has none."""
    last, new = turn.parts.since[-1:], plan.messages[-1:]
    is_new = bool(last and new) and _is_words(last[0]) and (new[0].role, new[0].content) == ("assistant", last[0].text)
    return last[0].text if is_new else ""


def _is_words(said: Said) -> bool:
    """Whether the model says something and calls no tools."""
    return said.role == "assistant" and not said.tool_calls


def _late_results(history: Sequence[Said], stored: Sequence[Message]) -> list[Said]:
    """Results of calls of an earlier turn that come with a new message of the user's."""
    called = {one for message in stored for one in call_ids(message)}
    known = {call_id(message) for message in stored if message.role == "tool"}
    return [said for said in history if said.tool_call_id in called - known]


def _resume(turn: Turn, stored: Sequence[Message], provider: str) -> None:
    """Find the turn that a request goes on with, if another process began it: its calls are in the store."""
    caller = _caller(turn, stored)
    if caller is not None and caller.message_id.startswith(f"{provider}-"):
        turn.turn_id = caller.message_id.removeprefix(f"{provider}-").rpartition("/")[0]


def _caller(turn: Turn, stored: Sequence[Message]) -> Message | None:
    """The stored message whose calls the results in a request are of."""
    results = set(turn.parts.results)
    return next((message for message in reversed(stored) if results & set(call_ids(message))), None)


def _named(turn: Turn, provider: str, number: int | str) -> str:
    return f"{provider}-{turn.turn_id}/{number}"


def _number(message: Message) -> int:
    """The place of a message in its turn."""
    digits = message.message_id.rpartition("/")[2]
    return int(digits) if digits.isdecimal() else 0
