"""A chat model that says what a test tells it to, in every way that LangChain can ask."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import Field

Reply = str | AIMessage


class ScriptedChatModel(BaseChatModel):
    """Answers with what `reply` returns for the messages, and records every prompt.

    `reply` raises to make the model fail; `fail_after` makes a stream fail after so many chunks. An async call runs on
    the event loop, as with a real client, so that a test sees whether something else blocks it.
    """

    reply: Callable[[list[BaseMessage]], Reply]
    fail_after: int | None = None
    prompts: list[list[BaseMessage]] = Field(default_factory=list)
    tools: list[Any] = Field(default_factory=list)

    @property
    def _llm_type(self):
        return "scripted"

    def bind_tools(self, tools, **kwargs):
        """Remember the tools; the script decides when to call them. Callbacks are told of a structured answer."""
        self.tools.extend(tools)
        wanted = {name: value for name, value in kwargs.items() if name == "ls_structured_output_format"}
        return self.bind(**wanted) if wanted else self

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        return ChatResult(generations=[ChatGeneration(message=self._answer(messages))])

    async def _agenerate(self, messages, stop=None, run_manager=None, **kwargs):
        return self._generate(messages)

    def _stream(self, messages, stop=None, run_manager=None, **kwargs):
        for number, chunk in enumerate(_chunks(self._answer(messages))):
            if number == self.fail_after:
                raise ConnectionError("the stream broke off")
            generation = ChatGenerationChunk(message=chunk)
            if run_manager is not None:
                run_manager.on_llm_new_token(chunk.text, chunk=generation)
            yield generation

    async def _astream(self, messages, stop=None, run_manager=None, **kwargs):
        for generation in self._stream(messages):
            yield generation

    def _answer(self, messages: list[BaseMessage]) -> AIMessage:
        self.prompts.append(list(messages))
        answer = self.reply(messages)
        return AIMessage(content=answer) if isinstance(answer, str) else answer


def script(*replies: Reply | Exception) -> Callable[[list[BaseMessage]], Reply]:
    """Replies one after the other; an exception is raised."""
    lock = Lock()
    rest = iter(replies)

    def reply(_: list[BaseMessage]) -> Reply:
        with lock:
            answer = next(rest)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return reply


def text_of_prompt(messages: Sequence[BaseMessage]) -> str:
    """A recorded prompt as one text."""
    return "\n".join(str(message.text) for message in messages)


def _chunks(message: AIMessage) -> Iterator[AIMessageChunk]:
    """The reply word by word, or the refusal in its place, then its tool calls piece by piece."""
    if not message.text and (message.content or message.additional_kwargs):
        yield AIMessageChunk(content=message.content, additional_kwargs=message.additional_kwargs)
    words = str(message.text).split(" ") if message.text else []
    for number, word in enumerate(words):
        yield AIMessageChunk(content=word if number == 0 else f" {word}")
    for index, call in enumerate(message.tool_calls):
        start = tool_call_chunk(name=call["name"], args="", id=call["id"], index=index)
        yield AIMessageChunk(content="", tool_call_chunks=[start])
        arguments = tool_call_chunk(args=json.dumps(call["args"]), index=index)
        yield AIMessageChunk(content="", tool_call_chunks=[arguments])
    yield AIMessageChunk(content="", chunk_position="last")
