"""How OpenAI's two APIs are called, in each style that the SDK has."""

import json

from openai import AsyncOpenAI, DefaultAsyncHttpxClient, DefaultHttpxClient, OpenAI
from pydantic import BaseModel

from streetai_core.adapters.openai import with_memory, with_memory_async
from tests.adapters.conformance.rows import Heard, Row
from tests.adapters.wire import openai_chat_api, openai_responses_api

SCHEMA = {"type": "object", "properties": {"harbour": {"type": "string"}}}
PIXEL = "data:image/png;base64,iVBORw0KGgo="


class Colour(BaseModel):
    """What a structured reply is parsed into."""

    name: str


def sdk_client(url, *, asynchronous=False, **options):
    """A client of the SDK, without retries. It loads no certificates, which take most of the time to make one."""
    make, http = (AsyncOpenAI, DefaultAsyncHttpxClient) if asynchronous else (OpenAI, DefaultHttpxClient)
    options = {"api_key": "none", "max_retries": 0, **options}
    return make(base_url=f"{url}/v1", http_client=http(verify=False), **options)


class OpenAIRow(Row):
    """What both APIs share."""

    styles = ("plain", "stream", "helper", "raw", "raw stream", "streaming response", "structured")

    def client(self, url, *, asynchronous, timeout=30, **memory):
        """A client with a memory."""
        wrap = with_memory_async if asynchronous else with_memory
        return wrap(sdk_client(url, asynchronous=asynchronous, timeout=timeout), **memory)

    def plain_client(self, url, *, asynchronous):
        """The SDK's own client."""
        return sdk_client(url, asynchronous=asynchronous)

    def structured_text(self):
        """A reply that can be parsed."""
        return json.dumps({"name": "red"})

    def say(self, driver, client, style, items, *, take=None, **ids):
        """One call. With `take`: a stream is closed after so many of its events."""
        resource, request = self.resource(client), {**self.request(items), **ids}
        if style in {"plain", "structured"}:
            call = resource.create(**request) if style == "plain" else self.parse(resource, request)
            response = driver.wait(call)
            return Heard(self.text_of(response), response)
        if style == "stream":
            return self.heard(driver, driver.wait(resource.create(stream=True, **request)), take)
        if style == "helper":
            with driver.within(resource.stream(**request)) as stream:
                for _ in driver.each(stream):
                    pass
                return Heard(self.text_of(driver.wait(self.final(stream))), stream)
        if style in {"raw", "raw stream"}:
            streamed = {"stream": True} if style == "raw stream" else {}
            raw = driver.wait(resource.with_raw_response.create(**request, **streamed))
            parsed = raw.parse()
            return Heard(self.heard(driver, parsed, take).text if streamed else self.text_of(parsed), raw)
        with driver.within(resource.with_streaming_response.create(**request)) as response:
            data = json.loads(driver.wait(response.read()))
        return Heard(self.text_in(data), response)

    def open_stream(self, driver, client, items):
        """A stream of which nothing has been read."""
        return driver.wait(self.resource(client).create(stream=True, **self.request(items)))

    def heard(self, driver, stream, take):
        """What a stream says."""
        texts = []
        for event in driver.each(stream):
            if text := self.text_of_event(event):
                texts.append(text)
            if take is not None and len(texts) == take:
                driver.close(stream)
                break
        return Heard("".join(texts), stream)


class Chat(OpenAIRow):
    """Chat Completions."""

    name = "openai-chat"
    api = openai_chat_api

    def resource(self, client):
        """Where the calls are."""
        return client.chat.completions

    def request(self, items):
        """The arguments of a call."""
        request = {"model": "m", "messages": [self._message(item) for item in items if item[0] != "must call"]}
        for name in [text for kind, text, *_ in items if kind == "must call"]:
            request["tools"] = [{"type": "function", "function": {"name": name, "parameters": SCHEMA}}]
            request["tool_choice"] = {"type": "function", "function": {"name": name}}
        return request

    def parse(self, resource, request):
        """A call for a structured reply."""
        return resource.parse(response_format=Colour, **request)

    def final(self, stream):
        """The whole response of a helper."""
        return stream.get_final_completion()

    def text_of(self, response):
        """The text of a response."""
        return next(one.message.content for one in response.choices if one.index == 0) or ""

    def text_in(self, data):
        """The text of a response as JSON."""
        return next(one["message"]["content"] for one in data["choices"] if one["index"] == 0)

    def text_of_event(self, event):
        """The text of a chunk."""
        return event.choices[0].delta.content if event.choices and not event.choices[0].index else None

    def _message(self, item):
        kind, text, *more = item
        if kind == "image":
            image = {"type": "image_url", "image_url": {"url": PIXEL}}
            return {"role": "user", "content": [*([{"type": "text", "text": text}] if text else []), image]}
        if kind == "call":
            calls = [
                {"id": name_id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
                for name_id, name, arguments in more[0]
            ]
            return {"role": "assistant", "content": text or None, "tool_calls": calls}
        if kind == "result":
            return {"role": "tool", "tool_call_id": more[0], "content": text}
        return {"role": kind, "content": text}


class Responses(OpenAIRow):
    """The Responses API."""

    name = "openai-responses"
    api = openai_responses_api

    def resource(self, client):
        """Where the calls are."""
        return client.responses

    def request(self, items):
        """The arguments of a call."""
        said = [item for item in items if item[0] != "must call"]
        request = {"model": "m", "input": [entry for item in said for entry in self._entries(item)]}
        for name in [text for kind, text, *_ in items if kind == "must call"]:
            request["tools"] = [{"type": "function", "name": name, "parameters": SCHEMA}]
            request["tool_choice"] = {"type": "function", "name": name}
        return request

    def parse(self, resource, request):
        """A call for a structured reply."""
        return resource.parse(text_format=Colour, **request)

    def final(self, stream):
        """The whole response of a helper."""
        return stream.get_final_response()

    def text_of(self, response):
        """The text of a response."""
        return response.output_text

    def text_in(self, data):
        """The text of a response as JSON."""
        return "".join(part["text"] for item in data["output"] for part in item.get("content", ()))

    def text_of_event(self, event):
        """The text of an event."""
        return event.delta if event.type == "response.output_text.delta" else None

    def _entries(self, item):
        kind, text, *more = item
        if kind == "image":
            image = {"type": "input_image", "image_url": PIXEL}
            return [{"role": "user", "content": [*([{"type": "input_text", "text": text}] if text else []), image]}]
        if kind == "call":
            calls = [
                {"type": "function_call", "call_id": name_id, "name": name, "arguments": json.dumps(arguments)}
                for name_id, name, arguments in more[0]
            ]
            return [*([{"role": "assistant", "content": text}] if text else []), *calls]
        if kind == "result":
            return [{"type": "function_call_output", "call_id": more[0], "output": text}]
        return [{"role": kind, "content": text}]
