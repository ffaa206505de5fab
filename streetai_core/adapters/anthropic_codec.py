"""How the Messages API of Anthropic is read and written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from streetai_core.adapters.anthropic_content import (
    blocks_of,
    calls_of,
    entries_of,
    reply_text,
    said_by_model,
    said_by_user,
    texts_of,
    with_text_in_front,
)
from streetai_core.adapters.anthropic_events import message_of
from streetai_core.adapters.codec import Codec, Context, Reply, Request, Said
from streetai_core.prompt.turns import join

_COMPACTION = "compaction"
"""The block that stands for all that was said before it."""

_PAUSED = "pause_turn"
"""Why a reply stops while the provider's own tools are at work; the app sends it back, and the model goes on."""


class AnthropicMessages(Codec):
    """`POST /v1/messages`, with and without beta features.

    Thinking is passed on and never read: it was not said to anybody. Calls and results of tools in the window are sent
    only with a request that has tools, and that does not make the model think, for then the API asks for the signed
    thoughts that led to the calls, which are not kept.
    """

    provider = "anthropic"
    goes_on = True

    def read_request(self, body: Mapping[str, Any]) -> Request:
        """The conversation in `messages`."""
        said: list[Said] = []
        instructions, fixed, whole = texts_of(body.get("system")), set(), set()
        for position, entry in enumerate(_entries(body)):
            if not isinstance(entry, Mapping):
                continue
            role, content = entry.get("role"), entry.get("content")
            if role == "user":
                said += said_by_user(content, position)
            elif role == "assistant":
                said += said_by_model(content, position)
                if any(block.get("type") == _COMPACTION for block in blocks_of(content)):
                    whole.add(position)
            else:
                instructions += texts_of(content)
                fixed.add(position)
        thread = body.get("thread")
        follows = thread.get("previous_message_id") if isinstance(thread, Mapping) else None
        return Request(
            said=tuple(said),
            instructions=join(*instructions),
            fixed=frozenset(fixed),
            whole=frozenset(whole),
            continues=follows,
            wants_call=_wants_call(body),
        )

    def with_context(self, body: Mapping[str, Any], context: Context) -> dict[str, Any]:
        """A copy with the recalled text in the user's message, and the window before the first one."""
        thinks = body.get("thinking")
        allowed = bool(body.get("tools")) and (not isinstance(thinks, Mapping) or thinks.get("type") == "disabled")
        window = entries_of(context.window, with_tools=allowed)
        head: list[Any] = []
        rest: list[Any] = []
        for position, entry in enumerate(_entries(body)):
            if position in context.left_out:
                continue
            place = rest if rest or _speaks(entry) else head
            place.append(_with_recalled(entry, context) if position == context.question else entry)
        return {**body, "messages": [*head, *_joined(window, rest)]}

    def read_reply(self, data: Mapping[str, Any]) -> Reply:
        """What a `message` says."""
        return _reply(data, complete=data.get("type") != "error")

    def read_events(self, events: Sequence[Mapping[str, Any]]) -> Reply:
        """What the events from `message_start` to `message_stop` say."""
        message, complete = message_of(events)
        return _reply(message, complete=complete)


def _entries(body: Mapping[str, Any]) -> Sequence[Any]:
    """The messages of a request."""
    messages = body.get("messages")
    return messages if isinstance(messages, Sequence) and not isinstance(messages, str) else ()


def _wants_call(body: Mapping[str, Any]) -> bool:
    """Whether a request names the only tool that it has as the one to call."""
    wanted, tools = body.get("tool_choice"), body.get("tools")
    if not isinstance(wanted, Mapping) or not isinstance(tools, Sequence) or not wanted.get("name"):
        return False
    return [one.get("name") for one in tools if isinstance(one, Mapping)] == [wanted["name"]]


def _speaks(entry: object) -> bool:
    """Whether an entry is the user's or the model's."""
    return isinstance(entry, Mapping) and entry.get("role") in {"user", "assistant"}


def _with_recalled(entry: Mapping[str, Any], context: Context) -> Mapping[str, Any]:
    """The user's message with the recalled text in front of its own."""
    if not context.recalled:
        return entry
    return {**entry, "content": with_text_in_front(entry.get("content"), context.recalled)}


def _joined(window: list[dict[str, Any]], rest: list[Any]) -> list[Any]:
    """The window and what follows it, so that roles take turns where they meet."""
    if not window or not rest or window[-1]["role"] != rest[0].get("role"):
        return [*window, *rest]
    met = {**rest[0], "content": [*window[-1]["content"], *blocks_of(rest[0].get("content"))]}
    return [*window[:-1], met, *rest[1:]]


def _reply(message: Mapping[str, Any], *, complete: bool) -> Reply:
    """What a message of the model says."""
    content, response_id = message.get("content"), message.get("id")
    known = {"model": message.get("model"), "finish_reason": message.get("stop_reason")}
    return Reply(
        text=reply_text(content),
        tool_calls=calls_of(content),
        complete=complete and message.get("stop_reason") != _PAUSED,
        response_id=response_id if isinstance(response_id, str) else None,
        metadata={name: value for name, value in known.items() if isinstance(value, str)},
    )
