"""The contract of a row of the matrix: one API of one provider.

To add a provider, derive from `Row`, and name the row in `matrix.py`. A conversation is a list of items:

    ("user", text)  ("assistant", text)  ("system", text)      said by one of them
    ("image", text)                                             the user's, with an image beside the text
    ("call", text, [(id, tool, {argument: value}), ...])        the model's, with calls of tools
    ("result", text, id)                                        of a call
    ("must call", "tide")                                       said by nobody: the only tool, which has to be called
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True)
class Heard:
    """What a call brought."""

    text: str
    response: Any
    """What the app would give to `client.memory_turn`."""


class Row(ABC):
    """One API."""

    name: ClassVar[str]
    api: ClassVar[Any]
    """The module of `tests.adapters.wire` that speaks it."""
    styles: ClassVar[tuple[str, ...]]
    """What `say` can do, of: plain, stream, helper, raw, raw stream, streaming response, structured."""
    asks_late: ClassVar[bool] = False
    """Whether a stream is asked for only when its first piece is wanted."""

    @abstractmethod
    def client(self, url, *, asynchronous, timeout=30, **memory):
        """A client with a memory, without retries; `memory` goes to `with_memory` or `with_memory_async`."""

    @abstractmethod
    def plain_client(self, url, *, asynchronous):
        """The same client without a memory."""

    @abstractmethod
    def request(self, items):
        """The arguments of a call that says these items, as a dict."""

    @abstractmethod
    def say(self, driver, client, style, items, *, take=None, **ids):
        """Make a call and read what comes. With `take`: close the stream after so many texts.

        `ids` are `memory_id` and `conversation_id` of the call.
        """

    @abstractmethod
    def open_stream(self, driver, client, items):
        """A stream of which nothing has been read."""

    @abstractmethod
    def structured_text(self):
        """A text that the style "structured" can parse."""
