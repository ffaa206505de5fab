"""What the input of a chain asks, and where the past goes in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    convert_to_messages,
)
from langchain_core.prompt_values import PromptValue

from streetai_core.errors import InputError
from streetai_core.prompt.turns import as_turns, join, without_tools
from streetai_core.types import Prompt
from streetai_langchain.injected import Injected
from streetai_langchain.messages import check_content


@dataclass(frozen=True, slots=True)
class Past:
    """What a prompt has before the new user message."""

    turns: Sequence[BaseMessage] = ()
    """The window as text, user and assistant taking turns; starts with the user and ends with the assistant."""
    lead: str = ""
    """Goes directly before the new user message: one that was never answered, and the recalled block."""


def past_of(prompt: Prompt | None) -> Past:
    """The past in a prompt; none if the memory failed. Tool traffic is left out: other tools than then may be bound."""
    if prompt is None:
        return Past()
    turns = as_turns(without_tools(prompt.window)).messages
    unanswered = turns.pop()["content"] if turns and turns[-1]["role"] == "user" else ""
    return Past(convert_to_messages(turns), join(unanswered, prompt.recalled_text))


@dataclass(frozen=True, slots=True)
class Asked:
    """What an input says."""

    question: HumanMessage
    before: Sequence[BaseMessage] = ()
    """What else was said before it: examples, or the conversation, if the app sends it along."""
    after: Sequence[BaseMessage] = ()
    """What the turn has had since: calls of tools and their results."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where in an input the question is, and where the past goes."""

    input_key: str | None = None
    """Of a dict the key of the question; needed only if there are several."""
    memory_key: str | None = None
    """Of a dict the key that gets the past. Without it the past goes before the question."""

    def asked(self, value: object) -> Asked:
        """The new user message in an input, and what is said in it beside that.

        Raises:
            InputError: there is none, or where it is cannot be told.
        """
        messages = self._messages(value)
        position = _last_human(messages)
        question = cast("HumanMessage", messages[position])
        before = [message for message in messages[:position] if not isinstance(message, SystemMessage)]
        # Instructions behind the question, or the beginning of a reply that is to be continued, are said by nobody.
        after = [message for message in messages[position + 1 :] if _is_traffic(message)]
        return Asked(question, before, after)

    def filled(self, value: object, past: Past) -> tuple[object, Injected]:
        """A copy of an input with the past in it, and what was put into it."""
        if isinstance(value, Mapping) and self.memory_key is not None:
            window = [*past.turns, *([HumanMessage(past.lead)] if past.lead else [])]
            return {**value, self.memory_key: window}, Injected(window=window)
        messages, injected = _before_question(self._messages(value), past)
        return ({**value, self._key(value): messages} if isinstance(value, Mapping) else messages), injected

    def _messages(self, value: object) -> list[BaseMessage]:
        """The messages in an input, one of them at least the user's."""
        if isinstance(value, Mapping):
            asked = value[self._key(value)]
            if self.memory_key is None and isinstance(asked, str):
                raise InputError(
                    "the question is text in a dict, so there is no place for the past; set memory_key to the variable "
                    "of the prompt's MessagesPlaceholder"
                )
            return _as_messages(asked)
        if self.memory_key is not None:
            raise InputError(f"with memory_key {self.memory_key!r} the input must be a dict, got {_kind(value)}")
        return _as_messages(value)

    def _key(self, inputs: Mapping[str, Any]) -> str:
        if self.input_key is not None:
            if self.input_key not in inputs:
                raise InputError(f"input_key {self.input_key!r} is not among the inputs {list(inputs)}")
            return self.input_key
        keys = [key for key in inputs if key != self.memory_key]
        if len(keys) != 1:
            raise InputError(f"One input key expected got {keys}. Set input_key to the one with the question.")
        return keys[0]


def _as_messages(value: object) -> list[BaseMessage]:
    """Messages in any of the forms that LangChain takes; text is the user's."""
    if isinstance(value, str):
        return [HumanMessage(value)]
    if isinstance(value, BaseMessage):
        messages = [value]
    elif isinstance(value, PromptValue):
        messages = value.to_messages()
    elif isinstance(value, list | tuple):
        try:
            messages = convert_to_messages(value)
        except (NotImplementedError, ValueError) as error:
            raise InputError(f"the input is a list of something that is no message: {error}") from error
    else:
        raise InputError(f"the question must be text or messages, got {_kind(value)}")
    # Here, for what goes wrong further down counts as a failing memory.
    for message in messages:
        check_content(message)
    _last_human(messages)
    return messages


def _last_human(messages: Sequence[BaseMessage]) -> int:
    """The position of the newest user message."""
    for position in range(len(messages) - 1, -1, -1):
        if isinstance(messages[position], HumanMessage):
            return position
    raise InputError("there is no user message among the messages of the input")


def _before_question(messages: Sequence[BaseMessage], past: Past) -> tuple[list[BaseMessage], Injected]:
    """Instructions, window, what else the input has, and the question with what leads to it.

    The lead is made part of the question: two user messages in a row are not accepted everywhere.
    """
    position = _last_human(messages)
    start = next(number for number, message in enumerate(messages) if not isinstance(message, SystemMessage))
    asked = messages[position]
    led = _led(asked, past.lead) if past.lead else asked
    filled = [*messages[:start], *past.turns, *messages[start:position], led, *messages[position + 1 :]]
    return filled, Injected(asked, led, past.lead, past.turns) if past.lead else Injected(window=past.turns)


def _led(message: BaseMessage, lead: str) -> BaseMessage:
    content = message.content
    led = join(lead, content) if isinstance(content, str) else [{"type": "text", "text": lead}, *content]
    return message.model_copy(update={"content": led})


def _is_traffic(message: BaseMessage) -> bool:
    return isinstance(message, ToolMessage) or (isinstance(message, AIMessage) and bool(message.tool_calls))


def _kind(value: object) -> str:
    return type(value).__name__
