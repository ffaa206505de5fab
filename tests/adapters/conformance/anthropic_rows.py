"""How Anthropic's API is called, in each style that the SDK has, with and without beta."""

import json

from anthropic import Anthropic, AsyncAnthropic, DefaultAsyncHttpxClient, DefaultHttpxClient
from anthropic.resources import Messages as SdkMessages
from pydantic import BaseModel

from streetai_core.adapters.anthropic import with_memory, with_memory_async
from tests.adapters.conformance.rows import Heard, Row
from tests.adapters.wire import anthropic_api

PIXEL = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}

TOOLS = [{"name": "tide", "description": "Depth of water.", "input_schema": {"type": "object"}}]


def sdk_client(url, *, asynchronous=False, **options):
    """A client of the SDK, without retries. It loads no certificates, which take most of the time to make one."""
    make, http = (AsyncAnthropic, DefaultAsyncHttpxClient) if asynchronous else (Anthropic, DefaultHttpxClient)
    return make(base_url=url, api_key="none", max_retries=0, http_client=http(verify=False), **options)


class Colour(BaseModel):
    """What a structured reply is parsed into."""

    name: str


class Messages(Row):
    """The Messages API."""

    name = "anthropic"
    api = anthropic_api
    styles = ("plain", "stream", "helper", "raw", "raw stream", "streaming response")
    if hasattr(SdkMessages, "parse"):  # newer versions of the SDK
        styles = (*styles, "structured")

    def client(self, url, *, asynchronous, timeout=30, **memory):
        """A client with a memory."""
        wrap = with_memory_async if asynchronous else with_memory
        return wrap(sdk_client(url, asynchronous=asynchronous, timeout=timeout), **memory)

    def plain_client(self, url, *, asynchronous):
        """The SDK's own client."""
        return sdk_client(url, asynchronous=asynchronous)

    def resource(self, client):
        """Where the calls are."""
        return client.messages

    def structured_text(self):
        """A reply that can be parsed."""
        return json.dumps({"name": "red"})

    def request(self, items):
        """The arguments of a call."""
        system = [text for kind, text, *_ in items if kind == "system"]
        request = {"model": "m", "max_tokens": 100, "messages": _messages(items), "tools": TOOLS}
        request |= {"system": "\n\n".join(system)} if system else {}
        for name in [text for kind, text, *_ in items if kind == "must call"]:
            request["tool_choice"] = {"type": "tool", "name": name}
        return request

    def say(self, driver, client, style, items, *, take=None, **ids):
        """One call. With `take`: a stream is closed after so many of its texts."""
        resource, request = self.resource(client), {**self.request(items), **ids}
        if style in {"plain", "structured"}:
            parsed = {"output_format": Colour} if style == "structured" else {}
            call = resource.parse if parsed else resource.create
            return _heard(driver.wait(call(**request, **parsed)))
        if style == "stream":
            return self._read(driver, driver.wait(resource.create(stream=True, **request)), take)
        if style == "helper":
            with driver.within(resource.stream(**request)) as stream:
                for _ in driver.each(stream):
                    pass
                return Heard(_text_of(driver.wait(stream.get_final_message())), stream)
        if style == "raw":
            raw = driver.wait(resource.with_raw_response.create(**request))
            return Heard(_text_of(driver.wait(raw.parse())), raw)
        if style == "raw stream":
            raw = driver.wait(resource.with_raw_response.create(stream=True, **request))
            return Heard(self._read(driver, driver.wait(raw.parse()), take).text, raw)
        with driver.within(resource.with_streaming_response.create(**request)) as response:
            data = json.loads(driver.wait(response.read()))
        return Heard("".join(block.get("text", "") for block in data["content"]), response)

    def open_stream(self, driver, client, items):
        """A stream of which nothing has been read."""
        return driver.wait(self.resource(client).create(stream=True, **self.request(items)))

    def text_of_event(self, event):
        """The text of an event."""
        spoken = event.type == "content_block_delta" and event.delta.type == "text_delta"
        return event.delta.text if spoken else None

    def _read(self, driver, stream, take):
        """What a stream says."""
        texts = []
        for event in driver.each(stream):
            if text := self.text_of_event(event):
                texts.append(text)
            if take is not None and len(texts) == take:
                driver.close(stream)
                break
        return Heard("".join(texts), stream)


class BetaMessages(Messages):
    """The same with beta features."""

    name = "anthropic-beta"

    def resource(self, client):
        """Where the calls are."""
        return client.beta.messages


def _heard(message):
    """What a message says."""
    return Heard(_text_of(message), message)


def _text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


def _messages(items):
    """The conversation of a call; results, and what is said with them, are one message."""
    messages = []
    for kind, text, *more in items:
        if kind in {"system", "must call"}:
            continue
        role = "assistant" if kind in {"assistant", "call"} else "user"
        content = _content(kind, text, more)
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] = [*_blocks(messages[-1]["content"]), *_blocks(content)]
        else:
            messages.append({"role": role, "content": content})
    return messages


def _content(kind, text, more):
    """What an item says, as plain text where that is possible."""
    if kind == "image":
        return [*_blocks(text), {"type": "image", "source": PIXEL}]
    if kind == "call":
        calls = [
            {"type": "tool_use", "id": call_id, "name": name, "input": arguments}
            for call_id, name, arguments in more[0]
        ]
        return [*_blocks(text), *calls]
    if kind == "result":
        return [{"type": "tool_result", "tool_use_id": more[0], "content": text}]
    return text


def _blocks(content):
    """A content as blocks."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return content
