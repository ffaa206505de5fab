"""OpenAI's Responses API as far as the tests speak it: what a valid request is, and what replies look like.

The rules are those that the API documents and answers with 400: the fields there are, items of a known type, and
outputs of calls that stand before them or in the response that the request follows on.
"""

import json

FIELDS = frozenset(
    {
        "model",
        "input",
        "instructions",
        "stream",
        "tools",
        "tool_choice",
        "text",
        "temperature",
        "max_output_tokens",
        "previous_response_id",
        "conversation",
        "store",
        "metadata",
        "background",
    }
)
"""What may stand in a request; the API refuses others as "unknown parameter"."""

PARTS = {
    "user": {"input_text": "text", "input_image": "image_url", "input_file": "file_data"},
    "system": {"input_text": "text"},
    "developer": {"input_text": "text"},
    "assistant": {"output_text": "text", "refusal": "refusal"},
}
"""Types of parts by role, and the field that each must have."""

BUILT_IN = {
    "shell": "action",
    "local_shell": "action",
    "apply_patch": "operation",
    "computer": "action",
    "tool_search": "arguments",
}
"""Tools that the API knows and the app runs: their calls are items of types of their own, and where what they do is."""


def faults(headers, body):
    """What is wrong with a request, each a sentence; empty for a valid one."""
    found = [f"unknown field {name}" for name in sorted(set(body) - FIELDS)]
    found += [f"header {name} is not for the provider" for name in headers if "streetai" in name.lower()]
    if not (headers.get("authorization") or headers.get("api-key")):  # Azure's clients send the second
        found.append("no key")
    if not isinstance(body.get("model"), str):
        found.append("no model")
    given = body.get("input")
    if isinstance(given, str):
        return found if given else [*found, "an empty input"]
    if not given:
        return [*found, "no input"]
    called = set()
    for number, item in enumerate(given):
        found += [f"item {number}: {fault}" for fault in _faults_of(item, called, body)]
        if item.get("type") == "function_call":
            called.add(item["call_id"])
    answered = {item["call_id"] for item in given if item.get("type") == "function_call_output"}
    return [*found, f"calls without outputs {called - answered}"] if called - answered else found


def whole(answer, body, number):
    """The reply to a request that is not streamed."""
    return _response(answer, body, number, "completed", _output(answer, number))


def frames(answer, body, number):
    """The reply as the bytes of server-sent events."""
    events = list(_events(answer, body, number))
    for place, event in enumerate(events):
        yield f"event: {event['type']}\ndata: {json.dumps({**event, 'sequence_number': place})}\n\n".encode()


def failure(status):
    """The body of an error."""
    return {"error": {"message": f"scripted {status}", "type": "server_error", "code": None, "param": None}}


def texts(body):
    """All text of a request, in order."""
    found = [body.get("instructions") or ""]
    if isinstance(body["input"], str):
        return [*found, body["input"]]
    for item in body["input"]:
        content = item.get("content") or item.get("output") or item.get("arguments") or ""
        parts = [content] if isinstance(content, str | dict) else content
        found += ["".join(part if isinstance(part, str) else part.get("text", "") for part in parts)]
    return found


def _faults_of(item, called, body):
    """What is wrong with an item, after these calls."""
    kind = item.get("type", "message")
    if kind.endswith("_call_output"):
        if item.get("call_id") not in called and not (body.get("previous_response_id") or body.get("conversation")):
            yield "an output of no call"
        return
    if kind in {"compaction", "item_reference", "tool_search_output"}:
        return
    if kind == "mcp_approval_response" and item.keys() >= {"approval_request_id", "approve"}:
        return
    if kind.endswith("_call") or kind == "reasoning":
        return
    if kind != "message" or item.get("role") not in PARTS:
        yield f"unknown: {kind} {item.get('role')}"
        return
    content = item.get("content")
    if not content:
        yield "no content"
    for part in content if isinstance(content, list) else ():
        if PARTS[item["role"]].get(part.get("type")) not in part:
            yield f"a part {part}"


def _events(answer, body, number):
    """The events of a stream, without their numbers."""
    begun = _response(answer, body, number, "in_progress", [])
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    output = _output(answer, number)
    for place, item in enumerate(output):
        if item["type"] == "message":
            yield from _events_of_text(answer, item, place)
        else:
            head = {"output_index": place, "item_id": item["id"]}
            yield {"type": "response.output_item.added", "output_index": place, "item": {**item, "arguments": ""}}
            if item["type"] == "function_call":
                arguments = item["arguments"]
                yield {"type": "response.function_call_arguments.delta", **head, "delta": arguments}
                yield {"type": "response.function_call_arguments.done", **head, "arguments": arguments}
            yield {"type": "response.output_item.done", "output_index": place, "item": item}
    yield {"type": "response.completed", "response": _response(answer, body, number, "completed", output)}


def _events_of_text(answer, item, place):
    """The events of a message."""
    head = {"output_index": place, "content_index": 0, "item_id": item["id"]}
    yield {"type": "response.output_item.added", "output_index": place, "item": {**item, "content": []}}
    yield {"type": "response.content_part.added", **head, "part": {**item["content"][0], "text": ""}}
    for piece in answer.pieces:
        yield {"type": "response.output_text.delta", **head, "delta": piece, "logprobs": []}
    yield {"type": "response.output_text.done", **head, "text": answer.text, "logprobs": []}
    yield {"type": "response.content_part.done", **head, "part": item["content"][0]}
    yield {"type": "response.output_item.done", "output_index": place, "item": item}


def _response(answer, body, number, status, output):
    """The response as a whole."""
    return {
        "id": f"resp_{number:04}",
        "object": "response",
        "created_at": 1,
        "status": answer.stop or status,
        "model": body["model"],
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": None,
        "instructions": body.get("instructions"),
        "metadata": {},
        "previous_response_id": body.get("previous_response_id"),
    }


def _output(answer, number):
    """The items of a reply."""
    items = []
    if answer.text:
        part = {"type": "output_text", "text": answer.text, "annotations": [], "logprobs": []}
        message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "status": "completed"}
        items.append({**message, "content": [part]})
    if answer.made:
        items.append({"id": f"ig_{number}", "type": "image_generation_call", "status": "completed", "result": "iVBO"})
    for place, (name_id, name, arguments) in enumerate(answer.calls):
        call = {"id": f"fc_{number}_{place}", "call_id": name_id, "status": "completed"}
        if name == "mcp_approval":
            given = {"server_label": "harbour", "name": "book", "arguments": json.dumps(arguments)}
            items.append({"type": "mcp_approval_request", "id": name_id, **given})
        elif name in BUILT_IN:
            by = {"execution": "client"} if name == "tool_search" else {}
            items.append({**call, **by, "type": f"{name}_call", BUILT_IN[name]: arguments})
        else:
            items.append({**call, "type": "function_call", "name": name, "arguments": json.dumps(arguments)})
    return items
