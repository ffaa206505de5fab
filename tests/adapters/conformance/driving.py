"""Calls a client, be it synchronous or not, so that each behaviour is written down once."""

import asyncio
from contextlib import ExitStack, contextmanager

from tests.event_loop import never_blocked


class Sync:
    """Drives a synchronous client."""

    name = "sync"
    asynchronous = False

    def wait(self, value):
        """What a call returns."""
        return value

    def each(self, stream):
        """The events of a stream."""
        return iter(stream)

    @contextmanager
    def within(self, manager):
        """Inside of what a call returns."""
        with manager as entered:
            yield entered

    def close(self, closing):
        """Close a stream or a client."""
        closing.close()

    def unguarded(self):
        """Nothing is guarded."""

    def end(self):
        """Nothing is left over."""


def unless_closed_twice(loop, context):
    """Log what nobody waited for, but for one error of an HTTP client.

    Of a stream that is abandoned the loop closes every generator that the collector finds, and an outer one of httpcore
    closes the inner one too. The log would read the traceback's source files, which blocks the loop.
    """
    if "asynchronous generator is already running" not in str(context.get("exception")):
        loop.default_exception_handler(context)


class Async:
    """Drives an async client on a loop that nothing may block."""

    name = "async"
    asynchronous = True

    def __init__(self):
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(unless_closed_twice)
        self._stack = ExitStack()
        self._blocking = self._stack.enter_context(never_blocked())

    def wait(self, value):
        """What a call returns, once it is there."""
        return self._loop.run_until_complete(value) if hasattr(value, "__await__") else value

    def each(self, stream):
        """The events of a stream, each when it is asked for."""
        events = aiter(stream)
        while True:
            try:
                yield self.wait(anext(events))
            except StopAsyncIteration:
                return

    @contextmanager
    def within(self, manager):
        """Inside of what a call returns."""
        entered = self.wait(manager.__aenter__())
        try:
            yield entered
        finally:
            self.wait(manager.__aexit__(None, None, None))

    def close(self, closing):
        """Close a stream or a client."""
        self.wait((getattr(closing, "aclose", None) or closing.close)())

    def unguarded(self):
        """From now on the loop may be blocked, as by a traceback, for which the log reads source files."""
        self._stack.close()

    def end(self):
        """Nothing is left over, and nothing has blocked the loop."""
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()
        self._stack.close()
        assert self._blocking == []


DRIVERS = {"sync": Sync, "async": Async}
