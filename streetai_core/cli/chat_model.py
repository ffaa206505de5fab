"""The model of `streetai chat`: any endpoint that speaks OpenAI's chat completions, streamed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from streetai_core.errors import InputError, MissingExtraError, StreetAIError

_NO_KEY = "none"
"""What is sent to an endpoint of the user's own that wants no key; the SDK insists on one."""


class ModelError(StreetAIError, RuntimeError):
    """The endpoint could not be reached, refused, or broke off."""


class ChatModel:
    """Asks one model.

    Args:
        model: its name at the endpoint.
        base_url: the endpoint; `None`: OpenAI's, or that of the variable OPENAI_BASE_URL.
        key_variable: the environment variable that has the key.

    Raises:
        MissingExtraError: the openai package is not installed.
        InputError: there is no key, and the endpoint is not one of the user's own.
    """

    def __init__(self, model: str, base_url: str | None, key_variable: str) -> None:
        try:
            import openai
        except ImportError as error:
            raise MissingExtraError("openai", "openai") from error
        key = os.environ.get(key_variable)
        if not key and base_url is None and not os.environ.get("OPENAI_BASE_URL"):
            raise InputError(f"there is no API key: set {key_variable}, or give --base-url of a server of your own")
        self._model = model
        # A retry is the user's decision: the line can be sent again.
        self._client = openai.OpenAI(api_key=key or _NO_KEY, base_url=base_url, max_retries=0)

    def stream(self, messages: Sequence[Mapping[str, Any]]) -> Iterator[str]:
        """The reply, piece by piece.

        Raises:
            ModelError: the endpoint failed, or answered with something else than a stream of events.
        """
        answered = False
        try:
            # Dicts are what the endpoint takes; the SDK's types want one class a role.
            wanted: Any = list(messages)
            with self._client.chat.completions.create(model=self._model, messages=wanted, stream=True) as chunks:
                for chunk in chunks:
                    answered = True
                    piece = chunk.choices[0].delta.content if chunk.choices else None
                    if piece:
                        yield piece
        except Exception as error:
            # Not only the SDK's own errors: a connection that breaks raises those of its HTTP client.
            raise ModelError(f"the model could not answer: {error}{self._where(error)}") from error
        if not answered:
            # The SDK reads a web page as a stream of nothing.
            raise ModelError(
                "the model could not answer: the endpoint sent no event of OpenAI's chat completions; does --base-url "
                "end with the path that it needs, such as /v1?"
            )

    def _where(self, error: Exception) -> str:
        """Which address was tried, where nobody answered there: the SDK says no more than that it failed."""
        import openai

        if not isinstance(error, openai.APIConnectionError):
            return ""
        place = self._client.base_url
        return f" Is there a server at {place.scheme}://{place.netloc.decode('ascii', 'replace')}?"

    def close(self) -> None:
        """Let go of connections."""
        self._client.close()
