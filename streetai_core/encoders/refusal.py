"""Which texts an encoder refuses for what they say, while it embeds others."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from streetai_core.encoders.base import Encoder
from streetai_core.errors import EncoderError


def works(encoder: Encoder) -> bool:
    """Whether it embeds a text that says nothing, and that no cache has."""
    try:
        encoder.encode([f"This is note {secrets.token_hex(4)}."])
    except EncoderError:
        return False
    return True


def refused(texts: Sequence[str], encoder: Encoder) -> list[int]:
    """Which of `texts` an encoder refuses that fails for some of them: by halves, so that most go together.

    Raises:
        EncoderError: the encoder does not work.
    """
    try:
        encoder.encode(texts)
    except EncoderError:
        if not works(encoder):
            raise
    else:
        return []
    if len(texts) == 1:
        return [0]
    middle = len(texts) // 2
    return [*refused(texts[:middle], encoder), *(middle + one for one in refused(texts[middle:], encoder))]
