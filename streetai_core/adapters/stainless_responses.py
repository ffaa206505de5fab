"""The responses of the SDKs of one generator, OpenAI's and Anthropic's: their end is the end of a turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from streetai_core.adapters.codec import Codec, Reply
from streetai_core.adapters.events import json_of
from streetai_core.adapters.interceptor import Interceptor
from streetai_core.adapters.tee import ReadSoFar, aread_along, read_along
from streetai_core.adapters.turns import Turn


def attend(interceptor: Interceptor, codec: Codec, turn: Turn | None, response: Any) -> None:
    """See to it that the end of a response ends its turn.

    Args:
        interceptor: has begun the turn.
        codec: of the call.
        turn: of the call; `None`: it is none.
        response: what the SDK's `post` returned.
    """
    if turn is None:
        return
    interceptor.answered(response, turn)
    http = _http_response(response)
    if http is None or http.is_closed:
        interceptor.end(codec, turn, lambda: _reply_in(codec, response, http))
        return
    interceptor.answered(http, turn)
    read = read_along(
        http,
        lambda read: interceptor.end(codec, turn, lambda: _reply_read(codec, read)),
        lambda read: interceptor.end_later(codec, turn, lambda: _reply_read(codec, read)),
    )
    interceptor.streams(codec, turn, lambda: _reply_read(codec, read))


async def aattend(interceptor: Interceptor, codec: Codec, turn: Turn | None, response: Any) -> None:
    """Async twin of `attend`."""
    if turn is None:
        return
    interceptor.answered(response, turn)
    http = _http_response(response)
    if http is None or http.is_closed:
        await interceptor.aend(codec, turn, lambda: _reply_in(codec, response, http))
        return
    interceptor.answered(http, turn)
    read = aread_along(
        http,
        lambda read: interceptor.aend(codec, turn, lambda: _reply_read(codec, read)),
        lambda read: interceptor.end_later(codec, turn, lambda: _reply_read(codec, read)),
    )
    interceptor.streams(codec, turn, lambda: _reply_read(codec, read))


def _http_response(response: Any) -> Any:
    """The HTTP response behind a stream or a raw response; `None` behind what was parsed already."""
    for name in ("http_response", "response"):
        http = getattr(response, name, None)
        if hasattr(http, "is_closed") and hasattr(http, "stream"):
            return http
    return response if hasattr(response, "is_closed") and hasattr(response, "stream") else None


def _reply_in(codec: Codec, response: Any, http: Any) -> Reply | None:
    """What a response says that is there as a whole."""
    if http is not None:
        data = json_of(http.content)
    elif hasattr(response, "model_dump"):
        # What was parsed into a class of the app's is no field of the SDK's, of which pydantic would warn.
        data = response.model_dump(mode="json", warnings=False)
    else:
        data = response
    return codec.read_reply(data) if isinstance(data, Mapping) else None


def _reply_read(codec: Codec, read: ReadSoFar) -> Reply | None:
    """What a response said, as far as it was read."""
    data = read.data
    if read.events is not None:
        return codec.read_events(read.events.read(data))
    whole = json_of(data)
    return codec.read_reply(whole) if isinstance(whole, Mapping) else None
