"""What LlamaIndex messages and inputs say: the question of a turn, the reply to it, tool traffic. No I/O."""

from __future__ import annotations

import re
from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock
from llama_index.core.schema import QueryBundle

from streetai_core.text.clean import clean, is_blank
from streetai_core.types import Role

NO_ANSWER = "Empty Response"
"""What LlamaIndex stores as the assistant's words when a retriever found nothing and no model was asked."""

_MADE = frozenset({"image", "audio", "video", "document"})
"""Kinds of blocks that are an answer without words."""

_ROLES: dict[MessageRole, Role] = {
    MessageRole.SYSTEM: "system",
    MessageRole.DEVELOPER: "developer",
    MessageRole.USER: "user",
    MessageRole.ASSISTANT: "assistant",
    MessageRole.FUNCTION: "tool",
    MessageRole.TOOL: "tool",
    MessageRole.CHATBOT: "assistant",
    MessageRole.MODEL: "assistant",
}

_TRACE = re.compile(r"\s*(Thought|Action|Observation)\s*:")
"""How the trace of a ReAct agent begins."""
_ANSWER = re.compile(r"^Answer\s*:\s*", re.MULTILINE)
_STEP = re.compile(r"^(Action|Action Input|Observation)\s*:", re.MULTILINE)


def role_of(message: ChatMessage) -> Role:
    """The core's role of a message."""
    return _ROLES[MessageRole(message.role)]


def text_of(message: ChatMessage) -> str:
    """The text blocks of a message, joined by line breaks as `ChatMessage.content` does; empty if there are none."""
    return "\n".join(block.text for block in message.blocks if isinstance(block, TextBlock))


def asked_text(value: Any) -> str:
    """What the `input` of a `get` asks: text, a message or a query; empty for everything else, which asks nothing."""
    if isinstance(value, ChatMessage):
        return text_of(value)
    text = value.query_str if isinstance(value, QueryBundle) else value
    return text if isinstance(text, str) else ""


def kind_of(block: Any) -> str:
    """Which kind of block it is: by name, because the first versions 0.14 lack some of the classes."""
    return str(getattr(block, "block_type", ""))


def calls_tools(message: ChatMessage) -> bool:
    """Whether a message calls tools, in either of the two forms that LlamaIndex has for it."""
    return bool(message.additional_kwargs.get("tool_calls")) or any(
        kind_of(block) == "tool_call" for block in message.blocks
    )


def is_tool_traffic(message: ChatMessage) -> bool:
    """Whether a message calls tools or is the result of one."""
    return role_of(message) == "tool" or (role_of(message) == "assistant" and calls_tools(message))


def is_spoken(message: ChatMessage) -> bool:
    """Whether a message is a reply of the assistant's, be it blank or not, and no tool traffic."""
    return role_of(message) == "assistant" and not calls_tools(message)


def ends_turn(message: ChatMessage) -> bool:
    """Whether a message is the assistant's last word on a question: words, or what it has made, and no tool calls.

    "Empty Response" is the end of a turn too. The trace of a ReAct agent without an answer is not.
    """
    if not is_spoken(message):
        return False
    if any(kind_of(block) in _MADE for block in message.blocks):
        return True
    return not is_blank(remembered_text(message)) or text_of(message).strip() == NO_ANSWER


def reply_text(message: ChatMessage) -> str:
    """What there is to learn from a message: the words of a final reply; empty for every other message."""
    return remembered_text(message) if ends_turn(message) else ""


def remembered_text(message: ChatMessage) -> str:
    """What of a message can be recalled: its words, of a ReAct trace the answer, of a refusal what OpenAI's models say.

    Empty for "Empty Response", which nobody said, and for a trace without an answer.
    """
    text = clean(text_of(message))[0]
    if role_of(message) != "assistant":
        return text
    if text.strip() == NO_ANSWER:
        return ""
    if is_blank(text) and isinstance(refusal := message.additional_kwargs.get("refusal"), str):
        return clean(refusal)[0]
    return _answer_in(text) if _TRACE.match(text) else text


def same_words(text: str, other: str) -> bool:
    """Whether two texts say the same, white space at the ends apart."""
    return clean(text)[0].strip() == clean(other)[0].strip()


def _answer_in(text: str) -> str:
    """The answer at the end of what begins like the trace of a ReAct agent; all of it if it is no such trace."""
    found = list(_ANSWER.finditer(text))
    if found:
        return text[found[-1].end() :].strip()
    return "" if _STEP.search(text) else text
