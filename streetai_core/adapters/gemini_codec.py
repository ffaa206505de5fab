"""How `generateContent` of the Gemini API is read and written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from streetai_core.adapters.codec import Codec, Context, Reply, Request, Said
from streetai_core.adapters.gemini_content import (
    Part,
    attachments_of,
    calls_of,
    contents_of,
    parts_of,
    reply_text,
    said_by_model,
    said_by_user,
    texts_of,
    wants_call,
    with_text_in_front,
)
from streetai_core.prompt.turns import join

_MODEL = "model"
"""The role of the model; all others are the user's side."""

UNFINISHED = "CONTINUATION"
"""The reason for which a reply stops that is asked for in several requests."""


class GeminiContents(Codec):
    """`generateContent` and `streamGenerateContent`.

    Thoughts are passed on and never read: they were not said to anybody. Calls and results in the window are sent only
    with a request that has tools.
    """

    provider = "gemini"

    def read_request(self, body: Mapping[str, Any]) -> Request:
        """The conversation in `contents`. A reply that was streamed may stand there in pieces, each an own content."""
        said: list[Said] = []
        numbered = enumerate(_contents(body))
        for is_model, run in groupby(numbered, key=lambda one: _role(one[1]) == _MODEL):
            entries = list(run)
            if is_model:
                said += said_by_model([part for _, entry in entries for part in parts_of(entry)], entries[0][0])
            else:
                called = said[-1].tool_calls if said else ()
                said += [one for position, entry in entries for one in said_by_user(entry, position, called)]
        return Request(
            said=tuple(said),
            instructions=join(*texts_of(parts_of(body.get("systemInstruction")))),
            # For more of a reply that the app has asked for by itself: it has to be word for word the request before.
            counts="continuationToken" not in body,
            wants_call=wants_call(body),
        )

    def with_context(self, body: Mapping[str, Any], context: Context) -> dict[str, Any]:
        """A copy with the recalled text in the user's content, and the window before the first one."""
        window = contents_of(context.window, with_tools=bool(body.get("tools")))
        rest = [
            with_text_in_front(entry, context.recalled) if position == context.question and context.recalled else entry
            for position, entry in enumerate(_contents(body))
            if position not in context.left_out
        ]
        return {**body, "contents": _joined(window, rest)}

    def read_reply(self, data: Mapping[str, Any]) -> Reply:
        """What a `GenerateContentResponse` says."""
        return _reply([data], complete=finish_reason([data]) != UNFINISHED and "error" not in data)

    def read_events(self, events: Sequence[Mapping[str, Any]]) -> Reply:
        """What the responses of a stream say; the last one has the reason why it ends."""
        reason = finish_reason(events)
        complete = reason not in {None, UNFINISHED} and not any("error" in event for event in events)
        return _reply(events, complete=complete)


def _contents(body: Mapping[str, Any]) -> Sequence[Any]:
    """The contents of a request."""
    contents = body.get("contents")
    return contents if isinstance(contents, Sequence) and not isinstance(contents, str) else ()


def _role(entry: object) -> object:
    return entry.get("role") if isinstance(entry, Mapping) else None


def _joined(window: list[dict[str, Any]], rest: list[Any]) -> list[Any]:
    """The window and what follows it, so that roles take turns where they meet."""
    if not window or not rest or (window[-1]["role"] == _MODEL) != (_role(rest[0]) == _MODEL):
        return [*window, *rest]
    met = {**rest[0], "parts": [*window[-1]["parts"], *parts_of(rest[0])]}
    return [*window[:-1], met, *rest[1:]]


def _candidate(response: Mapping[str, Any]) -> Mapping[str, Any]:
    """The first candidate of a response; empty if there is none."""
    candidates = response.get("candidates")
    first = candidates[0] if isinstance(candidates, Sequence) and candidates else None
    return first if isinstance(first, Mapping) else {}


def finish_reason(responses: Sequence[Mapping[str, Any]]) -> str | None:
    """Why the model stopped, or why it was not asked at all; `None` if that is not known."""
    reasons = [_candidate(response).get("finishReason") for response in responses]
    feedback = (response.get("promptFeedback") for response in responses)
    reasons += [one.get("blockReason") for one in feedback if isinstance(one, Mapping)]
    return next((reason for reason in reversed(reasons) if isinstance(reason, str)), None)


def _reply(responses: Sequence[Mapping[str, Any]], *, complete: bool) -> Reply:
    """What the responses to one request say together."""
    parts: list[Part] = [part for one in responses for part in parts_of(_candidate(one).get("content"))]
    known = {"model": _last(responses, "modelVersion"), "finish_reason": finish_reason(responses)}
    return Reply(
        text=reply_text(parts),
        tool_calls=calls_of(parts),
        attachments=attachments_of(parts),
        complete=complete,
        response_id=_last(responses, "responseId"),
        metadata={name: value for name, value in known.items() if value is not None},
    )


def _last(responses: Sequence[Mapping[str, Any]], field: str) -> str | None:
    """The newest value of a field that should be text."""
    values = (response.get(field) for response in reversed(responses))
    return next((value for value in values if isinstance(value, str)), None)
