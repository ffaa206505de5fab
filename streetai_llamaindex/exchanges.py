"""Calls of tools that no result followed on, in a window: no provider takes them, so they are shown as words. No I/O.

A structured answer is given by such a call, and an agent that was interrupted has left one.
"""

from __future__ import annotations

from collections.abc import Sequence

from llama_index.core.base.llms.types import ChatMessage, TextBlock

from streetai_core.prompt.turns import WORDLESS
from streetai_core.tool_calls import calls_of, values_called
from streetai_llamaindex.messages import copied, to_stored
from streetai_llamaindex.speech import calls_tools, kind_of, role_of
from streetai_llamaindex.transcript import Line, line_of


def with_whole_exchanges(lines: Sequence[Line], *, over: bool) -> list[Line]:
    """The lines, with what was called in place of calls that lack a result; other results of theirs are left out.

    Args:
        lines: oldest first.
        over: whether another question is asked behind the lines; else the last exchange may still go on.
    """
    whole: list[Line] = []
    place = 0
    while place < len(lines):
        line = lines[place]
        place += 1
        first = place
        while calls_tools(line.message) and place < len(lines) and role_of(lines[place].message) == "tool":
            place += 1
        results = lines[first:place]
        goes_on = place == len(lines) and not over
        if goes_on or len(results) >= _calls(line.message):
            whole += [line, *results]
        else:
            whole.append(line_of(line.key, _in_words(line.message)))
    return whole


def _calls(message: ChatMessage) -> int:
    """How many tools a message calls; some models have their calls in both forms."""
    if not calls_tools(message):
        return 0
    in_blocks = sum(kind_of(block) == "tool_call" for block in message.blocks)
    return in_blocks or len(message.additional_kwargs["tool_calls"])


def _in_words(message: ChatMessage) -> ChatMessage:
    """A message that calls nothing: its words and what else it has, or what it called tools with."""
    said = copied(message)
    values = values_called(calls_of(to_stored(message, None)))
    said.additional_kwargs = {name: value for name, value in said.additional_kwargs.items() if name != "tool_calls"}
    said.blocks = [block for block in said.blocks if kind_of(block) != "tool_call"]
    if not any(kind_of(block) != "thinking" for block in said.blocks):
        said.blocks = [*said.blocks, TextBlock(text=values or WORDLESS)]
    return said
