"""What was put into the input of a chain, taken out of what the chain gives back.

A graph, such as an agent, gives back all messages of its state: the window and the recalled block would become part of
the application's own state, as if they had been said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.runnables.utils import AddableDict


@dataclass(frozen=True, slots=True)
class Injected:
    """The messages that a chain was given beside those of its caller.

    A graph gives ids to those that have none, so they are known again, be they the same objects or not. They have none
    before, for the requests to a model are to be the same each time.
    """

    asked: BaseMessage | None = None
    """The question as the caller has it."""
    led: BaseMessage | None = None
    """The question with what was put before it."""
    lead: str = ""
    """What was put before it."""
    window: Sequence[BaseMessage] = ()
    """Messages that stand before it."""

    def without(self, output: Any) -> Any:
        """An output, or a piece of a stream, without them; the same object if it has none of them."""
        if isinstance(output, BaseMessage):
            return self._as_asked(output)
        if type(output) in {list, tuple}:
            found = [self.without(one) for one in output if not self._is_of_window(one)]
            changed = len(found) != len(output) or any(
                one is not other for one, other in zip(found, output, strict=True)
            )
            return type(output)(found) if changed else output
        # Of LangChain's own kind are the pieces that a chain streams.
        if type(output) is dict or type(output) is AddableDict:
            values = type(output)((key, self.without(value)) for key, value in output.items())
            return values if any(value is not output[key] for key, value in values.items()) else output
        if is_output_of_graph(output):
            value = self.without(output.value)
            return output if value is output.value else replace(output, value=value)
        return output

    def _is_of_window(self, value: Any) -> bool:
        return isinstance(value, BaseMessage) and any(_are_one(value, one) for one in self.window)

    def _as_asked(self, message: BaseMessage) -> BaseMessage:
        """The question without what was put before it, be it as it was asked or as the chain has changed it since."""
        if self.asked is None or self.led is None or not _are_one(message, self.led):
            return message
        if message.content != self.led.content:
            return message.model_copy(update={"content": _behind(self.lead.splitlines()[-1], message.content)})
        return self.asked if self.asked.id == message.id else self.asked.model_copy(update={"id": message.id})


def _behind(line: str, content: Any) -> Any:
    """What of a content stands behind a line; all of it if the line is not there."""
    if isinstance(content, str):
        return content.rpartition(line)[2].lstrip("\n")
    # Of a list, the lead is a block of its own.
    return [one for one in content if not (isinstance(one, dict) and str(one.get("text", "")).endswith(line))]


def _are_one(message: BaseMessage, other: BaseMessage) -> bool:
    return message is other or (message.id is not None and message.id == other.id)


def is_output_of_graph(output: Any) -> bool:
    """Whether this is what a graph gives with `version="v2"`; told by its form, as langgraph need not be installed."""
    return not isinstance(output, BaseMessage | Mapping) and hasattr(output, "value") and hasattr(output, "interrupts")
