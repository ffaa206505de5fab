"""What an engine has given back, as a reply to learn from. No I/O."""

from __future__ import annotations

from dataclasses import dataclass

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.base.response.schema import PydanticResponse, Response
from llama_index.core.chat_engine.types import AgentChatResponse

from streetai_llamaindex.speech import reply_text


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of an engine; without text if it is not there as a whole, or says nothing."""

    text: str = ""
    is_structured: bool = False
    """Whether it is an object, as JSON: a chat model may have given it by a call, which no model's reply tells."""


def answer_in(result: object) -> Answer:
    """What an engine has answered."""
    if isinstance(result, PydanticResponse):
        return Answer(str(result), is_structured=True)
    text = result.response if isinstance(result, Response | AgentChatResponse) else None
    said = reply_text(ChatMessage(role=MessageRole.ASSISTANT, content=text)) if isinstance(text, str) else ""
    return Answer(said)
