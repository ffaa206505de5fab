"""What the messages of an agent's state mean for a memory: the question, the turn, the reply. No I/O."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, TypedDict

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolCall, ToolMessage
from typing_extensions import NotRequired

from streetai_core import NewMessage
from streetai_core.prompt.turns import join
from streetai_langchain.messages import text_of, to_stored, values_called
from streetai_langchain.sessions import Session

_ID_LENGTH = 32
"""Hexadecimal digits of a turn's id: 128 bits, like a UUID."""


class TurnRecord(TypedDict):
    """What is remembered of a turn in the agent's checkpointed state; nothing but JSON."""

    turn: str
    """The id of the user's message, or what stands for it."""
    question: str
    """Its text."""
    signal_ids: list[str]
    """Of what was recalled for it. Not its text: whoever sees the state, or a stream of it, may not be its user."""
    saved: str | None
    """The id of the last message that needs no storing any more; empty: all need it; `None`: it had no id."""
    learned: bool
    """Whether the turn has had its reply."""
    memory: str
    """The id of the memory that was asked: whoever goes on with the turn, it is stored there."""
    conversation: str | None
    """The conversation that the turn is part of."""
    asked_at: NotRequired[str]
    """When and where its question was asked (ISO 8601); left out: the registry's clock tells it."""


def question_position(messages: Sequence[BaseMessage], turn: str = "") -> int | None:
    """Where the message of a user's turn is; the user's newest message if that is not there."""
    newest = None
    for position, message in enumerate(messages):
        if isinstance(message, HumanMessage) and not _is_summary(message):
            newest = position
            if turn and message.id == turn:
                return position
    return newest


def opened(messages: Sequence[BaseMessage], position: int, before: TurnRecord | None, session: Session) -> TurnRecord:
    """The record of the turn that the message at `position` begins, with nothing recalled yet."""
    message = messages[position]
    question = text_of(message)
    ids = [one.id for one in messages]
    first = _first_of_another_memory(messages, position, before, session)
    if first is not None:
        saved = ids[first - 1] if first else ""
    elif before is not None and before["saved"] in ["", *filter(None, ids[:position])]:
        saved = before["saved"]
    else:
        # Nothing is known of what came before: answered questions count as stored, unanswered ones as orphans.
        first = _first_unanswered(messages, position)
        saved = ids[first - 1] if first else ""
    record = TurnRecord(
        turn=message.id or _digest([session.conversation_id, position, question]),
        question=question,
        signal_ids=[],
        saved=saved,
        learned=False,
        memory=session.memory_id,
        conversation=session.conversation_id,
    )
    if session.asked_at is not None:
        record["asked_at"] = session.asked_at.isoformat()
    return record


def left_to_another_memory(
    messages: Sequence[BaseMessage], position: int, before: TurnRecord | None, session: Session
) -> list[BaseMessage]:
    """What an unfinished turn of somebody else has left in a shared thread, before the turn that begins at `position`.

    It is what that one's memory has not stored yet, and must never be stored in this one.
    """
    first = _first_of_another_memory(messages, position, before, session)
    return [] if before is None or first is None else unsaved(messages[:first], before)


def question_now(messages: Sequence[BaseMessage], record: TurnRecord) -> str | None:
    """What the question of a turn says in the state by now, for a redaction may have changed it; `None`: it is gone."""
    return next((text_of(message) for message in messages if message.id == record["turn"]), None)


def unsaved(messages: Sequence[BaseMessage], record: TurnRecord) -> list[BaseMessage]:
    """The messages to store when the turn has ended: after the last one that was, or from the turn's beginning."""
    ids = [message.id for message in messages]
    start = question_position(messages, record["turn"])
    if record["saved"] and record["saved"] in ids:
        rest = list(messages[ids.index(record["saved"]) + 1 :])
    elif start is not None and (ids[start] == record["turn"] or text_of(messages[start]) == record["question"]):
        first = 0 if record["saved"] == "" else _first_unanswered(messages, start)
        rest = list(messages[first:])
    else:
        # A summary has taken the place of the question; what follows the summary belongs to this turn.
        humans = [position for position, message in enumerate(messages) if isinstance(message, HumanMessage)]
        asked = HumanMessage(record["question"], id=record["turn"])
        rest = [asked, *messages[humans[-1] + 1 if humans else 0 :]]
    return [message for message in rest if not _is_summary(message)]


def as_new_messages(messages: Sequence[BaseMessage], conversation_id: str | None) -> list[NewMessage]:
    """Messages as they are stored. Each turn advances the clock by two: its user message and its end."""
    last = len(messages) - 1
    stored = []
    for number, message in enumerate(messages):
        spoken = isinstance(message, AIMessage) and not message.tool_calls
        ends = number == last or (spoken and isinstance(messages[number + 1], HumanMessage))
        new = to_stored(message, conversation_id)
        stored.append(replace(new, ticks=ends or isinstance(message, HumanMessage)))
    return stored


def reply_of(messages: Sequence[BaseMessage], *, structured: object) -> str:
    """What the model said at last: text, or a structured response as JSON. Empty if it said nothing.

    The result of a tool that ends the run is nobody's reply: it does not tell what the model made use of.

    Args:
        messages: of a turn.
        structured: the structured response that the state has, which may be an earlier turn's; `None`: none.
    """
    end = messages[-1] if messages else None
    if isinstance(end, AIMessage):
        return "" if end.tool_calls else text_of(end)
    if isinstance(end, ToolMessage) and structured is not None:
        calls = [call for message in messages if isinstance(message, AIMessage) for call in message.tool_calls]
        return values_called(call for call in calls if call["id"] == end.tool_call_id and _gives(call, structured))
    return ""


def _gives(call: ToolCall, structured: object) -> bool:
    """Whether a call is that by which the model has given this response, and none of a tool that has ended the run."""
    if isinstance(structured, dict):
        # Of a schema without a class nothing tells the name, and values may have been made fit it.
        return set(call["args"]) <= set(structured)
    return call["name"] == type(structured).__name__


def with_answer_said(messages: Sequence[BaseMessage], *, structured: object) -> list[BaseMessage]:
    """The messages of a turn, of which a structured answer is something that the model says.

    It gives it by a call that no tool ever carries out; kept as a tool's result, the answer would be believed no more
    than a page that a tool has read.
    """
    end = messages[-1] if messages else None
    answer = reply_of(messages, structured=structured)
    if not isinstance(end, ToolMessage) or not answer:
        return list(messages)
    before = [_without_call(message, end.tool_call_id) for message in messages[:-1]]
    return [*(message for message in before if message is not None), AIMessage(answer, id=end.id)]


def _without_call(message: BaseMessage, call_id: str) -> BaseMessage | None:
    """A message without one of its calls; `None` if it says and calls nothing else."""
    if not isinstance(message, AIMessage) or all(call["id"] != call_id for call in message.tool_calls):
        return message
    others = [call for call in message.tool_calls if call["id"] != call_id]
    text = text_of(message)
    return AIMessage(text, id=message.id, name=message.name, tool_calls=others) if others or text.strip() else None


def turn_id(record: TurnRecord) -> str:
    """The turn's id in the ledger."""
    return f"langchain-turn-{_digest([record['conversation'], record['turn']])}"


def window_start(messages: Sequence[BaseMessage], position: int | None, window: int | None) -> int:
    """Where the part of a request begins that ends with the question at `position` and has `window` messages at most.

    It begins with a user message, so that no tool result lacks its call.
    """
    if window is None or position is None:
        return 0
    first = max(0, position + 1 - window)
    return next(number for number in range(first, position + 1) if isinstance(messages[number], HumanMessage))


def beside_question(messages: Sequence[Any], position: int, text: str) -> list[Any]:
    """The messages with `text` in front of the question; the others are the same objects."""
    return [*messages[:position], _with_text(messages[position], text, before=True), *messages[position + 1 :]]


def in_system(message: SystemMessage | None, text: str) -> SystemMessage:
    """The system message with `text` after its own."""
    return SystemMessage(text) if message is None else _with_text(message, text, before=False)


def _with_text(message: Any, text: str, *, before: bool) -> Any:
    """A copy of a message with a text more: joined to a plain content, a block of its own in a list."""
    if isinstance(message.content, str):
        content: Any = join(text, message.content) if before else join(message.content, text)
    else:
        block = [{"type": "text", "text": text}]
        content = [*block, *message.content] if before else [*message.content, *block]
    return message.model_copy(update={"content": content})


def _first_of_another_memory(
    messages: Sequence[BaseMessage], position: int, before: TurnRecord | None, session: Session
) -> int | None:
    """Where the part of a memory begins in a thread whose last turn was of another; `None` if it was of the same."""
    if before is None or before["memory"] == session.memory_id:
        return None
    asked = next((number for number in range(position) if messages[number].id == before["turn"]), None)
    if asked is None:
        return _first_unanswered(messages, position)
    humans = (number for number in range(asked + 1, position) if isinstance(messages[number], HumanMessage))
    return next(humans, position)


def _first_unanswered(messages: Sequence[BaseMessage], position: int) -> int:
    """The first of the user messages that stand next to each other and end at `position`."""
    while position and isinstance(messages[position - 1], HumanMessage) and not _is_summary(messages[position - 1]):
        position -= 1
    return position


def _is_summary(message: BaseMessage) -> bool:
    """Whether LangChain's summarisation has written a message in the user's name."""
    return bool(message.additional_kwargs.get("lc_source") == "summarization")


def _digest(parts: Sequence[object]) -> str:
    return sha256(json.dumps(parts).encode()).hexdigest()[:_ID_LENGTH]
