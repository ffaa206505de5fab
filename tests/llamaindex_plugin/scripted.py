"""Language models that say what a test tells them to, in every way that LlamaIndex can ask."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import Any

from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    CompletionResponse,
    LLMMetadata,
    MessageRole,
    TextBlock,
    ToolCallBlock,
)
from llama_index.core.bridge.pydantic import BaseModel, Field
from llama_index.core.llms import CustomLLM
from llama_index.core.llms.callbacks import llm_chat_callback, llm_completion_callback
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection

Reply = str | ChatMessage
KWARGS = "tool_calls"
"""Where a message has its tool calls if not as blocks."""

CONTEXT_WINDOW = 100_000
"""Tokens of the scripted models: so many that no engine splits a prompt because of them."""


class Script:
    """What a model says, and a record of what it was asked.

    `reply` gets the messages of a prompt (a prompt that is one text is one message of the user) and returns the answer,
    or raises to make the model fail. `fail_after` breaks a stream off after so many pieces; with `stall_after` a stream
    on the event loop goes no further after so many pieces, so that only the end of the loop or of the run ends it.
    The record of a prompt is a copy, as agents change the messages of a prompt afterwards.
    """

    def __init__(
        self,
        reply: Callable[[Sequence[ChatMessage]], Reply],
        *,
        fail_after: int | None = None,
        stall_after: int | None = None,
    ):
        self.reply = reply
        self.fail_after = fail_after
        self.stall_after = stall_after
        self.prompts: list[list[ChatMessage]] = []
        self._lock = Lock()

    def answer(self, messages: Sequence[ChatMessage]) -> ChatMessage:
        """The whole answer to a prompt."""
        with self._lock:
            self.prompts.append([message.model_copy(deep=True) for message in messages])
        answer = self.reply(messages)
        return said(answer) if isinstance(answer, str) else answer

    def pieces(self, answer: ChatMessage) -> Iterator[tuple[ChatMessage, str]]:
        """The answer word by word, as (what there is so far, what is new); tool calls come with the last piece."""
        words = (answer.content or "").split(" ")
        for number, word in enumerate(words):
            if number == self.fail_after:
                raise ConnectionError("the stream broke off")
            new = word if number == 0 else f" {word}"
            if number == len(words) - 1:
                yield answer.model_copy(deep=True), new
            else:
                yield said(" ".join(words[: number + 1])), new


class ScriptedChat(FunctionCallingLLM):
    """A chat model with tools. An async call runs on the event loop, as with a real client."""

    script: Script = Field(exclude=True)

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex reports it."""
        return "scripted_chat"

    @property
    def metadata(self) -> LLMMetadata:
        """A chat model that calls tools."""
        return LLMMetadata(context_window=CONTEXT_WINDOW, is_chat_model=True, is_function_calling_model=True)

    @llm_chat_callback()
    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """The answer."""
        return ChatResponse(message=self.script.answer(messages))

    @llm_chat_callback()
    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """The answer, on the event loop."""
        return ChatResponse(message=self.script.answer(messages))

    @llm_chat_callback()
    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any):
        """The answer word by word."""
        answer = self.script.answer(messages)

        def stream():
            for message, delta in self.script.pieces(answer):
                yield ChatResponse(message=message, delta=delta)

        return stream()

    @llm_chat_callback()
    async def astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any):
        """The answer word by word, on the event loop."""
        answer = self.script.answer(messages)

        async def stream():
            for number, (message, delta) in enumerate(self.script.pieces(answer)):
                if number == self.script.stall_after:
                    await asyncio.Event().wait()
                yield ChatResponse(message=message, delta=delta)

        return stream()

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:  # noqa: FBT001, FBT002 - the framework's signature
        """The text of the answer, as engines ask for it to condense a question."""
        return CompletionResponse(text=self.script.answer([asked(prompt)]).content or "")

    @llm_completion_callback()
    async def acomplete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:  # noqa: FBT001, FBT002 - the framework's signature
        """The same on the event loop."""
        return CompletionResponse(text=self.script.answer([asked(prompt)]).content or "")

    def stream_complete(self, prompt, formatted=False, **kwargs):  # noqa: FBT002 - the framework's signature
        """No engine completes in pieces with a chat model."""
        raise NotImplementedError

    async def astream_complete(self, prompt, formatted=False, **kwargs):  # noqa: FBT002 - the framework's signature
        """No engine completes in pieces with a chat model."""
        raise NotImplementedError

    def _prepare_chat_with_tools(self, tools, user_msg=None, chat_history=None, **kwargs):
        messages = list(chat_history or ())
        if user_msg is not None:
            messages.append(asked(user_msg) if isinstance(user_msg, str) else user_msg)
        return {"messages": messages, "tools": tools}

    def get_tool_calls_from_response(self, response, error_on_no_tool_call=False, **kwargs):  # noqa: FBT002 - the framework's signature
        """The tool calls of an answer, in either of the two forms that integrations use."""
        message = response.message
        blocks = [block for block in message.blocks if isinstance(block, ToolCallBlock)]
        found = [(block.tool_call_id, block.tool_name, block.tool_kwargs) for block in blocks]
        found += [(call["id"], call["name"], call["arguments"]) for call in message.additional_kwargs.get(KWARGS, ())]
        return [ToolSelection(tool_id=key, tool_name=name, tool_kwargs=arguments) for key, name, arguments in found]


class ScriptedCompletion(CustomLLM):
    """A model that completes texts, as users wrap a model of their own: every chat reaches it as one text."""

    script: Script = Field(exclude=True)

    @classmethod
    def class_name(cls) -> str:
        """The name under which LlamaIndex reports it."""
        return "scripted_completion"

    @property
    def metadata(self) -> LLMMetadata:
        """No chat model, no tools."""
        return LLMMetadata(context_window=CONTEXT_WINDOW)

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:  # noqa: FBT001, FBT002 - the framework's signature
        """The text of the answer."""
        return CompletionResponse(text=self.script.answer([asked(prompt)]).content or "")

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any):  # noqa: FBT001, FBT002 - the framework's signature
        """The text of the answer, word by word."""
        answer = self.script.answer([asked(prompt)])

        def stream():
            for message, delta in self.script.pieces(answer):
                yield CompletionResponse(text=message.content or "", delta=delta)

        return stream()


def asked(text: str) -> ChatMessage:
    """A message of the user."""
    return ChatMessage(role=MessageRole.USER, blocks=[TextBlock(text=text)])


def said(text: str) -> ChatMessage:
    """A message of the assistant."""
    return ChatMessage(role=MessageRole.ASSISTANT, blocks=[TextBlock(text=text)])


def calls(name: str, arguments: dict[str, Any], number: int = 0, *, in_kwargs: bool = False) -> ChatMessage:
    """A message of the assistant that calls a tool; `number` makes its id.

    Newer integrations give the call as a block, others among the additional arguments (`in_kwargs`).
    """
    key = f"call-{name}-{number}"
    if in_kwargs:
        call = {"id": key, "name": name, "arguments": arguments}
        return ChatMessage(role=MessageRole.ASSISTANT, blocks=[], additional_kwargs={KWARGS: [call]})
    block = ToolCallBlock(tool_call_id=key, tool_name=name, tool_kwargs=arguments)
    return ChatMessage(role=MessageRole.ASSISTANT, blocks=[block])


class Draught(BaseModel):
    """A structured answer."""

    text: str


def calls_of(message: ChatMessage) -> list[Any]:
    """The tool calls of a message, in either form."""
    blocks = [block for block in message.blocks if isinstance(block, ToolCallBlock)]
    return blocks + list(message.additional_kwargs.get(KWARGS, ()))


def text_of_prompt(messages: Sequence[ChatMessage]) -> str:
    """A recorded prompt as one text."""
    return "\n".join(f"{message.role.value}: {message.content or ''}" for message in messages)
