"""Which random choices the tests make: the same in every run, so that a red one has a reason, or others if asked for.

`STREETAI_SEED=random` draws a seed, `STREETAI_SEED=17` is that seed; either lets Hypothesis draw its examples. The seed
stands in the name of each test that uses it.
"""

import os
import random

import pytest
from hypothesis import settings

_VARIABLE = "STREETAI_SEED"
_GIVEN = os.environ.get(_VARIABLE, "")

SEED = random.SystemRandom().randrange(10**6) if _GIVEN == "random" else int(_GIVEN) if _GIVEN else 20260301
"""Of all tests that choose at random."""

if _GIVEN == "random":
    # Processes that share the tests out (`-n`) must agree on their names.
    os.environ[_VARIABLE] = str(SEED)

seeded = pytest.mark.parametrize("seed", [SEED])
"""Gives a test its seed."""


def fix_examples():
    """Let Hypothesis try the same examples in every run, unless others are asked for."""
    # Without a deadline: how long an example takes says nothing on a machine that does other things too.
    settings.register_profile("streetai", derandomize=not _GIVEN, deadline=None, database=None)
    settings.load_profile("streetai")
