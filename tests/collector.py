"""The garbage collector, where a test wants it: it steps in anywhere, also where a thread has a lock."""

import gc
from datetime import datetime, timezone
from threading import Thread

from tests.forks import PATIENCE


class CollectingClock:
    """A clock that lets the collector step in once where it is asked, as in the middle of a write."""

    def __init__(self):
        self.collects = False

    def __call__(self):
        """Now."""
        if self.collects:
            self.collects = False
            gc.collect()
        return datetime.now(timezone.utc)


def left_to_collector(pieces, *, read=1):
    """The first pieces of a stream that nobody goes on with: it is in a cycle, so that only the collector ends it."""
    found = [next(pieces) for _ in range(read)]
    cycle = [pieces]
    cycle.append(cycle)
    return found


def collected_under(lock):
    """Whether the collector comes through where a thread has this lock, and does not wait for that thread for ever."""

    def collect():
        with lock:
            gc.collect()

    # A thread, so that a deadlock is a failure and not a test that never ends.
    thread = Thread(target=collect, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    return not thread.is_alive()
