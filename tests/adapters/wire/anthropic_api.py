"""The Messages API of Anthropic as far as the tests speak it: what a valid request is, and what replies look like.

The rules are those that the API documents and answers with 400: the fields there are, roles that take turns beginning
with the user, text that is not blank, tool results that come first and belong to the calls before them.
"""

import json
import re

VERSION = re.compile(r"20\d\d-\d\d-\d\d")

FIELDS = frozenset(
    {
        "model",
        "messages",
        "max_tokens",
        "system",
        "stream",
        "tools",
        "tool_choice",
        "thinking",
        "metadata",
        "stop_sequences",
        "service_tier",
        "output_config",
        "output_format",
        "thread",
    }
)
"""What may stand in a request; the API refuses others as "extra inputs"."""

MOST_CACHE_MARKS = 4
"""Blocks with `cache_control` that a request may have."""

USER_BLOCKS = frozenset({"text", "image", "document", "search_result", "tool_result"})
ASSISTANT_BLOCKS = frozenset({"text", "thinking", "redacted_thinking", "tool_use"})


def faults(headers, body):
    """What is wrong with a request, each a sentence; empty for a valid one."""
    found = [f"unknown field {name}" for name in sorted(set(body) - FIELDS)]
    found += [f"header {name} is not for the provider" for name in headers if "streetai" in name.lower()]
    if not VERSION.fullmatch(headers.get("anthropic-version", "")):
        found.append("no anthropic-version")
    if not (headers.get("x-api-key") or headers.get("authorization")):
        found.append("no key")
    if not isinstance(body.get("model"), str):
        found.append("no model")
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        found.append("max_tokens is not a positive number")
    return [*found, *_faults_of_system(body.get("system")), *_faults_of_messages(body), *_faults_of_marks(body)]


def whole(answer, body, number):
    """The reply to a request that is not streamed."""
    return {**_head(body, number), "content": _blocks(answer), **_end(answer)}


def frames(answer, body, number):
    """The reply as the bytes of server-sent events."""
    for name, data in _events(answer, body, number):
        yield f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode()


def side(path, body):
    """The reply to what is no chat call; `None` if it is one."""
    if path.startswith("/v1/messages/count_tokens"):
        return {"input_tokens": sum(map(len, texts(body)))}
    return None


def _events(answer, body, number):
    """The events of a reply: `(name, data)`."""
    yield "message_start", {"message": {**_head(body, number), "content": [], "stop_reason": None}}
    yield "ping", {}
    for index, block in enumerate(_blocks(answer)):
        start, deltas = _split(block, answer)
        yield "content_block_start", {"index": index, "content_block": start}
        for delta in deltas:
            yield "content_block_delta", {"index": index, "delta": delta}
        yield "content_block_stop", {"index": index}
    end = _end(answer)
    usage = end.pop("usage")
    yield "message_delta", {"delta": end, "usage": {"output_tokens": usage["output_tokens"]}}
    yield "message_stop", {}


def failure(status):
    """The body of an error."""
    return {"type": "error", "error": {"type": "api_error", "message": f"scripted {status}"}}


def texts(body):
    """All text of a request, in order: of system, then of each message."""
    contents = [body.get("system") or [], *(one["content"] for one in body["messages"])]
    found = [one if isinstance(one, str) else "".join(map(_text_of, one)) for one in contents]
    return found if body.get("system") else found[1:]


def _text_of(block):
    """The text of a block, also of a tool call or result."""
    if block["type"] == "tool_result":
        content = block.get("content") or ""
        return content if isinstance(content, str) else "".join(_text_of(inner) for inner in content)
    if block["type"] == "tool_use":
        return block["name"] + json.dumps(block["input"])
    return block.get("text", "")


def _head(body, number):
    """What every reply begins with."""
    return {
        "id": f"msg_{number:04}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _end(answer):
    """What every reply ends with."""
    reason = answer.stop or ("tool_use" if answer.calls else "end_turn")
    return {"stop_reason": reason, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}


def _blocks(answer):
    """The content of a reply."""
    blocks = []
    if answer.thinking:
        blocks.append({"type": "thinking", "thinking": answer.thinking, "signature": "c2lnbmVk"})
    if answer.text:
        blocks.append({"type": "text", "text": answer.text})
    blocks += [
        {"type": "tool_use", "id": name_id, "name": name, "input": arguments}
        for name_id, name, arguments in answer.calls
    ]
    return blocks


def _split(block, answer):
    """A block as its start and its deltas."""
    if block["type"] == "text":
        return {**block, "text": ""}, [{"type": "text_delta", "text": piece} for piece in answer.pieces]
    if block["type"] == "thinking":
        deltas = [
            {"type": "thinking_delta", "thinking": block["thinking"]},
            {"type": "signature_delta", "signature": block["signature"]},
        ]
        return {**block, "thinking": "", "signature": ""}, deltas
    arguments = json.dumps(block["input"])
    middle = len(arguments) // 2
    deltas = [{"type": "input_json_delta", "partial_json": part} for part in (arguments[:middle], arguments[middle:])]
    return {**block, "input": {}}, deltas


def _faults_of_system(system):
    if system is None or isinstance(system, str):
        return []
    if not isinstance(system, list):
        return ["system is neither text nor blocks"]
    return [
        "a block of system is no text" for block in system if block.get("type") != "text" or not block["text"].strip()
    ]


def _faults_of_messages(body):
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        return ["no messages"]
    found = []
    spoken = [one for one in messages if one.get("role") != "system"]
    if not spoken or spoken[0].get("role") != "user":
        found.append("the first message is not the user's")
    previous = {"role": None, "content": ""}
    if (body.get("thread") or {}).get("type") == "continue" and spoken:
        # The provider has what came before, such as the calls that these are results of.
        results = _ids(spoken[0], "tool_result", "tool_use_id")
        previous["content"] = [{"type": "tool_use", "id": one} for one in results]
    for one in spoken:
        found += [f"unknown field of a message: {name}" for name in sorted(set(one) - {"role", "content"})]
        if one.get("role") not in {"user", "assistant"}:
            found.append(f"no such role: {one.get('role')}")
        elif one["role"] == previous["role"]:
            found.append(f"two messages of {one['role']} in a row")
        found += _faults_of_content(one, previous, is_last=one is spoken[-1])
        previous = one
    if spoken and _ids(spoken[-1], "tool_use", "id"):
        found.append("a call of a tool comes last")
    if not body.get("tools") and any(_ids(one, "tool_use", "id") for one in messages):
        found.append("calls of tools, but no tools")
    return found


def _faults_of_content(one, previous, *, is_last):
    content = one.get("content")
    called, answered = _ids(previous, "tool_use", "id"), _ids(one, "tool_result", "tool_use_id")
    found = [] if sorted(called) == sorted(answered) else [f"calls {called} are answered by results {answered}"]
    if isinstance(content, str):
        return found if content.strip() else [*found, "blank text"]
    if not isinstance(content, list) or not content:
        return [*found, "no content"]
    allowed = USER_BLOCKS if one.get("role") == "user" else ASSISTANT_BLOCKS
    kinds = [block.get("type") for block in content]
    found += [f"a block of type {kind} is not {one.get('role')}'s" for kind in kinds if kind not in allowed]
    found += ["a blank block" for block in content if block.get("type") == "text" and not block["text"].strip()]
    if "tool_result" in kinds[len(answered) :]:
        found.append("tool results do not come first")
    found += ["thinking without signature" for block in content if _unsigned(block)]
    if is_last and one.get("role") == "assistant" and _text_of(content[-1]) != _text_of(content[-1]).rstrip():
        found.append("a prefilled reply ends in white space")
    return found


def _faults_of_marks(body):
    marked = [block for block in body.get("system") or [] if isinstance(block, dict) and "cache_control" in block]
    marked += [tool for tool in body.get("tools") or [] if "cache_control" in tool]
    for one in body.get("messages") or []:
        if isinstance(one["content"], list):
            marked += [block for block in one["content"] if "cache_control" in block]
    return [] if len(marked) <= MOST_CACHE_MARKS else [f"{len(marked)} blocks with cache_control"]


def _ids(one, kind, field):
    content = one["content"]
    return [block[field] for block in content if block.get("type") == kind] if isinstance(content, list) else []


def _unsigned(block):
    return block.get("type") == "thinking" and not block.get("signature")
