"""Arguments that the verbs which recall have in common."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import replace

from streetai_core.config import Config, StrategyName
from streetai_core.errors import InputError
from streetai_core.recall.filtering import RecallFilter
from streetai_core.strategy import Strategy
from streetai_core.text.clean import clean


def check_filter(wanted: object) -> None:
    """Refuse what is no filter.

    Raises:
        InputError: naming its type.
    """
    if wanted is not None and not isinstance(wanted, RecallFilter):
        raise InputError(f"wanted must be None or a RecallFilter, got {type(wanted).__name__}")


def texts(shown: Collection[str]) -> frozenset[str]:
    """What the caller sends along, cleaned.

    Raises:
        InputError: it is not several texts.
    """
    if isinstance(shown, str) or not isinstance(shown, Iterable):
        raise InputError(f"shown must be None or several texts, got {type(shown).__name__}")
    return frozenset(clean(text)[0] for text in shown)


def check_score(least: object) -> None:
    """Refuse a least score that cannot be compared.

    Raises:
        InputError: showing it.
    """
    is_number = isinstance(least, int | float) and not isinstance(least, bool) and math.isfinite(least)
    if least is not None and not is_number:
        raise InputError(f"min_score must be None or a finite number, got {least!r}")


def with_strategy(config: Config, strategy: StrategyName | Strategy | None) -> Config:
    """The settings of a call that is given a strategy; `None`: as they are.

    Raises:
        InputError: the published pipeline has one strategy.
        ConfigError: no such strategy.
    """
    if strategy is None:
        return config
    if config.ranking == "product":
        raise InputError(
            "strategy cannot be chosen under Config.classic(): the published pipeline compares meaning only. "
            "Use Config(), or leave strategy out."
        )
    return replace(config, strategy=strategy)
