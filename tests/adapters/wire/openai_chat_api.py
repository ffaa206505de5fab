"""OpenAI's Chat Completions as far as the tests speak it: what a valid request is, and what replies look like.

The rules are those that the API documents and answers with 400: the fields there are, messages that have a content, and
tool messages that follow the calls that they are results of, all of them.
"""

import json

FIELDS = frozenset(
    {
        "model",
        "messages",
        "stream",
        "stream_options",
        "tools",
        "tool_choice",
        "response_format",
        "n",
        "temperature",
        "max_tokens",
        "max_completion_tokens",
        "user",
        "metadata",
        "store",
    }
)
"""What may stand in a request; the API refuses others as "unrecognized"."""

PARTS = {"text": "text", "image_url": "image_url", "input_audio": "input_audio", "file": "file", "refusal": "refusal"}
"""Types of parts, and the field that each must have."""


def faults(headers, body):
    """What is wrong with a request, each a sentence; empty for a valid one."""
    found = [f"unknown field {name}" for name in sorted(set(body) - FIELDS)]
    found += [f"header {name} is not for the provider" for name in headers if "streetai" in name.lower()]
    if not (headers.get("authorization") or headers.get("api-key")):  # Azure's clients send the second
        found.append("no key")
    if not isinstance(body.get("model"), str):
        found.append("no model")
    if not body.get("messages"):
        return [*found, "no messages"]
    waiting = set()
    for number, message in enumerate(body["messages"]):
        found += [f"message {number}: {fault}" for fault in _faults_of(message, waiting)]
        waiting -= {message.get("tool_call_id")}
        waiting |= {call["id"] for call in message.get("tool_calls") or ()}
    return [*found, "calls without results"] if waiting else found


def whole(answer, body, number):
    """The reply to a request that is not streamed."""
    finish = answer.stop or ("tool_calls" if answer.calls else "stop")
    choices = [
        {"index": index, "message": _message(answer, index), "finish_reason": finish} for index in range(answer.choices)
    ]
    # Not in order: nothing says that the first choice comes first.
    return {**_head(body, number, "chat.completion"), "choices": choices[::-1]}


def frames(answer, body, number):
    """The reply as the bytes of server-sent events."""
    head = _head(body, number, "chat.completion.chunk")
    deltas = [{"role": "assistant", "content": ""}, *({"content": piece} for piece in answer.pieces)]
    for place, (name_id, name, arguments) in enumerate(answer.calls):
        text = json.dumps(arguments)
        start = {"index": place, "id": name_id, "type": "function", "function": {"name": name, "arguments": ""}}
        deltas.append({"tool_calls": [start]})
        deltas += [
            {"tool_calls": [{"index": place, "function": {"arguments": part}}]}
            for part in (text[: len(text) // 2], text[len(text) // 2 :])
        ]
    if answer.made:
        deltas.append({"audio": {"id": "audio_1", "data": "UklGRg=="}})
    for delta in deltas:
        for index in reversed(range(answer.choices)):
            spoken = delta if not index or "content" not in delta else {"content": "other "}
            yield _frame({**head, "choices": [{"index": index, "delta": spoken, "finish_reason": None}]})
    finish = answer.stop or ("tool_calls" if answer.calls else "stop")
    for index in range(answer.choices):
        yield _frame({**head, "choices": [{"index": index, "delta": {}, "finish_reason": finish}]})
    yield b"data: [DONE]\n\n"


def failure(status):
    """The body of an error."""
    return {"error": {"message": f"scripted {status}", "type": "server_error", "code": None, "param": None}}


def texts(body):
    """All text of a request, in order."""
    found = []
    for message in body["messages"]:
        content = message.get("content") or ""
        parts = [content] if isinstance(content, str) else [part.get("text", "") for part in content]
        calls = [call["function"] for call in message.get("tool_calls") or ()]
        found.append("".join([*parts, *(call["name"] + call["arguments"] for call in calls)]))
    return found


def _faults_of(message, waiting):
    """What is wrong with a message, where the results of `waiting` calls are still to come."""
    role, content = message.get("role"), message.get("content")
    if role not in {"system", "developer", "user", "assistant", "tool"}:
        yield f"unknown role {role}"
    if role == "tool" and message.get("tool_call_id") not in waiting:
        yield "a result of no call"
    if role != "tool" and waiting:
        yield f"the results of {sorted(waiting)} must come first"
    if content is None and not message.get("tool_calls"):
        yield "no content"
    for part in content if isinstance(content, list) else ():
        if PARTS.get(part.get("type")) not in part:
            yield f"a part {part}"
        elif part["type"] == "text" and not part["text"]:
            yield "an empty part"


def _head(body, number, kind):
    """What every reply begins with."""
    return {"id": f"chatcmpl-{number:04}", "object": kind, "created": 1, "model": body["model"]}


def _message(answer, index):
    """The message of a choice."""
    calls = [
        {"id": name_id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for name_id, name, arguments in answer.calls
    ]
    text = answer.text if not index else "Another choice."
    audio = {"audio": {"id": "audio_1", "data": "UklGRg==", "expires_at": 1, "transcript": ""}} if answer.made else {}
    more = {**({"tool_calls": calls} if calls else {}), **audio}
    return {"role": "assistant", "content": text or None, "refusal": None, **more}


def _frame(data):
    """One event."""
    return f"data: {json.dumps(data)}\n\n".encode()
