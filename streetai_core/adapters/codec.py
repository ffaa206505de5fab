"""What the interceptor has to know of a provider's API: how its requests and replies are read and written.

A codec is given what goes over the wire as JSON values (dicts, lists, text, numbers), never objects of an SDK. It holds
no state and does no I/O, so one serves all calls of all threads.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from streetai_core.types import Role


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call of a tool by the model."""

    call_id: str
    """What its result is tied to it by. An API without such ids: anything that is the same in call and result."""
    name: str
    arguments: str
    """JSON text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One thing said in a conversation: a message of the user's or the model's, or the result of a tool."""

    role: Role
    """`user`, `assistant` or `tool`; instructions are no part of a conversation."""
    text: str = ""
    """All its text, parts joined by blank lines. Of a structured value: its JSON."""
    tool_calls: tuple[ToolCall, ...] = ()
    """What the model calls in it; `assistant` only."""
    tool_call_id: str | None = None
    """Of the result of a tool: the id of its call."""
    name: str | None = None
    """The author, where the API has one."""
    attachments: tuple[str, ...] = ()
    """Kinds of what is no text in it, one for each part: "image", "file", "audio" ... The bytes are never stored."""
    position: int = 0
    """Which entry of the request's list it is from. Several may share one, such as the results in one message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request as the interceptor sees it."""

    said: tuple[Said, ...]
    """The conversation in it, oldest first, without instructions; positions ascend."""
    instructions: str = ""
    """System text and the like; only counted against a token budget."""
    fixed: frozenset[int] = frozenset()
    """Positions that are never left out: of instructions."""
    whole: frozenset[int] = frozenset()
    """Positions of what cannot be read, and may matter: the exchange that one stands in is never left out."""
    continues: str | None = None
    """The id of the reply that this request follows on, where the provider keeps the history (`previous_response_id`
    and the like): then nothing but recalled text is added."""
    counts: bool = True
    """False: the call is none that a memory is for; it passes untouched."""
    wants_call: bool = False
    """Whether it names the only tool that it has as the one to call. So a structured answer is asked for: the call is
    the answer, and no result follows on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What the memory adds to a request, and what it leaves out of it."""

    question: int
    """The position of the user's new message."""
    recalled: str = ""
    """Text to put in front of the text of that message; empty: none. It is fenced already."""
    window: tuple[Said, ...] = ()
    """Earlier messages of the conversation to put between the instructions and the first entry that was `said`. They
    start with the user and take turns; tool calls are followed by their results. Text only."""
    left_out: frozenset[int] = frozenset()
    """Positions of old entries to leave out: whole exchanges, from a user's message to before the next one, with what
    stands between and says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back."""

    text: str = ""
    """The text of the answer (of the first choice), without thinking. Of a refusal: its text."""
    tool_calls: tuple[ToolCall, ...] = ()
    """Calls of tools that the app runs. What the provider runs by itself is not here."""
    attachments: tuple[str, ...] = ()
    """Kinds of what is no text in it, as of `Said`: an image that the model has made, what it says aloud without a
    transcript."""
    complete: bool = True
    """Whether it came to its end. False: the stream was cut, or the provider broke off with an error."""
    response_id: str | None = None
    """The provider's id of the reply, if it has one."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """JSON values to store beside it, such as {"model": ..., "finish_reason": ...}; small, and no text of the reply."""
    is_call: bool = False
    """Whether its calls are the answer: set by the interceptor, of a complete reply to a request that `wants_call`."""

    @property
    def waits(self) -> bool:
        """Whether the turn goes on, with the results of its calls."""
        return self.complete and bool(self.tool_calls) and not self.is_call


class Codec(ABC):
    """Reads and writes one API of one provider. To support another one, write these four methods."""

    provider: str
    """Names it in ids and metadata: "openai", "anthropic", "gemini"."""
    goes_on = False
    """Whether the model goes on with its own words where a request ends with them, so that both make the reply."""

    @abstractmethod
    def read_request(self, body: Mapping[str, Any]) -> Request:
        """The conversation in the body of a request.

        Args:
            body: as it goes over the wire. It is the caller's: never changed.
        """

    @abstractmethod
    def with_context(self, body: Mapping[str, Any], context: Context) -> dict[str, Any]:
        """A copy of a body with recalled text and window in it, and without what is left out.

        Nothing of `body` may be changed in place; parts that stay may be shared with the copy. The recalled text goes
        into the user's message itself, in front of its own text: joined to a plain text by a blank line
        (`streetai_core.prompt.turns.join`), as a text part before the first part of a list that is no result of a tool.
        It is never given the role of the system or a turn of its own. Cache markers, parts and unknown fields stay.

        Args:
            body: the body that `read_request` was given.
            context: says something, else this is not called.
        """

    @abstractmethod
    def read_reply(self, data: Mapping[str, Any]) -> Reply:
        """What a whole response says.

        Args:
            data: the JSON of the response; it may have fields from nowhere in the documentation, or lack any.
        """

    @abstractmethod
    def read_events(self, events: Sequence[Mapping[str, Any]]) -> Reply:
        """What a stream said.

        Args:
            events: the JSON of its events in order, as far as they were read; possibly none. `complete` only if the
                event that ends the reply is among them, and no error.
        """
