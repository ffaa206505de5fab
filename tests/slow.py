"""An encoder that embeds long texts only when it may, so that a test can look at what is there meanwhile."""

from threading import Event

from streetai_core.encoders import HashingEncoder
from streetai_core.errors import EncoderError

PATIENCE = 30
LOG = "The keeper of the lighthouse wrote that the lamp had burned all night. " * 133
"""Some 9,400 characters, more than are embedded while somebody waits."""


class Slow(HashingEncoder):
    """Embeds no text of a lighthouse before it may."""

    def __init__(self):
        super().__init__()
        self.may = Event()
        self.fails = False

    def encode(self, texts, kind="document"):
        """Vectors, in time."""
        if kind == "document" and any("lighthouse" in text for text in texts):
            assert self.may.wait(PATIENCE)
            if self.fails:
                raise EncoderError("out of order")
        return super().encode(texts, kind)
