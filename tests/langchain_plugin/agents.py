"""Agents with a memory, real ones but for the model, and what can be seen of a turn."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from streetai_langchain import StreetAIMemory
from tests.langchain_plugin.scripted import ScriptedChatModel, script
from tests.learning import learning_steps

STYLES = ("invoke", "ainvoke", "stream", "astream", "stream updates")
CONFIG = {"configurable": {"thread_id": "t1", "user_id": "mara"}}


@tool
def tide(harbour: str) -> str:
    """The water level of a harbour."""
    return f"the tide in {harbour} is one metre"


def calls(*harbours, text=""):
    """A message of the model that asks for tides."""
    return AIMessage(
        text,
        tool_calls=[{"name": "tide", "args": {"harbour": one}, "id": f"call-{one}"} for one in harbours],
    )


def skip_async_before_python_3_11(style, reason):
    """Skip a test in an async style on Python 3.10, whose tasks take no context: LangGraph's own code fails in it."""
    if style.startswith("a") and sys.version_info < (3, 11):
        pytest.skip(reason)


@dataclass
class Agent:
    """An agent, its model and its memory."""

    streetai: StreetAIMemory
    replies: tuple = ()
    options: dict = field(default_factory=dict)
    middleware: list = field(default_factory=list)
    checkpointer: object = field(default_factory=InMemorySaver)
    agent_options: dict = field(default_factory=dict)
    tools: list = field(default_factory=lambda: [tide])
    model: ScriptedChatModel = None

    def __post_init__(self):
        """Put it together."""
        self.model = self.model or ScriptedChatModel(reply=script(*self.replies))
        self.graph = create_agent(
            self.model,
            self.tools,
            middleware=[*self.middleware, self.streetai.middleware(**self.options)],
            checkpointer=self.checkpointer,
            **self.agent_options,
        )

    @property
    def memory(self):
        """Mara's."""
        return self.streetai.registry.get("mara")

    @property
    def prompts(self):
        """What the model was sent, comparable between memories: type, text without the fence's mark, tool calls."""
        return [
            [
                (
                    one.type,
                    re.sub(r"recalled [0-9]{8}", "recalled", one.text),
                    [call["args"] for call in getattr(one, "tool_calls", [])],
                )
                for one in prompt
            ]
            for prompt in self.model.prompts
        ]

    def state(self, config=CONFIG):
        """The checkpointed state."""
        return self.graph.get_state(config).values

    async def run(self, style, asked, config=CONFIG):
        """One run to its end, in one of the `STYLES`."""
        given = {"messages": [HumanMessage(asked)]} if isinstance(asked, str) else asked
        if style == "invoke":
            self.graph.invoke(given, config)
        elif style == "ainvoke":
            await self.graph.ainvoke(given, config)
        elif style == "astream":
            async for _ in self.graph.astream(given, config, stream_mode="messages"):
                pass
        else:
            for _ in self.graph.stream(given, config, stream_mode="messages" if style == "stream" else "updates"):
                pass


def said(memory, conversation_id="t1"):
    """Roles and texts of a conversation."""
    return [(message.role, message.content) for message in memory.messages(conversation_id=conversation_id)]


def lessons(memory):
    """How many learning steps there were: the entries of the log by signal, those with any."""
    return sorted(learning_steps(memory).values())
