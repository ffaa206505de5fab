"""Arguments that several verbs have in common: what is refused of them, and what they mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from datetime import datetime
from typing import TypeAlias, cast

from streetai_core.config import Config, StrategyName
from streetai_core.errors import InputError
from streetai_core.recall.filtering import RecallFilter
from streetai_core.stores.values import zoned
from streetai_core.strategy import Strategy
from streetai_core.text.clean import clean

AskedAt: TypeAlias = datetime | Callable[[], datetime]
"""When a question is asked, and in which zone; or what tells it whenever one is asked, as a component needs that serves
many questions."""


def check_asked_at(asked_at: object) -> AskedAt | None:
    """What was given, if it tells a time. What is called is not called yet.

    Raises:
        InputError: naming its type.
    """
    if asked_at is not None and not callable(asked_at) and not isinstance(asked_at, datetime):
        raise InputError(f"asked_at must be None, a datetime or a function that gives one, got {_kind_of(asked_at)}")
    return cast("AskedAt | None", asked_at)


def moment_of(asked_at: AskedAt | None) -> datetime | None:
    """The time that is meant now, with its distance from UTC; `None`: the registry's clock tells it.

    Raises:
        InputError: it is no datetime, or too far away.
    """
    check_asked_at(asked_at)
    moment = asked_at() if callable(asked_at) else asked_at
    if moment is not None and not isinstance(moment, datetime):
        raise InputError(f"the function given as asked_at must return a datetime, got {_kind_of(moment)}")
    return None if moment is None else zoned(moment, "asked_at")


def _kind_of(value: object) -> str:
    return type(value).__name__


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


def check_count(value: int | None, what: str) -> None:
    """Refuse what is neither None nor a whole number from 0.

    Raises:
        InputError: naming `what`.
    """
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise InputError(f"{what} must be None or a whole number from 0, got {value!r}")


def check_positive(value: int | None, what: str) -> int | None:
    """The value, if it is None or a whole number from 1.

    Raises:
        InputError: naming `what`.
    """
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
        raise InputError(f"{what} must be None or a whole number from 1, got {value!r}")
    return value


def check_text(value: str, what: str) -> None:
    """Refuse what is not text.

    Raises:
        InputError: naming `what`.
    """
    if not isinstance(value, str):
        raise InputError(f"{what} must be a str, got {type(value).__name__}")
