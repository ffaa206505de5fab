"""What the log is told of an encoder that is out of order: once that it is, and once that it works again."""

from __future__ import annotations

import logging
from typing import TypeAlias

from streetai_core.encoders.cache import CachedEncoder
from streetai_core.errors import EncoderError
from streetai_core.forking import fork_safe_lock, renew_in_child

_log = logging.getLogger(__name__)

Kind: TypeAlias = tuple[type[BaseException], ...]
"""An error's type and those of its causes."""


class Outage:
    """An encoder's failures, as they were told; one for a registry, whose memories and threads share it.

    A forked child begins without one: it has a log of its own to write.

    Args:
        encoder: whose. That it works again is told by what it embeds, not by what its cache still has.
    """

    def __init__(self, encoder: CachedEncoder) -> None:
        self._encoder = encoder
        self._lock = fork_safe_lock()
        self._begin_anew()
        renew_in_child(self, Outage._begin_anew)

    @property
    def lasts(self) -> bool:
        """Whether the encoder has failed, and not worked since."""
        return bool(self._kinds)

    def failed(self, error: EncoderError, so: str, *, stored: int = 0) -> None:
        """Tell that the encoder failed: with a traceback where an outage begins or has a new cause, else in a line.

        Args:
            error: how it failed.
            so: what is done without it.
            stored: how many messages are stored without vectors for it.
        """
        kind = _kind_of(error)
        with self._lock:
            is_new = kind not in self._kinds
            self._kinds.add(kind)
            self._embedded = self._encoder.misses
            self._stored += stored
        if is_new:
            _log.warning("the encoder failed; %s (more such failures: level DEBUG)", so, exc_info=error)
        else:
            _log.debug("the encoder failed again; %s: %s", so, error)

    def answered(self) -> None:
        """Tell that the outage is over, if there was one: what was asked for has come, and not out of the cache."""
        if not self.lasts:
            return
        with self._lock:
            is_over = self.lasts and self._encoder.misses != self._embedded
            stored = self._stored
            if is_over:
                self._begin_anew()
        if is_over and not stored:
            _log.warning("the encoder works again")
        elif is_over:
            _log.warning(
                "the encoder works again; %d messages came meanwhile that wait for vectors, and get them beside the "
                "next messages of their memories",
                stored,
            )

    def _begin_anew(self) -> None:
        self._kinds: set[Kind] = set()
        """Kinds of errors that were told since the encoder last worked."""
        self._embedded = 0
        """How many texts it had embedded when it last failed."""
        self._stored = 0


def _kind_of(error: BaseException) -> Kind:
    """What kind of failure it is, whatever it says of the texts."""
    kinds: list[type[BaseException]] = []
    seen: set[int] = set()
    cause: BaseException | None = error
    # Foreign errors may have each other as causes.
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        kinds.append(type(cause))
        cause = cause.__cause__
    return tuple(kinds)
