"""A server on this machine that speaks the providers' APIs, answers from a script, and checks what it receives."""

import json
import selectors
import socket
import threading
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.adapters.wire.answers import Answer


@dataclass(frozen=True)
class Received:
    """One request."""

    path: str
    headers: dict
    """By lower-case name."""
    body: dict
    texts: list
    """All text in it, in order."""


@dataclass
class Wire:
    """What the server has been told to answer, and what came in."""

    api: object
    """A module with `faults`, `whole`, `frames`, `failure` and `texts`.

    It may have `side` and `listed`, if there is more than chat calls; `arrived`, if the path says a part of what is
    asked for; and `content_type`, if its streams are not of server-sent events.
    """
    url: str = ""
    """Where the server is, without a path."""
    answers: deque = field(default_factory=deque)
    """The next replies; then `otherwise`."""
    otherwise: object = field(default=lambda received: Answer())
    """From a request to its reply, where none is scripted."""
    received: list = field(default_factory=list)
    invalid: list = field(default_factory=list)
    """What was wrong with requests; a test asserts that there is nothing."""
    over: threading.Event = field(default_factory=threading.Event)

    def next_answer(self, received):
        """The reply to a request."""
        try:
            return self.answers.popleft()
        except IndexError:
            return self.otherwise(received)

    @property
    def last(self):
        """The newest request."""
        return self.received[-1]


class Handler(BaseHTTPRequestHandler):
    """Takes requests for its `wire`."""

    protocol_version = "HTTP/1.1"  # keeps the client's connection, as a real server does
    wire: Wire
    wbufsize = 0  # each event leaves at once

    def do_GET(self):
        """Tell what there is."""
        self._whole(200, self.wire.api.listed(self.path))

    def do_POST(self):
        """Check a request, and answer it."""
        wire = self.wire
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        beside = wire.api.side(self.path, body) if hasattr(wire.api, "side") else None
        if beside is not None:
            self._whole(200, beside)
            return
        if hasattr(wire.api, "arrived"):
            body = wire.api.arrived(self.path, body)
        headers = {name.lower(): value for name, value in self.headers.items()}
        faults = wire.api.faults(headers, body)
        wire.invalid += [(self.path, fault, body) for fault in faults]
        received = Received(self.path, headers, body, [] if faults else wire.api.texts(body))
        wire.received.append(received)
        number = len(wire.received)
        if faults:
            self._whole(400, wire.api.failure(400))
            return
        answer = wire.next_answer(received)
        if answer.hangs:
            wire.over.wait()
            self.close_connection = True
        elif answer.status != 200:
            self._whole(answer.status, wire.api.failure(answer.status))
        elif _is_streamed(self.path, body):
            self._stream(answer, wire.api.frames(answer, body, number))
        else:
            self._whole(200, wire.api.whole(answer, body, number))

    def _whole(self, status, data):
        payload = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def _stream(self, answer, frames):
        self.send_response(200)
        self.send_header("Content-Type", getattr(self.wire.api, "content_type", "text/event-stream"))
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for number, frame in enumerate(frames):
                if number == answer.cut_after:
                    self.close_connection = True
                    return
                self.wfile.write(b"%x\r\n%b\r\n" % (len(frame), frame))
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            self.close_connection = True  # the client has heard enough

    def log_message(self, *arguments):
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True  # a client that keeps its connection does not keep the test
    request_queue_size = 256  # for tests that call at once from everywhere
    timeout = 0  # whoever has gone away again is not waited for

    def serve_until(self, told):
        """Serve until something can be read from `told`: `serve_forever` looks again and again whether to end."""
        with selectors.DefaultSelector() as selector:
            selector.register(self, selectors.EVENT_READ)
            selector.register(told, selectors.EVENT_READ)
            while told not in [key.fileobj for key, _ in selector.select()]:
                self.handle_request()


@contextmanager
def served(api):
    """A `Wire` on a free port of 127.0.0.1 until the block ends; nothing invalid may have come in.

    Args:
        api: one of the modules beside this one.
    """
    wire = Wire(api)
    with listening(type("Handler", (Handler,), {"wire": wire}), [wire]) as wire.url:
        yield wire


@contextmanager
def listening(handler, wires):
    """The URL of a server with these handlers until the block ends; nothing invalid may have come in for `wires`."""
    end, told = socket.socketpair()
    with end, told, _Server(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_until, args=(told,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            for wire in wires:
                wire.over.set()
            end.close()
            thread.join()
    assert [] == [fault for wire in wires for fault in wire.invalid]


def _is_streamed(path, body):
    """Whether a request asks for a stream, in its body or, of Gemini, in its path."""
    return bool(body.get("stream")) or ":streamGenerateContent" in path
