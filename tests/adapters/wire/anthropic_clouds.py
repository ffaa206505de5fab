"""The Messages API of Anthropic as Amazon Bedrock and Google's Vertex AI have it.

The model stands in the path, the version in the body, and Bedrock streams in messages of Amazon's in place of
server-sent events.
"""

import base64
import json
import re
import zlib
from urllib.parse import unquote

from tests.adapters.wire import anthropic_api

_HEADERS = (
    (b":event-type", b"chunk"),
    (b":content-type", b"application/json"),
    (b":message-type", b"event"),
)
_TEXT = b"\x07"
"""The type of a header's value."""


class Cloud:
    """One cloud, to be given to `served`.

    Args:
        path: of a chat call, with the groups `model` and, where it is streamed, `stream`.
    """

    whole = staticmethod(anthropic_api.whole)
    failure = staticmethod(anthropic_api.failure)
    texts = staticmethod(anthropic_api.texts)

    def __init__(self, path):
        self._path = re.compile(path)

    def arrived(self, path, body):
        """A body as Anthropic's own API would have it; without a model if the path is none of a chat call."""
        found = self._path.fullmatch(path.partition("?")[0])
        if found is None:
            return body
        return {**body, "model": unquote(found["model"]), "stream": bool(found["stream"])}

    def faults(self, headers, body):
        """What is wrong with a request, each a sentence; empty for a valid one."""
        # Older versions of the SDK put the name of the cloud before the day.
        version = re.sub("^(bedrock|vertex)-", "", body.get("anthropic_version", ""))
        rest = {name: value for name, value in body.items() if name not in {"anthropic_version", "anthropic_beta"}}
        return anthropic_api.faults({**headers, "anthropic-version": version}, rest)

    def frames(self, answer, body, number):
        """The reply as the bytes of its events."""
        return anthropic_api.frames(answer, body, number)


class Bedrock(Cloud):
    """Amazon's."""

    content_type = "application/vnd.amazon.eventstream"

    def frames(self, answer, body, number):
        """The reply as the bytes of Amazon's messages."""
        for frame in super().frames(answer, body, number):
            data = next(line for line in frame.splitlines() if line.startswith(b"data: ")).removeprefix(b"data: ")
            yield message(json.dumps({"bytes": base64.b64encode(data).decode(), "p": "abc"}).encode())


BEDROCK = Bedrock(r"/model/(?P<model>[^/]+)/invoke(?P<stream>-with-response-stream)?")
VERTEX = Cloud(
    r"/projects/p/locations/north/publishers/anthropic/models/(?P<model>[^/]+):(?P<stream>stream)?[rR]awPredict"
)


def message(payload, headers=_HEADERS):
    """One message of Amazon's."""
    written = b"".join(
        bytes([len(name)]) + name + _TEXT + len(value).to_bytes(2, "big") + value for name, value in headers
    )
    lengths = (12 + len(written) + len(payload) + 4).to_bytes(4, "big") + len(written).to_bytes(4, "big")
    start = lengths + zlib.crc32(lengths).to_bytes(4, "big") + written + payload
    return start + zlib.crc32(start).to_bytes(4, "big")
