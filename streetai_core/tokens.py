"""Counting tokens: a dependency-free estimate, or tiktoken where its file is on this machine."""

from __future__ import annotations

import hashlib
import operator
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from streetai_core.errors import InputError, MissingExtraError, ModelFileError
from streetai_core.tool_calls import CALLS, beside_calls, calls_of, text_of_calls
from streetai_core.types import Message, NewMessage

MESSAGE_OVERHEAD = 4
"""Tokens that a chat API adds to a message for its role and borders (OpenAI cookbook: 3 to 4)."""

_CHARACTERS_PER_TOKEN = 4
"""English prose has about four characters a token in the tokenizers of all large providers."""

_OTHER_LETTERS = 0x100
_PUNCTUATION = 0x2000
"""From the first of these to before the second stand letters that tokenizers have fewer long pieces of. Of chats in
Russian, Arabic, Greek, Hebrew, Hindi, Bengali, Tamil and Thai o200k_base makes 1.2 to 1.9 times as many tokens as a
quarter of the characters, so each counts as half a token; cl100k_base, which is older, 2 to 5 times as many."""

_WIDE = 0x2E80
"""The first character of the CJK blocks; from there on each is about a token of its own."""


@runtime_checkable
class TokenCounter(Protocol):
    """Anything that says how many tokens a text has."""

    def count(self, text: str) -> int:
        """Tokens of `text`; 0 for the empty text, and never more for a part of a text than for all of it."""


@runtime_checkable
class AdditiveCounter(TokenCounter, Protocol):
    """A counter whose count of a text can be worked out from its parts: what they measure is added up."""

    def measure(self, text: str) -> int:
        """What `text` measures; of two texts joined, the sum of both."""

    def tokens(self, measure: int) -> int:
        """Tokens of a text that measures so much: `tokens(measure(text))` is `count(text)`."""


class EstimatedTokens:
    """A quarter of the characters, rounded up.

    A letter of another alphabet than the Latin one, or of those of Polish, Turkish and the like, is half a token, a CJK
    character a whole one.
    """

    def count(self, text: str) -> int:
        """Estimated tokens of `text`."""
        return self.tokens(self.measure(text))

    def measure(self, text: str) -> int:
        """Quarters of tokens: one for each character, two for a letter of other alphabets, four for a CJK character."""
        if text.isascii():
            return len(text)
        # Looked at as numbers: a tenth of the time of a regular expression.
        characters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
        others = int(np.count_nonzero((characters >= _OTHER_LETTERS) & (characters < _PUNCTUATION)))
        return len(text) + others + (_CHARACTERS_PER_TOKEN - 1) * int(np.count_nonzero(characters >= _WIDE))

    def tokens(self, measure: int) -> int:
        """Tokens of so many quarters, rounded up."""
        return -(-measure // _CHARACTERS_PER_TOKEN)


class TiktokenTokens:
    """OpenAI's tokenizer, if the package is installed and its file is already on this machine.

    Raises:
        MissingExtraError: tiktoken is not installed.
        ModelFileError: the encoding is not in tiktoken's cache; we never start a download.
    """

    def __init__(self, encoding: str = "o200k_base") -> None:
        try:
            import tiktoken  # noqa: PLC0415 - optional, and slow to import
        except ImportError as error:
            raise MissingExtraError("tiktoken", "openai") from error
        address = f"https://openaipublic.blob.core.windows.net/encodings/{encoding}.tiktoken"
        folder = os.environ.get("TIKTOKEN_CACHE_DIR") or os.environ.get("DATA_GYM_CACHE_DIR")
        cache = Path(folder) if folder else Path(tempfile.gettempdir()) / "data-gym-cache"
        # tiktoken names a cached file by the SHA-1 of the address it came from.
        file = cache / hashlib.sha1(address.encode(), usedforsecurity=False).hexdigest()
        if not file.is_file():
            raise ModelFileError(
                f"tiktoken's {encoding} is not on this machine (looked for {file}). Fetch it once with "
                f"tiktoken.get_encoding({encoding!r}), or use the default estimate."
            )
        self._encoding = tiktoken.get_encoding(encoding)

    def count(self, text: str) -> int:
        """Tokens of `text`; special tokens in it count as plain text."""
        return len(self._encoding.encode(text, disallowed_special=()))


def count_messages(messages: Sequence[Mapping[str, Any]], counter: TokenCounter) -> int:
    """Tokens of a list of `{"role", "content"}` messages, with the tools that they call and the overhead of each."""
    return sum(count_message(str(message["content"]), counter, message.get(CALLS)) for message in messages)


def count_message(content: str, counter: TokenCounter, calls: object = None) -> int:
    """Tokens of one message, its overhead included.

    Args:
        content: its text.
        counter: counts.
        calls: the tools that it calls, as a turn has them; `None` for most messages.
    """
    called = count_text(text_of_calls(calls), counter) if calls else 0
    return count_text(content, counter) + called + MESSAGE_OVERHEAD


def count_stored(message: Message | NewMessage, counter: TokenCounter) -> int:
    """Tokens of a stored message, as resending it costs, its overhead included."""
    calls = calls_of(message)
    return count_message(beside_calls(message) if calls else message.content, counter, calls)


def count_text(text: str, counter: TokenCounter) -> int:
    """Tokens of a text, as a number that can be stored and written as JSON, whoever counts.

    Raises:
        InputError: the counter gave no whole number from 0.
    """
    given = counter.count(text)
    try:
        # NumPy's whole numbers are some, and no ints.
        number = int(operator.index(given))
    except TypeError:
        number = -1
    if number < 0:
        raise InputError(
            f"{type(counter).__name__}.count must return a whole number from 0, got {given!r} for a text of "
            f"{len(text)} characters"
        )
    return number
