"""A chat API on this machine that answers from a script and counts what it receives."""

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CHARACTERS_PER_TOKEN = 4
"""English prose has about four characters a token."""

MESSAGE_TOKENS = 4
"""What a chat API adds to each message for its role and borders."""


@dataclass
class Wire:
    """A server of `POST /v1/chat/completions` and what came in."""

    url: str = ""
    """Where a client finds it."""
    answers: list = field(default_factory=list)
    """The messages of the assistant still to be given, first one first."""
    received: list = field(default_factory=list)
    """Tokens of each request, in order."""

    def answer(self, request):
        """Count a request and complete it with the next answer."""
        self.received.append(tokens_of(request["messages"]))
        message = {"role": "assistant", "content": None, **self.answers.pop(0)}
        number = len(self.received)
        return {
            "id": f"completion-{number}",
            "object": "chat.completion",
            "created": number,
            "model": request["model"],
            "choices": [
                {"index": 0, "message": message, "finish_reason": "tool_calls" if "tool_calls" in message else "stop"}
            ],
        }


def tokens_of(messages):
    """Tokens of the messages of a request: a quarter of the characters of texts and tool calls, and 4 a message."""
    return sum(-(-_characters(message) // CHARACTERS_PER_TOKEN) + MESSAGE_TOKENS for message in messages)


def tool_call(name, arguments, number):
    """The assistant's message that calls a tool; `number` makes its id."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"tool_calls": [{"id": f"call-{number}", "type": "function", "function": function}]}


@contextmanager
def served():
    """A `Wire` that listens on a free port of 127.0.0.1 until the block ends."""
    wire = Wire()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # keeps the client's connection, as a real server does

        def do_POST(self):
            """Answer a request."""
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            reply = json.dumps(wire.answer(request)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *arguments):
            """Say nothing: the figures are the report."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True  # a client that keeps its connection does not keep the benchmark
        wire.url = f"http://127.0.0.1:{server.server_port}/v1"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield wire
        finally:
            server.shutdown()
            thread.join()


def _characters(message):
    """Characters of a message's text, and of the name and arguments of its tool calls."""
    content = message.get("content") or ""
    texts = [content] if isinstance(content, str) else [block.get("text", "") for block in content]
    called = [call["function"] for call in message.get("tool_calls") or ()]
    return sum(map(len, texts)) + sum(len(one["name"]) + len(one["arguments"]) for one in called)
