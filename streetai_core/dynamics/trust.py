"""Where a text comes from, and what that allows it: rules without I/O.

Trust is a number from 0 to 1 that comes with a message. The source gives it where the app says nothing: what people,
the model and the app itself say is trusted; what tools return, documents contain and imports bring is not.
"""

from __future__ import annotations

from dataclasses import dataclass

from streetai_core.config import Config
from streetai_core.types import Role, Source

_SOURCES: dict[Role, Source] = {
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "system": "system",
    "developer": "system",
}

_FULL = 1.0
_DOUBTFUL = 0.5
"""Of what nobody in the conversation has said: below the default of `Config.trusted_from`."""

_HAIR = 1e-9
"""By how much a sum of costs may pass a share and still be taken for equal to it, as the last bits of both are luck."""

_DOUBTFUL_SOURCES: frozenset[Source] = frozenset({"tool", "document", "import"})


def source_of(role: Role) -> Source:
    """Where the text of a message with this role comes from, if nobody says otherwise."""
    return _SOURCES[role]


def default_trust(source: Source) -> float:
    """The trust of a text from there, if nobody says otherwise."""
    return _DOUBTFUL if source in _DOUBTFUL_SOURCES else _FULL


def is_trusted(trust: float, config: Config) -> bool:
    """Whether a text may be learned from without a bound and recalled without a share."""
    return trust >= config.trusted_from


@dataclass(slots=True)
class Share:
    """What texts that are not trusted may take of a room that trusted ones want too."""

    room: float
    """In any unit; may be infinite."""
    share: float
    """0 to 1."""
    taken: float = 0.0

    def allows(self, cost: float) -> bool:
        """Whether there is room for one that costs so much."""
        # The product of a share and a whole number may be a hair below the whole number that it stands for.
        most = self.share * self.room if self.share else 0.0
        return self.taken + cost <= most + _HAIR

    def take(self, cost: float) -> None:
        """One is there."""
        self.taken += cost
