"""A chat model that answers with recorded replies, in the place of one that costs money."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr


class RecordedModel(BaseChatModel):
    """Gives the reply that was recorded, and keeps what it was sent, so that it can be counted where it arrives."""

    _reply: str = PrivateAttr(default="")
    _failures: Sequence[Exception] = PrivateAttr(default=())
    _received: list[str] = PrivateAttr(default_factory=list)

    @property
    def received(self) -> tuple[str, ...]:
        """The text of each message of the last call."""
        return tuple(self._received)

    def prepare(self, reply: str, failures: Sequence[Exception]) -> None:
        """Set the reply of the next call.

        Args:
            reply: what was recorded.
            failures: of the memory; if one is there by then, the call raises it instead of replying. A chain would go
                on without recall and store the turn, which then could not be played again.
        """
        self._reply = reply
        self._failures = failures
        self._received = []

    @property
    def _llm_type(self) -> str:
        return "streetai-recorded"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - LangChain's signature; a recording is not stopped
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002 - as above
        **kwargs: Any,  # noqa: ARG002 - as above
    ) -> ChatResult:
        if self._failures:
            raise self._failures[0]
        self._received = [message.text for message in messages]
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=self._reply))])
