"""Everything in LlamaIndex that talks with the help of a memory, real but for the model.

`ENGINES` and `MODES` are the tables: each row builds a chat engine or a workflow of agents over a memory and a script.
"""

from __future__ import annotations

import asyncio
import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent, ReActAgent
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.chat_engine import (
    CondensePlusContextChatEngine,
    CondenseQuestionChatEngine,
    ContextChatEngine,
    SimpleChatEngine,
)
from llama_index.core.chat_engine.types import ChatMode
from llama_index.core.memory import BaseMemory
from llama_index.core.schema import TextNode

from streetai_core.encoders import Encoder, HashingEncoder
from tests.llamaindex_plugin.scripted import Reply, Script, ScriptedChat, ScriptedCompletion, calls, text_of_prompt

DATA = Path(__file__).parent / "data"
SYSTEM = "You help a sailor."
DESK = "You are the desk of a harbour."
PILOT = "You are the pilot of a harbour."
HARBOURS = ("Kiel", "Husum", "Gdansk")

FRAMEWORK_WARNINGS = [
    # A run of agents looks at all attributes of the agents, deprecated ones included.
    pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecatedSince20:inspect"),
    pytest.mark.filterwarnings("ignore::pydantic.warnings.PydanticDeprecatedSince211:inspect"),
    # `ReActAgent` asks whether the workflow that runs it is running.
    pytest.mark.filterwarnings("ignore:is_running called from within a step:DeprecationWarning"),
]
"""For `pytestmark` where agents run: what LlamaIndex warns of itself."""

_QUESTION = re.compile(r"[A-Z][^\n?:]*\? \([\w.-]+\)")
_CONDENSE = re.compile(r"standalone question", re.IGNORECASE)


def asked_in(text: str) -> str:
    """The question of a prompt: the last that ends like those of `question`."""
    return _QUESTION.findall(text)[-1]


def question(about: str, key: object) -> str:
    """A question that a script finds again in any prompt; `key` of letters and digits tells it from others."""
    return f"{about}? ({key})"


class EncoderEmbedding(BaseEmbedding):
    """One of our encoders as the embedding model of an index."""

    _encoder: Encoder = PrivateAttr()

    def __init__(self, encoder: Encoder):
        super().__init__(model_name=encoder.fingerprint)
        self._encoder = encoder

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._encoder.encode([query], "query")[0].tolist()

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return await asyncio.to_thread(self._get_query_embedding, query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return self._encoder.encode(texts, "document").tolist()


def paragraphs() -> list[TextNode]:
    """The paragraphs of the texts in `data`, as nodes."""
    return [
        TextNode(text=paragraph, id_=f"{path.stem}/{number}")
        for path in sorted(DATA.glob("*.txt"))
        for number, paragraph in enumerate(path.read_text(encoding="utf-8").strip().split("\n\n"))
    ]


@functools.cache
def index() -> VectorStoreIndex:
    """An index over `paragraphs`; reading it changes nothing, so that all tests share it."""
    return VectorStoreIndex(nodes=paragraphs(), embed_model=EncoderEmbedding(HashingEncoder()))


def tide(harbour: str) -> str:
    """Tell the water level of a harbour."""
    return f"the tide in {harbour} is one metre"


Answers = Callable[[str], str]
"""Question -> answer."""


def replies(answers: Answers, *, steps: int = 0, in_kwargs: bool = False) -> Callable[[Sequence[ChatMessage]], Reply]:
    """A model that condenses a question to itself, then takes so many tool steps, then gives the answer.

    It reads from the prompt alone where it stands, so that any number of turns may use it at once. The desk hands over
    to the pilot before anything else.
    """

    def reply(messages: Sequence[ChatMessage]) -> Reply:
        text = text_of_prompt(messages)
        asked = asked_in(text)
        if _CONDENSE.search(text):
            return asked
        if (messages[0].content or "").startswith(DESK):
            return calls("handoff", {"to_agent": "pilot", "reason": "the pilot knows"}, in_kwargs=in_kwargs)
        since = messages[_place_of(asked, messages) + 1 :]
        done = sum(_is_tide(message) for message in since)
        if done < steps:
            return calls("tide", {"harbour": HARBOURS[done]}, done, in_kwargs=in_kwargs)
        return answers(asked)

    return reply


def react_replies(answers: Answers, *, steps: int = 0) -> Callable[[Sequence[ChatMessage]], Reply]:
    """The same for an agent that reasons in text."""

    def reply(messages: Sequence[ChatMessage]) -> Reply:
        asked = asked_in(text_of_prompt(messages))
        since = messages[_place_of(asked, messages) + 1 :]
        done = sum((message.content or "").startswith("Observation:") for message in since)
        if done < steps:
            return f'Thought: I need a tool.\nAction: tide\nAction Input: {{"harbour": "{HARBOURS[done]}"}}'
        return f"Thought: I can answer without using any more tools.\nAnswer: {answers(asked)}"

    return reply


def _place_of(asked: str, messages: Sequence[ChatMessage]) -> int:
    return max(number for number, message in enumerate(messages) if asked in (message.content or ""))


def _is_tide(message: ChatMessage) -> bool:
    return message.role == MessageRole.TOOL and (message.content or "").startswith("the tide in ")


@dataclass(frozen=True)
class Engine:
    """A row of the table."""

    name: str
    build: Callable[[BaseMemory, Script], Any]
    """A chat engine, or a workflow of agents."""
    agents: bool = False
    script: Callable[..., Callable[[Sequence[ChatMessage]], Reply]] = replies
    """Makes the model's replies from the answers."""
    hands_off: bool = False
    retrieves: bool = False
    """Whether it looks into the texts of `data`."""
    condenses: bool = False
    """Whether the model is asked to condense the question first, once there is a history."""
    final_shows_memory: bool = True
    """Whether the prompt of the answer has the memory in it; else only the condensing one has."""

    def __str__(self) -> str:
        return self.name


def _simple(memory, script):
    return SimpleChatEngine.from_defaults(llm=ScriptedChat(script=script), memory=memory, system_prompt=SYSTEM)


def _simple_completion(memory, script):
    return SimpleChatEngine.from_defaults(llm=ScriptedCompletion(script=script), memory=memory)


def _context(memory, script):
    llm = ScriptedChat(script=script)
    return ContextChatEngine.from_defaults(_retriever(), llm=llm, memory=memory, system_prompt=SYSTEM)


def _context_completion(memory, script):
    return ContextChatEngine.from_defaults(_retriever(), llm=ScriptedCompletion(script=script), memory=memory)


def _condense_plus_context(memory, script):
    llm = ScriptedChat(script=script)
    return CondensePlusContextChatEngine.from_defaults(_retriever(), llm=llm, memory=memory, system_prompt=SYSTEM)


def _condense_question(memory, script):
    llm = ScriptedChat(script=script)
    query_engine = index().as_query_engine(llm=llm, similarity_top_k=1)
    return CondenseQuestionChatEngine.from_defaults(query_engine, llm=llm, memory=memory)


def _mode(mode):
    def build(memory, script):
        return index().as_chat_engine(chat_mode=mode, llm=ScriptedChat(script=script), memory=memory)

    return build


def _function_agent(memory, script):
    return FunctionAgent(tools=[tide], llm=ScriptedChat(script=script), system_prompt=SYSTEM)


def _react_agent(memory, script):
    return ReActAgent(tools=[tide], llm=ScriptedChat(script=script))


def _workflow(memory, script):
    return AgentWorkflow.from_tools_or_functions([tide], llm=ScriptedChat(script=script), system_prompt=SYSTEM)


def _handoff(memory, script):
    llm = ScriptedChat(script=script)
    desk = FunctionAgent(name="desk", description="Receives guests.", llm=llm, system_prompt=DESK)
    pilot = FunctionAgent(name="pilot", description="Knows the tides.", tools=[tide], llm=llm, system_prompt=PILOT)
    return AgentWorkflow(agents=[desk, pilot], root_agent="desk")


def _retriever():
    return index().as_retriever(similarity_top_k=1)


ENGINES = (
    Engine("SimpleChatEngine", _simple),
    Engine("SimpleChatEngine, completion model", _simple_completion),
    Engine("ContextChatEngine", _context, retrieves=True),
    Engine("ContextChatEngine, completion model", _context_completion, retrieves=True),
    Engine("CondensePlusContextChatEngine", _condense_plus_context, retrieves=True, condenses=True),
    Engine("CondenseQuestionChatEngine", _condense_question, retrieves=True, condenses=True, final_shows_memory=False),
    Engine("FunctionAgent", _function_agent, agents=True),
    Engine("ReActAgent", _react_agent, agents=True, script=react_replies),
    Engine("AgentWorkflow", _workflow, agents=True),
    Engine("AgentWorkflow with handoff", _handoff, agents=True, hands_off=True),
)

MODES = (
    Engine("as_chat_engine('simple')", _mode(ChatMode.SIMPLE)),
    Engine("as_chat_engine('context')", _mode(ChatMode.CONTEXT), retrieves=True),
    Engine(
        "as_chat_engine('condense_plus_context')", _mode(ChatMode.CONDENSE_PLUS_CONTEXT), retrieves=True, condenses=True
    ),
    Engine(
        "as_chat_engine('condense_question')",
        _mode(ChatMode.CONDENSE_QUESTION),
        retrieves=True,
        condenses=True,
        final_shows_memory=False,
    ),
    Engine("as_chat_engine('best')", _mode(ChatMode.BEST), retrieves=True, condenses=True),
)
"""The same engines, made by an index."""
