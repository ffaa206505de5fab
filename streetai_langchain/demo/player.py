"""Plays steps: exchanges through a LangChain chain with this memory, asides straight into the memory."""

from __future__ import annotations

import warnings
from datetime import datetime, timezone
from typing import cast

from langchain_classic.chains import ConversationChain
from langchain_core._api import LangChainDeprecationWarning

from streetai_core import Memory, NewMessage, Prompt, TokenCounter
from streetai_core.text.clean import clean
from streetai_core.tokens import count_message
from streetai_langchain.classic import StreetAIChainMemory, Turn
from streetai_langchain.demo.figures import PlayedTurn
from streetai_langchain.demo.model import RecordedModel
from streetai_langchain.demo.script import Exchange


class RecordedClock:
    """The clock of the registry: the time at which the played message was said, else now."""

    def __init__(self) -> None:
        self.moment: datetime | None = None

    def __call__(self) -> datetime:
        """The time of the message."""
        return self.moment or datetime.now(timezone.utc)


class Player:
    """Calls the chain as an app would, one conversation after the other.

    Args:
        memory: what the chain remembers with.
        clock: the clock of the memory's registry.
        counter: counts what arrives at the model.
        token_budget: most tokens of a prompt.
    """

    def __init__(
        self, memory: Memory, *, clock: RecordedClock, counter: TokenCounter, token_budget: int | None = None
    ) -> None:
        self._memory = memory
        self._clock = clock
        self._counter = counter
        self._token_budget = token_budget
        self._model = RecordedModel()
        self._turns: list[Turn] = []
        self._failures: list[Exception] = []

    def store(self, message: NewMessage) -> None:
        """Store a message that is no exchange."""
        self._clock.moment = None
        self._memory.add_messages([message])

    def play(self, exchange: Exchange) -> PlayedTurn:
        """Put one question to the chain.

        Raises:
            StreetAIError: the memory failed. In an app the chat would go on; here the memory is what is shown.
        """
        self._turns.clear()
        self._failures.clear()
        self._model.prepare(clean(exchange.reply.content)[0], self._failures)
        # The chain stores question and reply together, once the reply is there.
        self._clock.moment = exchange.reply.created_at or exchange.question.created_at
        self._chain(exchange).invoke({"input": clean(exchange.question.content)[0]})
        if self._failures:
            raise self._failures[0]
        turn = self._turns[0]
        received = self._model.received
        return PlayedTurn(
            number=exchange.number,
            question=exchange.question,
            reply=exchange.reply,
            # It is None after a failure only, which was raised.
            prompt=cast("Prompt", turn.prompt),
            updates=tuple(turn.updates),
            characters_received=sum(len(text) for text in received),
            tokens_received=sum(count_message(text, self._counter) for text in received),
        )

    def _chain(self, exchange: Exchange) -> ConversationChain:
        memory = StreetAIChainMemory(
            memory=self._memory,
            conversation_id=exchange.question.conversation_id,
            human_name=_cleaned(exchange.question.name),
            ai_name=_cleaned(exchange.reply.name),
            on_turn=self._turns.append,
            on_error=self._failures.append,
            token_budget=self._token_budget,
        )
        with warnings.catch_warnings():
            # The chain is what `memory=` was made for; its users know that it is deprecated.
            warnings.simplefilter("ignore", LangChainDeprecationWarning)
            return ConversationChain(llm=self._model, memory=memory, verbose=False)


def _cleaned(name: str | None) -> str | None:
    """A name as LangChain takes it: no lone surrogates."""
    return None if name is None else clean(name)[0]
