"""Waiting for a model that may never answer: a service behind a lost connection answers after minutes, if at all."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NoResultError
from contextvars import copy_context
from threading import Thread
from typing import TypeVar

from streetai_core.forking import fork_safe_lock

TIMEOUT = 10.0
"""Seconds for a question. Services answer in tenths of a second, a local server that has to load its model first in a
few; who has asked something in a chat waits no longer than this for what words alone could have found at once."""

_FOR_EACH = 1.0
"""Seconds more for each text: the largest local models take as long for a chunk on an old processor."""

_MOST_WAITING = 8
"""Calls without an answer that are waited for elsewhere. While there are so many, nothing more is asked: a service that
hangs costs a few threads, and from then on no time."""

Result = TypeVar("Result")


class Patience:
    """Calls a model on a thread of its own, and goes on without it if it takes too long. Safe for several threads.

    A call that is given up goes on in its thread, and what comes of it is dropped.

    Args:
        seconds: for one text, above 0; `None`: as long as it takes, on the thread of the caller.
    """

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._lock = fork_safe_lock()
        self._given_up: list[Thread] = []

    def call(self, work: Callable[[], Result], texts: int) -> Result:
        """What `work` returns or raises.

        Args:
            work: calls the model.
            texts: how many texts the model is given.

        Raises:
            TimeoutError: there was no answer in time, or there is none to so many calls that it is not asked any more.
        """
        if self._seconds is None:
            return work()
        with self._lock:
            # Of a parent's threads none is alive in a forked child.
            self._given_up = [thread for thread in self._given_up if thread.is_alive()]
            if len(self._given_up) >= _MOST_WAITING:
                raise TimeoutError(f"it was not asked, for {_MOST_WAITING} calls have no answer yet")
        answer: Future[Result] = Future()
        thread = Thread(target=copy_context().run, args=(_answer, answer, work), name="streetai-embedding", daemon=True)
        thread.start()
        limit = self._seconds + _FOR_EACH * (texts - 1)
        try:
            return answer.result(limit)
        except NoResultError as error:
            if answer.done():
                # Its own error, or an answer that has come at the last moment.
                return answer.result()
            with self._lock:
                self._given_up.append(thread)
            raise TimeoutError(f"no answer within {limit:g} seconds") from error


def _answer(answer: Future[Result], work: Callable[[], Result]) -> None:
    """Have something done on this thread, for the one that waits."""
    try:
        answer.set_result(work())
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is raised where somebody waits for it
        answer.set_exception(error)
