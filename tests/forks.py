"""Children forked from the test's own process, while other threads of it hold locks."""

import faulthandler
import os
import traceback
from contextlib import ExitStack, contextmanager
from threading import Event, Thread

import pytest

from streetai_core import forking

PATIENCE = 30

forks = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork; run it on Linux or macOS"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]
"""Marks of tests that fork."""


def child_says(question):
    """Whether it is true in a forked child; a child that hangs is ended, and shows where."""
    child = os.fork()
    if not child:
        answer = False
        try:
            faulthandler.dump_traceback_later(PATIENCE, exit=True, file=2)
            answer = question()
        except Exception:  # noqa: BLE001 - no child goes on with its parent's tests
            traceback.print_exc()
        finally:
            os._exit(0 if answer else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@contextmanager
def held_elsewhere(locks):
    """Locks that another thread holds within the block."""
    held, goes = Event(), Event()

    def hold():
        with ExitStack() as stack:
            for lock in locks:
                stack.enter_context(lock)
            held.set()
            goes.wait(2 * PATIENCE)

    thread = Thread(target=hold)
    thread.start()
    try:
        assert held.wait(PATIENCE)
        yield
    finally:
        goes.set()
        thread.join(PATIENCE)


def every_lock():
    """All locks that there are in this process, of whatever object."""
    return list(forking._locks)
