"""What stands for a strategy of the user's own in a process that was never given it."""

from __future__ import annotations

from dataclasses import dataclass

from streetai_core import Strategy
from streetai_core.errors import InputError
from streetai_core.strategy import Scores, Unranked


@dataclass(frozen=True)
class UnknownStrategy(Strategy):
    """A strategy that another process has: all of the memory works but recall, which says what is missing.

    Two of one name are one, so that what comes back from JSON twice is one engine.
    """

    known_as: str
    """Its name there."""

    @property
    def name(self) -> str:
        """That one."""
        return self.known_as

    def score(self, known: Unranked) -> Scores:  # noqa: ARG002 - nobody here can say anything of it
        """None.

        Raises:
            InputError: always.
        """
        raise InputError(
            "this process does not know it. Give the memory a registry that has it in its Config, or open the file "
            "with such a Config before what was written elsewhere is read"
        )
