"""Reading along with a stream."""

import gc
import gzip

import httpx
import pytest

from streetai_core.adapters.events import events_of
from streetai_core.adapters.tee import read_along

STREAM = b'data: {"a": 1}\n\ndata: {"a": 2}\n\ndata: [DONE]\n\n'


class Pieces(httpx.SyncByteStream):
    """A stream in the pieces that the network gave it."""

    extension = "the library's own"

    def __init__(self, pieces, *, broken=False):
        self.pieces, self.broken, self.closed = pieces, broken, 0

    def __iter__(self):
        yield from self.pieces
        if self.broken:
            raise httpx.ReadError("the connection broke")

    def close(self):
        """Count it."""
        self.closed += 1


def response(stream, encoding=None):
    """A response of which nothing has been read, and what was told of it."""
    headers = {"content-type": "text/event-stream", **({"content-encoding": encoding} if encoding else {})}
    made, told = httpx.Response(200, headers=headers, stream=stream), []
    read_along(made, lambda read: told.append(events_of(read.data)), lambda read: told.append("later"))
    return made, told


def test_all_is_read_and_told_once():
    """The bytes pass as they are; a compressed stream too."""
    for encoding, data in ((None, STREAM), ("gzip", gzip.compress(STREAM))):
        stream = Pieces([data[:7], data[7:]])
        made, told = response(stream, encoding)
        assert STREAM == b"".join(made.iter_bytes())
        made.close()
        assert [[{"a": 1}, {"a": 2}, {}]] == told
        assert stream.closed == 1
        assert made.stream.extension == "the library's own"


def test_what_was_not_asked_for_has_not_been_read():
    """Though it came in one piece with what was."""
    made, told = response(Pieces([STREAM]))
    events = made.iter_bytes()
    assert b'data: {"a": 1}\n\n' == next(events)
    made.close()
    assert [[{"a": 1}]] == told


def test_a_break_is_an_end():
    """Also for a reader who never closes."""
    made, told = response(Pieces([STREAM[:20]], broken=True))
    with pytest.raises(httpx.ReadError):
        list(made.iter_bytes())
    assert [[{"a": 1}]] == told


def test_what_is_dropped_is_told_later():
    """The garbage collector must not be made to wait."""
    made, told = response(Pieces([STREAM]))
    del made
    assert ["later"] == told


def test_what_a_dropped_generator_closes_is_told_later():
    """Also if the app still has the response: whoever drops the generator may be the garbage collector."""
    made, told = response(Pieces([STREAM]))

    def events():
        try:
            yield from made.iter_bytes()
        finally:
            made.close()

    reading = events()
    next(reading)
    del reading
    gc.collect()
    assert ["later"] == told
