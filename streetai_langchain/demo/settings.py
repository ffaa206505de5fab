"""What the caller asked for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from streetai_core import Config

HALF_LIFE_TURNS = 12
"""Turns in which a weight halves in the demo: with the usual 50 nothing dies, and so nothing is revived, in a
conversation of a hundred messages."""

CONFIG = Config(decay_rate=math.log(2) / HALF_LIFE_TURNS)
"""Everything else as it comes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The options of one run."""

    source: Path | None
    """The conversation file; `None` is the bundled one."""
    database: Path
    database_chosen: bool
    """Whether the caller has named the database."""
    memory_id: str
    token_budget: int | None
    fresh: bool
    unasked: bool
    """Whether `fresh` may forget what is not of the conversation without a question."""
    as_json: bool
    pace: float
    """Seconds between two turns."""
