"""A server on this machine that speaks OpenAI's chat completions, with replies from a script."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Script:
    """What the server answers, in turn, and what it was asked."""

    def __init__(self, *replies):
        """Texts to stream word by word; an int is an HTTP error; a text that ends with "..." breaks off."""
        self.replies = list(replies)
        self.asked = []
        self.keys = []


def _handler(script):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            """Answer a request."""
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            script.asked.append(body)
            script.keys.append(self.headers["Authorization"])
            reply = script.replies.pop(0)
            if isinstance(reply, int):
                self._whole(reply, {"error": {"message": "out of\norder \x1b[31m", "type": "server_error"}})
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for word in reply.removesuffix("...").split(" "):
                self._chunk(f"data: {json.dumps(_event(word + ' '))}\n\n")
            if reply.endswith("..."):
                # No end: the connection is simply gone.
                self.close_connection = True
                return
            self._chunk(
                'data: {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": []}\n\n'
            )
            self._chunk("data: [DONE]\n\n")
            self._chunk("")

        def log_message(self, *_):
            """Say nothing."""

        def _whole(self, status, value):
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _chunk(self, text):
            data = text.encode()
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    return Handler


def _event(text):
    """A piece of a reply."""
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    return {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


@contextmanager
def serving(script):
    """The address of a server with this script."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(script))
    server.daemon_threads = False
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
