"""Variants of a configuration, and choosing between them without looking at what is measured.

    {"settings": {"decay_rate": [0.0, 0.01], "recency_turns": [2, 4]}}                    every combination
    {"variants": [{"name": "no decay", "settings": {"decay_rate": 0.0}}]}                 these, by name

Weights that are chosen on the conversations they are then measured on look better than they are. So each conversation
is held out in turn: the variant that is best on all others is the one whose results count for it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import mean
from typing import Any

from streetai_core.config import Config
from streetai_core.errors import ConfigError, InputError
from streetai_core.evaluation.recall import QuestionResult

MOST_VARIANTS = 500
"""A larger grid is a slip: it would run for days."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A configuration with a name."""

    name: str
    config: Config


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What leave-one-conversation-out found."""

    chosen: Mapping[str, str]
    """Held-out conversation -> the variant that was best on the others."""
    results: tuple[QuestionResult, ...]
    """Of each conversation those of the variant chosen without it."""


def read_grid(path: Path, base: Config) -> list[Variant]:
    """The variants of a grid file, each `base` with some settings changed.

    Raises:
        InputError: the file cannot be read, has another form, or one name for two variants.
        ConfigError: a setting is unknown, or a value out of range; the variant is named.
    """
    try:
        values = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"cannot read the grid {str(path)!r}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"the grid {str(path)!r} is not JSON: {error}") from error
    changes = _combinations(values) or _listed(values)
    if not changes:
        raise InputError(
            f"the grid {str(path)!r} must be a JSON object with 'settings' (setting -> list of values) or 'variants' "
            "(a list of objects with 'name' and 'settings')"
        )
    if len(changes) > MOST_VARIANTS:
        raise InputError(f"the grid {str(path)!r} has {len(changes)} variants; at most {MOST_VARIANTS} are run")
    return [_variant(name, base, settings) for name, settings in changes.items()]


def check_can_choose(conversations: Collection[str]) -> None:
    """There must be one to hold out, and one to choose on.

    Raises:
        InputError: there are fewer than two.
    """
    if len(conversations) < 2:  # noqa: PLR2004 - those two
        raise InputError("choosing between variants needs at least two conversations with questions")


def leave_one_out(results: Mapping[str, Sequence[QuestionResult]]) -> HeldOut:
    """Choose between variants by the mean share of evidence over all budgets, each conversation held out in turn.

    Args:
        results: variant -> its results, all on the same questions in the same order. On a tie the first variant.

    Raises:
        InputError: there are fewer than two conversations.
    """
    names = list(dict.fromkeys(row.recording for rows in results.values() for row in rows))
    check_can_choose(names)
    chosen = {
        name: max(results, key=lambda variant: _quality([row for row in results[variant] if row.recording != name]))
        for name in names
    }
    rows = [row for name in names for row in results[chosen[name]] if row.recording == name]
    return HeldOut(chosen, tuple(rows))


def _quality(rows: Sequence[QuestionResult]) -> float:
    return mean(row.share(budget) for row in rows for budget in row.found)


def _combinations(values: Any) -> dict[str, dict[str, Any]]:
    settings = values.get("settings") if isinstance(values, dict) else None
    if not isinstance(settings, dict) or not settings or not all(isinstance(one, list) for one in settings.values()):
        return {}
    combined = [dict(zip(settings, choice, strict=True)) for choice in product(*settings.values())]
    return {" ".join(f"{key}={json.dumps(value)}" for key, value in one.items()): one for one in combined}


def _listed(values: Any) -> dict[str, dict[str, Any]]:
    variants = values.get("variants") if isinstance(values, dict) else None
    if not isinstance(variants, list) or not all(
        isinstance(one, dict) and isinstance(one.get("name"), str) and isinstance(one.get("settings"), dict)
        for one in variants
    ):
        return {}
    twice = next((name for name, count in Counter(one["name"] for one in variants).items() if count > 1), None)
    if twice is not None:
        raise InputError(f"two variants of the grid are called {twice!r}, and one would stand for both")
    return {one["name"]: one["settings"] for one in variants}


def _variant(name: str, base: Config, settings: Mapping[str, Any]) -> Variant:
    try:
        return Variant(name, Config.from_dict({**base.to_dict(), "strategy": base.strategy, **settings}))
    except ConfigError as error:
        raise ConfigError(f"variant {name!r}: {error}") from error
