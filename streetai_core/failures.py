"""What happens when the memory fails inside a framework: it is reported, and the conversation goes on."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

logger = logging.getLogger(__name__)

OnError = Callable[[Exception], None]
"""Told of every failure of the memory that is hidden from the conversation."""


@contextmanager
def fail_open(consequence: str, on_error: OnError | None) -> Iterator[None]:
    """Report whatever fails inside, and go on: it must not cost the reply.

    Args:
        consequence: what the conversation has to do without, for the log.
        on_error: its own failure is logged.
    """
    try:
        yield
    except Exception as error:  # noqa: BLE001 - it is logged where it is reported
        report(error, consequence, on_error)


def report(error: Exception, consequence: str, on_error: OnError | None) -> None:
    """Log a failure and give it to `on_error`; arguments as for `fail_open`."""
    logger.warning("the memory failed, %s: %s", consequence, error, exc_info=error)
    if on_error is not None:
        try:
            on_error(error)
        except Exception:
            logger.exception("on_error failed")
