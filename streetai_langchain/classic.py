"""`memory=` of LangChain's classic chains: recall before the model is called, storing and learning after it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from pydantic import ConfigDict, Field, InstanceOf, field_validator

from streetai_core import Memory, NewMessage, Prompt, WeightUpdate
from streetai_core.errors import InputError, MissingExtraError
from streetai_core.failures import fail_open, report
from streetai_core.prompt.turns import without_tools
from streetai_core.recording import Recorded
from streetai_core.text.clean import check_id, is_blank
from streetai_core.types import Message
from streetai_core.verbs.arguments import moment_of
from streetai_langchain.callbacks import LearnedByView
from streetai_langchain.messages import to_stored
from streetai_langchain.recording import Recording, new_turn_id
from streetai_langchain.said import said_text

try:
    from langchain_classic.base_memory import BaseMemory
except ModuleNotFoundError as error:
    raise MissingExtraError("langchain-classic", "classic") from error

logger = logging.getLogger(__name__)

_REPLY_KEYS = ("answer", "output", "response", "text", "result")
"""Where chains with several outputs have their reply; the first that is there is taken."""

_NOT_INPUT = "stop"
"""Stop sequences are an input of every chain and never the question."""

_ANY_QUESTION = "-"
"""Stands for a blank question, which no prompt can be built for. The window does not depend on the question."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a chain, after it was stored."""

    question: str
    reply: str
    prompt: Prompt | None
    """What was recalled for the question and why; `None` if nothing was asked of the memory, or it failed."""
    updates: Sequence[WeightUpdate]
    """What the memory learned from the reply."""


@dataclass(frozen=True, slots=True)
class _Recall:
    """What a turn needs to know of its own beginning when it ends."""

    input_key: str | None
    prompt: Prompt | None


class _RecalledText(LearnedByView, str):
    """The history of one run as text. Chains hand the very object back, so it ties the end of a run to its start."""

    __slots__ = ("recall",)
    recall: _Recall


class _RecalledMessages(LearnedByView, list[BaseMessage]):
    """The history of one run as messages."""

    __slots__ = ("recall",)
    recall: _Recall


class StreetAIChainMemory(BaseMemory):
    """Memory for `ConversationChain`, `LLMChain` and every other chain or agent that takes `memory=`.

    Before the model is called, the history variable gets the last messages of the conversation and, if there is any,
    what else in the whole memory bears on the question. After it, question and reply are stored, and the memory learns
    which of the recalled pieces the reply used, in one transaction; if nothing can be learned, the turn is stored all
    the same. What was recalled is never stored as if it had been said. One object may serve many runs at once.

    A failing memory never costs a reply: the failure is logged and given to `on_error`, and the chain goes on
    without recall, or with the turn not stored. Wrong keys, on the other hand, raise, and so do a question and a reply
    that are neither text nor content blocks nor messages, as with LangChain's own memory.

    Tool calls and tool results of the conversation are left out: the prompts of these chains have no place for them.

        chain = ConversationChain(llm=model, memory=StreetAIChainMemory(memory=registry.get("user_123")))
    """

    memory: Memory
    conversation_id: str | None = None
    """The thread; recall looks at all threads of the memory."""
    memory_key: str = Field(default="history", min_length=1)
    """The variable of the chain's prompt."""
    input_key: str | None = None
    """Which input is the question; needed only if there are several."""
    output_key: str | None = None
    """Which output is the reply; needed only if there are several and none has a usual name."""
    return_messages: bool = False
    """Whether the variable is a list of messages, for a `MessagesPlaceholder`, instead of text.

    The recalled block is then one `HumanMessage` and stands last, beside the new human message that it is for: as data
    it must not speak with the authority of a system message, and what comes before it stays the same from turn to
    turn, which provider caches reward.
    """
    human_prefix: str = "Human"
    ai_prefix: str = "AI"
    human_name: str | None = None
    """Stored as the author of the questions; recalled pieces are labelled with it."""
    ai_name: str | None = None
    """Stored as the author of the replies; recalled pieces are labelled with it."""
    token_budget: int | None = Field(default=None, ge=1, strict=True)
    """Most tokens of question, window and recalled block together; the chain's own template is not counted."""
    asked_at: InstanceOf[datetime] | Callable[[], datetime] | None = None
    """When and where questions are asked, by which "yesterday" goes: a time in the user's zone, or a function that
    gives it. `None`: the registry's clock."""
    on_error: Callable[[Exception], None] | None = None
    """Told of every failure of the memory."""
    on_turn: Callable[[Turn], None] | None = None
    """Told of every turn that was stored: what was recalled for it and what was learned. For looking in."""

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    @field_validator("conversation_id")
    @classmethod
    def _usable_id(cls, value: str | None) -> str | None:
        return None if value is None else check_id(value, "conversation_id")

    @property
    def memory_variables(self) -> list[str]:
        """The one variable that this memory fills."""
        return [self.memory_key]

    def load_memory_variables(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """The history for a question: window and recalled block.

        Args:
            inputs: of the chain. Without a question, or with a blank one, there is no recall.

        Raises:
            InputError: which input is the question cannot be told, or it is no text.
        """
        key, question = self._question(inputs)
        prompt = None
        with fail_open("nothing is recalled for this turn", self.on_error):
            prompt = self.memory.build_prompt(
                question or _ANY_QUESTION,
                conversation_id=self.conversation_id,
                token_budget=self.token_budget,
                asked_at=moment_of(self.asked_at),
            )
        return {self.memory_key: self._rendered(prompt, _Recall(key, prompt if question else None))}

    async def aload_memory_variables(self, inputs: dict[str, Any]) -> dict[str, Any]:
        """Async twin of `load_memory_variables`."""
        key, question = self._question(inputs)
        prompt = None
        with fail_open("nothing is recalled for this turn", self.on_error):
            prompt = await self.memory.abuild_prompt(
                question or _ANY_QUESTION,
                conversation_id=self.conversation_id,
                token_budget=self.token_budget,
                asked_at=moment_of(self.asked_at),
            )
        return {self.memory_key: self._rendered(prompt, _Recall(key, prompt if question else None))}

    def save_context(self, inputs: dict[str, Any], outputs: dict[str, Any]) -> None:
        """Store question and reply, and learn from the reply if the history for the question is among `inputs`.

        Raises:
            InputError: which input is the question, or which output is the reply, cannot be told, or one is no text.
        """
        question, reply, prompt = self._said(inputs, outputs)
        messages, retrieved = self._new_messages(question, reply), [] if prompt is None else prompt.retrieved
        with fail_open("this turn is not stored", self.on_error):
            recorded = Recording(self.memory).record(new_turn_id(), messages, retrieved=retrieved, reply=reply)
            self._check_learned(recorded)
            self._tell(Turn(question, reply, prompt, recorded.updates))

    async def asave_context(self, inputs: dict[str, Any], outputs: dict[str, Any]) -> None:
        """Async twin of `save_context`."""
        question, reply, prompt = self._said(inputs, outputs)
        messages, retrieved = self._new_messages(question, reply), [] if prompt is None else prompt.retrieved
        with fail_open("this turn is not stored", self.on_error):
            recorded = await Recording(self.memory).arecord(new_turn_id(), messages, retrieved=retrieved, reply=reply)
            self._check_learned(recorded)
            self._tell(Turn(question, reply, prompt, recorded.updates))

    def clear(self) -> None:
        """Delete this conversation; others of the same memory stay."""
        self.memory.delete_conversation(self.conversation_id)

    async def aclear(self) -> None:
        """Async twin of `clear`."""
        await self.memory.adelete_conversation(self.conversation_id)

    # ------------------------------------------------------------------- keys

    def _question(self, inputs: Mapping[str, Any]) -> tuple[str | None, str]:
        """The key of the question, if there is one, and the question; empty if it is blank."""
        if not inputs:
            return None, ""
        key = self._input_key(inputs)
        text = _asked(inputs, key)
        return key, "" if is_blank(text) else text

    def _input_key(self, inputs: Mapping[str, Any]) -> str:
        if self.input_key is not None:
            return _existing(self.input_key, inputs, "input_key", "inputs")
        keys = [key for key in inputs if key not in (self.memory_key, _NOT_INPUT)]
        if len(keys) != 1:
            raise InputError(f"One input key expected got {keys}. Set input_key to the one with the question.")
        return keys[0]

    def _output_key(self, outputs: Mapping[str, Any]) -> str:
        if self.output_key is not None:
            return _existing(self.output_key, outputs, "output_key", "outputs")
        usual = [key for key in _REPLY_KEYS if key in outputs]
        if len(outputs) != 1 and not usual:
            raise InputError(f"Got multiple output keys: {list(outputs)}. Set output_key to the one with the reply.")
        return next(iter(outputs)) if len(outputs) == 1 else usual[0]

    def _said(self, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> tuple[str, str, Prompt | None]:
        """Question, reply, and the prompt of the run that they belong to."""
        recall = getattr(inputs.get(self.memory_key), "recall", None)
        known = recall if isinstance(recall, _Recall) else _Recall(None, None)
        # The inputs of a run can hold more by its end, as with several memories; which one was asked does not change.
        key = known.input_key
        if key is None or key not in inputs:
            key = self._input_key(inputs)
        return _asked(inputs, key), _answered(outputs, self._output_key(outputs)), known.prompt

    def _new_messages(self, question: str, reply: str) -> list[NewMessage]:
        thread = self.conversation_id
        # The core stores nothing that has neither text nor metadata, and the reply would stand there alone.
        kept = is_blank(question) and not is_blank(reply)
        metadata = to_stored(HumanMessage(question), thread).metadata if kept else None
        return [
            NewMessage(content=question, role="user", conversation_id=thread, name=self.human_name, metadata=metadata),
            NewMessage(content=reply, role="assistant", conversation_id=thread, name=self.ai_name),
        ]

    # -------------------------------------------------------------- rendering

    def _rendered(self, prompt: Prompt | None, recall: _Recall) -> str | list[BaseMessage]:
        """The value of the history variable: the window of `prompt`, and what was recalled if something was asked."""
        window = [] if prompt is None else without_tools(prompt.window)
        block = [recall.prompt.recalled_text] if recall.prompt is not None and recall.prompt.recalled_text else []
        if self.return_messages:
            shown = [_as_message(message) for message in window]
            messages = _RecalledMessages([*shown, *(HumanMessage(content=text) for text in block)])
            messages.recall = recall
            return messages
        text = _RecalledText("\n".join([*(self._line(message) for message in window), *block]))
        text.recall = recall
        return text

    def _line(self, message: Message) -> str:
        return f"{self.human_prefix if message.role == 'user' else self.ai_prefix}: {message.content}"

    # --------------------------------------------------------------- failures

    def _check_learned(self, recorded: Recorded) -> None:
        if recorded.failure is not None:
            report(recorded.failure, "nothing is learned from this turn", self.on_error)

    def _tell(self, turn: Turn) -> None:
        """Call `on_turn`; its failure is not the memory's."""
        if self.on_turn is not None:
            try:
                self.on_turn(turn)
            except Exception:
                logger.exception("on_turn failed")


def _asked(inputs: Mapping[str, Any], key: str) -> str:
    """The question, which may be blank."""
    hint = "Give the chain what the user said, or set input_key to the input with it."
    return said_text(inputs[key], f"the input {key!r}", instead=hint)


def _answered(outputs: Mapping[str, Any], key: str) -> str:
    """The reply, which may be blank."""
    hint = "Let the chain give its reply as text, or set output_key to the output with it."
    return said_text(outputs[key], f"the output {key!r}", instead=hint)


def _existing(key: str, values: Mapping[str, Any], what: str, where: str) -> str:
    if key not in values:
        raise InputError(f"{what} {key!r} is not among the {where} {list(values)}")
    return key


def _as_message(message: Message) -> BaseMessage:
    """A message of the window as text only: a chain's model may accept neither names nor other content."""
    if message.role == "user":
        return HumanMessage(content=message.content)
    return AIMessage(content=message.content)
