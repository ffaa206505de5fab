"""How the Gemini API is called, in each style that the SDK has: its models, and its chats."""

import json
import ssl

import httpx
from google import genai
from google.genai import types
from pydantic import BaseModel

from streetai_core.adapters.gemini import with_memory, with_memory_async
from tests.adapters.conformance.rows import Heard, Row
from tests.adapters.wire import gemini_api

PIXEL = types.Part.from_bytes(data=b"\x89PNG", mime_type="image/png")

NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

TIDE = types.FunctionDeclaration(name="tide", description="Depth of water.", parameters_json_schema={"type": "object"})


class Colour(BaseModel):
    """What a structured reply is parsed into."""

    name: str


class Models(Row):
    """`models.generate_content` and its stream."""

    name = "gemini"
    api = gemini_api
    styles = ("plain", "stream", "raw", "structured")
    asks_late = True

    def client(self, url, *, asynchronous, timeout=30, **memory):
        """A client with a memory."""
        client = sdk_client(url, timeout)
        return (with_memory_async if asynchronous else with_memory)(client, **memory)

    def plain_client(self, url, *, asynchronous):
        """The SDK's own client."""
        client = sdk_client(url)
        return client.aio if asynchronous else client

    def structured_text(self):
        """A reply that can be parsed."""
        return json.dumps({"name": "red"})

    def request(self, items):
        """The arguments of a call."""
        return {"model": "m", "contents": _contents(items), "config": _config(items)}

    def say(self, driver, client, style, items, *, take=None, **ids):
        """One call. With `take`: a stream is closed after so many of its texts."""
        request = {**self.request(items), **ids}
        if style == "stream":
            return _read(driver, driver.wait(client.models.generate_content_stream(**request)), take)
        return _heard(driver, client.models.generate_content, style, request)

    def open_stream(self, driver, client, items):
        """A stream of which nothing has been read. The SDK asks for the first piece only then."""
        return driver.wait(client.models.generate_content_stream(**self.request(items)))

    def text_of_event(self, event):
        """The text of a piece."""
        return _text_of(event)


class Chats(Models):
    """A chat whose history is all but the last thing said."""

    name = "gemini-chats"

    def say(self, driver, client, style, items, *, take=None, **ids):
        """One call. With `take`: a stream is closed after so many of its texts."""
        chat, message = _chat(client, items, ids)
        if style == "stream":
            return _read(driver, driver.wait(chat.send_message_stream(message)), take)
        return _heard(driver, chat.send_message, style, {"message": message, "config": _config(items)})

    def open_stream(self, driver, client, items):
        """A stream of which nothing has been read."""
        chat, message = _chat(client, items, {})
        return driver.wait(chat.send_message_stream(message))


def sdk_client(url, timeout=30, **options):
    """The SDK's client, with a key if `options` say nothing else.

    Left to itself it prefers aiohttp, if that is there, and uses what aiohttp deprecates. It loads no certificates,
    which take most of the time to make one: the SDK takes what is given, if it is true.
    """
    uncertified = {
        "transport": httpx.AsyncHTTPTransport(verify=NO_CERTIFICATES),
        "verify": NO_CERTIFICATES,
        "ssl": NO_CERTIFICATES,
    }
    return genai.Client(
        **(options or {"api_key": "none"}),
        http_options={
            "base_url": url,
            "timeout": int(timeout * 1000),
            "client_args": {"verify": NO_CERTIFICATES},
            "async_client_args": uncertified,
        },
    )


def _heard(driver, call, style, request):
    """What a call brings that is no stream."""
    if style == "raw":
        response = driver.wait(call(**_configured(request, should_return_http_response=True)))
        data = json.loads(response.sdk_http_response.body)
        return Heard("".join(part["text"] for part in data["candidates"][0]["content"]["parts"]), response)
    if style == "structured":
        wanted = {"response_mime_type": "application/json", "response_schema": Colour}
        response = driver.wait(call(**_configured(request, **wanted)))
        assert response.parsed == Colour(name="red")
        return Heard(response.text, response)
    response = driver.wait(call(**request))
    return Heard(_text_of(response), response)


def _configured(request, **more):
    """The arguments of a call with more configuration; the request may be somebody else's."""
    return {**request, "config": request["config"].model_copy(update=more)}


def _read(driver, stream, take):
    """What a stream says."""
    texts, last = [], stream
    for piece in driver.each(stream):
        last = piece
        if text := _text_of(piece):
            texts.append(text)
        if take is not None and len(texts) == take:
            driver.close(stream)
            break
    return Heard("".join(texts), last)


def _text_of(response):
    """The text of a response; its own property complains of calls."""
    parts = response.candidates[0].content.parts
    return "".join(part.text for part in parts if part.text and not part.thought)


def _chat(client, items, ids):
    """A chat, and the parts of the message that is to be sent."""
    *history, last = _contents(items)
    return client.chats.create(model="m", config=_config(items), history=history, **ids), last.parts


def _config(items):
    """The configuration of a call."""
    system = [text for kind, text, *_ in items if kind == "system"]
    forced = [text for kind, text, *_ in items if kind == "must call"]
    calling = types.FunctionCallingConfig(mode="ANY", allowed_function_names=forced)
    return types.GenerateContentConfig(
        system_instruction="\n\n".join(system) or None,
        tool_config=types.ToolConfig(function_calling_config=calling) if forced else None,
        tools=[types.Tool(function_declarations=[TIDE])],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )


def _contents(items):
    """The conversation of a call; results, and what is said with them, are one content."""
    contents, names = [], {}
    for kind, text, *more in items:
        if kind in {"system", "must call"}:
            continue
        role = "model" if kind in {"assistant", "call"} else "user"
        parts = [types.Part(text=text)] if text and kind != "result" else []
        if kind == "image":
            parts.append(PIXEL)
        elif kind == "call":
            names.update((call_id, name) for call_id, name, _ in more[0])
            parts += [
                types.Part(function_call=types.FunctionCall(id=call_id, name=name, args=arguments))
                for call_id, name, arguments in more[0]
            ]
        elif kind == "result":
            answer = types.FunctionResponse(id=more[0], name=names[more[0]], response={"result": text})
            parts.append(types.Part(function_response=answer))
        if contents and contents[-1].role == role:
            contents[-1].parts.extend(parts)
        else:
            contents.append(types.Content(role=role, parts=parts))
    return contents
