"""An API whose streams wait after each event until they are let go on."""

import threading
from types import SimpleNamespace


class Held:
    """The functions of an API module, with streams that can be held.

    Args:
        api: one of the modules of `tests.adapters.wire`.
    """

    def __init__(self, api):
        self.go_on = threading.Semaphore(0)
        """Released once for each event after the first so many."""
        self.free = 0
        """Events of a stream that are sent at once."""
        self._api = api

    @property
    def module(self):
        """For `served`."""
        return SimpleNamespace(**{**vars(self._api), "frames": self._frames})

    def _frames(self, answer, body, number):
        for place, frame in enumerate(self._api.frames(answer, body, number)):
            if place >= self.free:
                self.go_on.acquire()
            yield frame
