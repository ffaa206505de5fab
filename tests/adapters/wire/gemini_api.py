"""The Gemini API as far as the tests speak it: what a valid request is, and what replies look like.

The rules are those that the API documents and answers with 400: the fields there are, roles `user` and `model` that
take turns beginning with the user, parts that hold one thing each, and as many function responses as calls, right
after them.
"""

import json

FIELDS = frozenset(
    {
        "contents",
        "systemInstruction",
        "generationConfig",
        "tools",
        "toolConfig",
        "safetySettings",
        "cachedContent",
        "continuationToken",
        "labels",
    }
)
"""What may stand in a request; the API refuses others as "unknown name"."""

DATA = frozenset({"text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode"})
"""A part has one of these."""

BESIDE = frozenset({"thought", "thoughtSignature", "videoMetadata", "partMetadata"})
"""What else a part may have."""


def faults(headers, body):
    """What is wrong with a request, each a sentence; empty for a valid one."""
    found = [f"unknown field {name}" for name in sorted(set(body) - FIELDS)]
    found += [f"header {name} is not for the provider" for name in headers if "streetai" in name.lower()]
    if not (headers.get("x-goog-api-key") or headers.get("authorization")):  # Vertex AI has the second
        found.append("no key")
    system = body.get("systemInstruction")
    if system is not None and not any(part.get("text", "").strip() for part in system.get("parts") or []):
        found.append("a system instruction without text")
    return found + _faults_of_contents(body.get("contents"))


def whole(answer, body, number):
    """The reply to a request that is not streamed."""
    return _chunk(_parts(answer), number, finish=answer.stop or "STOP")


def frames(answer, body, number):
    """The reply as the bytes of server-sent events."""
    pieces = [[{"text": answer.thinking, "thought": True}]] if answer.thinking else []
    pieces += [[{"text": piece}] for piece in answer.pieces]
    pieces += [[part] for part in [*_made(answer), *_calls(answer)]]
    for place, parts in enumerate(pieces or [[{"text": ""}]]):
        last = place >= len(pieces) - 1
        chunk = _chunk(parts, number, finish=(answer.stop or "STOP") if last else None)
        yield f"data: {json.dumps(chunk)}\r\n\r\n".encode()


def side(path, body):
    """The reply to what is no chat call; `None` if it is one."""
    if ":countTokens" in path:
        return {"totalTokens": sum(map(len, texts(body)))}
    return None


def failure(status):
    """The body of an error."""
    return {"error": {"code": status, "message": f"scripted {status}", "status": "INTERNAL"}}


def texts(body):
    """All text of a request, in order: of the system instruction, then of each content."""
    contents = [*([body["systemInstruction"]] if "systemInstruction" in body else []), *body["contents"]]
    return ["".join(map(_text_of, one["parts"])) for one in contents]


def _text_of(part):
    for kind, field in (("functionCall", "args"), ("functionResponse", "response")):
        if kind in part:
            return part[kind]["name"] + json.dumps(part[kind].get(field))
    return part.get("text", "")


def _chunk(parts, number, *, finish):
    candidate = {"content": {"role": "model", "parts": parts}, "index": 0}
    if finish is not None:
        candidate["finishReason"] = finish
    return {
        "candidates": [candidate],
        "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
        "modelVersion": "scripted",
        "responseId": f"response-{number:04}",
    }


def _parts(answer):
    thought = [{"text": answer.thinking, "thought": True}] if answer.thinking else []
    return [*thought, *([{"text": answer.text}] if answer.text else []), *_made(answer), *_calls(answer)]


def _made(answer):
    return [{"inlineData": {"mimeType": f"{answer.made}/png", "data": "iVBORw0KGgo="}}] if answer.made else []


def _calls(answer):
    return [
        {"functionCall": {"id": call_id, "name": name, "args": arguments}} for call_id, name, arguments in answer.calls
    ]


def _faults_of_contents(contents):
    if not isinstance(contents, list) or not contents:
        return ["no contents"]
    found = [] if contents[0].get("role") == "user" else ["the first content is not the user's"]
    previous = {"role": None, "parts": []}
    for one in contents:
        found += [f"unknown field of a content: {name}" for name in sorted(set(one) - {"role", "parts"})]
        if one.get("role") not in {"user", "model"}:
            found.append(f"no such role: {one.get('role')}")
        elif one["role"] == previous["role"] == "user":
            # A reply that was streamed may stand in the history in pieces, each a content of the model's.
            found.append("two contents of the user's in a row")
        parts = one.get("parts") or []
        found += ["a content without parts"] if not parts else _faults_of_parts(parts)
        called, answered = _names(previous, "functionCall"), _names(one, "functionResponse")
        if sorted(called) != sorted(answered):
            found.append(f"calls of {called} are answered by responses of {answered}")
        previous = one
    if _names(contents[-1], "functionCall"):
        found.append("a function call comes last")
    return found


def _faults_of_parts(parts):
    found = []
    for part in parts:
        if len(set(part) & DATA) != 1:
            found.append(f"a part with {sorted(part)}")
        found += [f"unknown field of a part: {name}" for name in sorted(set(part) - DATA - BESIDE)]
        if "text" in part and not part["text"]:
            found.append("an empty part")
    return found


def _names(one, kind):
    return [part[kind]["name"] for part in one["parts"] if kind in part]
