"""What a scripted server answers, in terms that every API can say it in."""

import re
from dataclasses import dataclass

_WORDS = re.compile(r"\S+\s*")


@dataclass(frozen=True)
class Answer:
    """One reply, or how it fails."""

    text: str = "Noted."
    calls: tuple = ()
    """Tools that the model calls: (id, name, arguments as a dict)."""
    made: str = ""
    """The kind of what the model has made: "image", or "audio" without a transcript, as the API has it."""
    thinking: str = ""
    stop: str | None = None
    """Why it ended, in the words of the API; `None`: because it was finished."""
    choices: int = 1
    status: int = 200
    """Anything else is an error in place of a reply."""
    cut_after: int | None = None
    """Events of a stream after which the connection breaks."""
    hangs: bool = False
    """Whether nothing comes, until the server ends."""

    @property
    def pieces(self):
        """The text as a stream gives it: word by word."""
        return _WORDS.findall(self.text)
