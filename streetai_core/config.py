"""Every setting of a memory, in one frozen value that is checked when it is made."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias, TypeGuard

from streetai_core.errors import ConfigError
from streetai_core.strategy import Strategy
from streetai_core.types import ROLES, Role

Ranking: TypeAlias = Literal["additive", "product"]
CentroidKind: TypeAlias = Literal["mean", "decayed"]
CreditKind: TypeAlias = Literal["words", "reply"]
PassageKind: TypeAlias = Literal["message", "chunk"]
StrategyName: TypeAlias = Literal["hybrid", "vector", "keyword"]
Precision: TypeAlias = Literal["single", "half"]

STRATEGIES: tuple[StrategyName, ...] = ("hybrid", "vector", "keyword")
"""The built-in ones."""

HALF_LIFE_TURNS = 50
"""Turns in which a weight halves; the published default. One stored message is one turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings of a memory.

    `Config()` is the best that we measured; `Config.classic()` is the published pipeline, number by number. The
    first thirteen fields are the published ones, with their names and defaults.

    Raises:
        ConfigError: a value is out of range; the message names every problem at once.
    """

    stack_threshold: float = 0.55
    """Cosine to a centroid from which a signal joins a stack, in [-1, 1]. Inclusive."""
    decay_rate: float = math.log(2) / HALF_LIFE_TURNS
    """Decay per turn: `effective = base * exp(-decay_rate * age)`. 0 turns decay off."""
    death_threshold: float = 0.05
    """Below this effective weight a signal is dead: it only comes back by revival."""
    top_stacks: int = 6
    """How many of the nearest stacks a question wakes."""
    activation_threshold: float = 0.15
    """Score from which a signal is recalled under `ranking="product"`. Inclusive."""
    max_thinking_space: int = 25
    """Most signals recalled for one question, unless `budget_decides` and a token budget is given."""
    revival_similarity: float = 0.45
    """Similarity from which a dead signal comes back under `ranking="product"`. 0 turns revival off in both
    rankings."""
    recency_turns: int = 3
    """Messages of the conversation sent verbatim. 0 sends none."""
    boost_factor: float = 1.10
    """What a helpful signal's base weight is multiplied by."""
    demote_factor: float = 0.95
    """What an unhelpful signal's base weight is multiplied by."""
    high_relevance: float = 0.55
    """Credit from which a signal is boosted. Inclusive. In measured conversations half of the true evidence lies above
    it, and fewer than one in a hundred of the other hits; what shares nothing new with the reply never does."""
    low_relevance: float = 0.20
    """Credit up to which a signal is demoted. Inclusive."""
    max_base_weight: float = 8.0
    """Upper bound of the base weight."""

    min_base_weight: float = 0.1
    """Lower bound of the base weight: twice `death_threshold`, so that a fresh use always counts for something."""
    max_untrusted_weight: float = 1.0
    """Upper bound of the base weight of what is not trusted."""
    trusted_from: float = 0.75
    """Trust from which a message is trusted. Without a trust of its own a message of the user, the assistant or the
    system is, and tool output, a document or an import is not."""
    max_untrusted_share: float = 0.2
    """Largest share of the thinking space, and of the tokens for recall, that what is not trusted takes, unless there
    is room for all that is trusted and bears on the question. 1.0: no limit (published)."""
    max_boosts: int | None = 1
    """Most boosts that one conversation gives a signal which is not the user's own. `None`: no limit (published)."""

    ranking: Ranking = "additive"
    """How similarity and weight make a score: their bounded sum, or the published product."""
    strategy: StrategyName | Strategy = field(default="hybrid", hash=False)
    """What finds signals under `ranking="additive"`: meaning and words and the context of the message, meaning alone,
    words with context alone, or a `Strategy` of your own. The published pipeline has one of its own and asks none."""
    centroid: CentroidKind = "mean"
    """Centroid of a stack: the mean of its signals, or the published mean weighted by effective weight."""
    credit: CreditKind = "words"
    """What a signal gets credit for: words that the reply did not have from the question, weighted by rarity, with the
    place that recall gave the signal; or (published) its cosine with the whole reply, else words if the model fails."""
    passage: PassageKind = "message"
    """What is sent for a hit: the message round it, or (published) the bare chunk."""
    direct_search: bool = True
    """Search all signals beside those of the woken stacks, so that stacks never hide an answer."""
    min_similarity: float = 0.20
    """Similarity below which nothing is recalled with `strategy="vector"`, beyond what all vectors of the encoder have
    in common. Unrelated texts lie at 0.05 to 0.25 with all-MiniLM-L6-v2, whose vectors have nothing in common."""
    min_relevance: float = 0.18
    """Meaning and words, those of the neighbours included, below which nothing is recalled with the other strategies.
    Where something is three times as relevant, two thirds of it are enough for what is recalled beside that. Where it
    is twice as relevant, or enough so and what was told is asked for, what has a third fills the room that all of this
    leaves in a prompt with a token budget."""
    activation_share: float = 0.05
    """How much the past of a signal adds to its score under `ranking="additive"`; it takes nothing. Up to eight times
    as much for having helped to answer a question like this one, a tenth of it for having been of use at all and for
    being fresh. 0: nothing that was learned counts."""

    history_ceiling: bool = True
    """Never send more than the full history would cost, and the history itself while it costs no more than a selection
    of it. Where the history cannot be sent as turns, because it has several conversations or starts with the assistant,
    the frame of the quotes may come on top, at most 64 tokens."""
    window_tokens: int | None = 300
    """Most tokens of the verbatim window; its newest message is sent whole in any case. `None`: no limit."""
    recall_tokens: int | None = 500
    """Most tokens of the recalled block. `None`: no limit but the token budget."""
    budget_decides: bool = True
    """Whether a token budget alone says how much is recalled, in place of `recall_tokens` and `max_thinking_space`."""
    passage_tokens: int = 60
    """A recalled message longer than this is sent in part: what says most of what is asked, at least this long, and
    about half of the message where there is room."""

    min_chunk_chars: int = 200
    min_chunk_words: int = 35
    """A chunk smaller than either is merged with its neighbour. Chat messages mostly stay whole: a sentence alone
    finds less."""
    max_chunk_chars: int = 400
    max_chunk_words: int = 60
    """A chunk larger than either is cut."""
    max_chunks: int = 2000
    """Most chunks of one message; the text beyond them is stored, and not searched by meaning."""
    max_tool_chunks: int = 32
    """Most chunks of what a tool returned, some 10,000 characters: a web page or the rows of a table are embedded
    before the turn that asked for them is over, and the reply says what of them mattered."""
    signal_roles: tuple[Role, ...] = ("user", "assistant", "tool")
    """Roles whose messages can be recalled. All are stored."""
    vector_precision: Precision = "single"
    """How the numbers of new vectors are written: in 32 bits, or in 16, which takes half the space.
    What is stored stays as it is, and works beside the new; `reencode` writes all of a memory anew."""

    def __post_init__(self) -> None:
        """Check every field and name all that is wrong."""
        problems = [
            f"{rule.field} must be {rule.text}, got {getattr(self, rule.field)!r}"
            for rule in _RULES
            if not rule.holds(getattr(self, rule.field))
        ]
        if not problems:
            problems = _contradictions(self)
        if problems:
            raise ConfigError("Config: " + "; ".join(problems))

    @classmethod
    def classic(cls, **changes: Any) -> Config:
        """The published pipeline: product of weight and similarity inside the six nearest stacks."""
        published: dict[str, Any] = {
            "ranking": "product",
            "centroid": "decayed",
            "credit": "reply",
            "passage": "chunk",
            "direct_search": False,
            "history_ceiling": False,
            "window_tokens": None,
            "recall_tokens": None,
            "strategy": "vector",
            "budget_decides": False,
            "max_untrusted_share": 1.0,
            "max_boosts": None,
            "min_chunk_chars": 30,
            "min_chunk_words": 5,
            "max_tool_chunks": 2000,
            "signal_roles": ROLES,
        }
        return cls(**(published | changes))

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Config:
        """The inverse of `to_dict`, where that has no strategy of your own; put it into `values` then.

        Raises:
            ConfigError: it is no mapping, a key is not a setting, or a value is out of range.
        """
        if not isinstance(values, Mapping):
            raise ConfigError(f"Config: settings are a mapping, got {type(values).__name__}")
        known = {setting.name for setting in fields(cls)}
        unknown = sorted(map(str, set(values) - known))
        if unknown:
            raise ConfigError(f"Config: unknown settings {', '.join(unknown)}; known are {', '.join(sorted(known))}")
        given = values.get("signal_roles")
        # JSON has lists in place of tuples; what is neither is refused together with all else that is wrong.
        roles = {"signal_roles": tuple(given)} if isinstance(given, Iterable) and not isinstance(given, str) else {}
        return cls(**{**values, **roles})

    def to_dict(self) -> dict[str, Any]:
        """All settings as JSON values; a strategy of your own by its name, which `from_dict` does not know."""
        values = {setting.name: getattr(self, setting.name) for setting in fields(self)}
        strategy = self.strategy.name if isinstance(self.strategy, Strategy) else self.strategy
        return {**values, "strategy": strategy, "signal_roles": list(self.signal_roles)}

    @property
    def brief(self) -> str:
        """These settings in a few words: as a call, with those alone that are not as they come."""
        if self == Config.classic():
            return "Config.classic()"
        usual = Config().to_dict()
        changed = (f"{name}={value!r}" for name, value in self.to_dict().items() if value != usual[name])
        return f"Config({', '.join(changed)})"

    def lets_decide(self, token_budget: int | None) -> TypeGuard[int]:
        """Whether this budget alone says how much is recalled; never, if there is none."""
        return self.budget_decides and token_budget is not None

    @property
    def half_life_turns(self) -> float:
        """Turns in which a weight halves; infinite when decay is off."""
        return math.log(2) / self.decay_rate if self.decay_rate else math.inf

    @property
    def revival_floor(self) -> float:
        """Least weight that the product score uses: `activation_threshold / revival_similarity`, 0 without revival."""
        return self.activation_threshold / self.revival_similarity if self.revival_similarity else 0.0


@dataclass(frozen=True, slots=True)
class _Rule:
    """One condition on one field, with the words for the error."""

    field: str
    text: str
    holds: Callable[[Any], bool]


def _number(low: float, high: float = math.inf, *, above: bool = False) -> Callable[[Any], bool]:
    """A finite number in [low, high], or in (low, high] when `above`."""

    def holds(value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return False
        return (low < value if above else low <= value) and value <= high

    return holds


def _count(low: int) -> Callable[[Any], bool]:
    """A whole number from `low`."""
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= low


def _count_or_none(value: Any) -> bool:
    return value is None or _count(0)(value)


def _choice(*options: str) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and value in options


def _strategy(value: Any) -> bool:
    if not isinstance(value, Strategy):
        return _choice(*STRATEGIES)(value)
    # It stands for the strategy in settings that are written.
    return isinstance(value.name, str) and bool(value.name.strip()) and value.name not in STRATEGIES


def _roles(value: Any) -> bool:
    return isinstance(value, tuple) and all(role in ROLES for role in value)


_SHARE = "a number from 0 to 1"
_COSINE = "a number from -1 to 1"
_POSITIVE = "a number above 0"

_RULES: tuple[_Rule, ...] = (
    _Rule("stack_threshold", _COSINE, _number(-1, 1)),
    _Rule("decay_rate", "a number from 0", _number(0)),
    _Rule("death_threshold", _SHARE, _number(0, 1)),
    _Rule("top_stacks", "a whole number from 1", _count(1)),
    _Rule("activation_threshold", _SHARE, _number(0, 1)),
    _Rule("max_thinking_space", "a whole number from 0", _count(0)),
    _Rule("revival_similarity", _SHARE, _number(0, 1)),
    _Rule("recency_turns", "a whole number from 0", _count(0)),
    _Rule("boost_factor", "a number from 1", _number(1)),
    _Rule("demote_factor", "a number above 0 and up to 1", _number(0, 1, above=True)),
    _Rule("high_relevance", _COSINE, _number(-1, 1)),
    _Rule("low_relevance", _COSINE, _number(-1, 1)),
    _Rule("max_base_weight", "a number from 1", _number(1)),
    _Rule("min_base_weight", "a number above 0 and up to 1", _number(0, 1, above=True)),
    _Rule("max_untrusted_weight", _POSITIVE, _number(0, above=True)),
    _Rule("trusted_from", _SHARE, _number(0, 1)),
    _Rule("max_untrusted_share", _SHARE, _number(0, 1)),
    _Rule("max_boosts", "None or a whole number from 0", _count_or_none),
    _Rule("ranking", "'additive' or 'product'", _choice("additive", "product")),
    _Rule("strategy", "'hybrid', 'vector', 'keyword' or a Strategy object with a name of its own", _strategy),
    _Rule("budget_decides", "True or False", lambda value: isinstance(value, bool)),
    _Rule("min_relevance", "a number", _number(-math.inf)),
    _Rule("centroid", "'mean' or 'decayed'", _choice("mean", "decayed")),
    _Rule("credit", "'words' or 'reply'", _choice("words", "reply")),
    _Rule("passage", "'message' or 'chunk'", _choice("message", "chunk")),
    _Rule("direct_search", "True or False", lambda value: isinstance(value, bool)),
    _Rule("history_ceiling", "True or False", lambda value: isinstance(value, bool)),
    _Rule("min_similarity", _COSINE, _number(-1, 1)),
    _Rule("activation_share", _SHARE, _number(0, 1)),
    _Rule("window_tokens", "None or a whole number from 0", _count_or_none),
    _Rule("recall_tokens", "None or a whole number from 0", _count_or_none),
    _Rule("passage_tokens", "a whole number from 1", _count(1)),
    _Rule("min_chunk_chars", "a whole number from 0", _count(0)),
    _Rule("min_chunk_words", "a whole number from 0", _count(0)),
    _Rule("max_chunk_chars", "a whole number from 1", _count(1)),
    _Rule("max_chunk_words", "a whole number from 1", _count(1)),
    _Rule("max_chunks", "a whole number from 1", _count(1)),
    _Rule("max_tool_chunks", "a whole number from 1", _count(1)),
    _Rule("vector_precision", "'single' or 'half'", _choice("single", "half")),
    _Rule("signal_roles", f"a tuple of {', '.join(ROLES)}", _roles),
)


def _contradictions(config: Config) -> list[str]:
    """Fields that are fine alone and not together."""
    pairs = (
        ("low_relevance", "high_relevance"),
        ("min_base_weight", "max_base_weight"),
        ("min_chunk_chars", "max_chunk_chars"),
        ("min_chunk_words", "max_chunk_words"),
    )
    problems = []
    if config.ranking == "product" and isinstance(config.strategy, Strategy):
        problems.append(
            f"strategy must be a name with ranking='product', got {config.strategy!r}: the published pipeline "
            "multiplies weight and similarity, and asks nobody. Use Config(strategy=...)"
        )
    return problems + [
        f"{low} ({getattr(config, low)}) must be below {high} ({getattr(config, high)})"
        for low, high in pairs
        if getattr(config, low) >= getattr(config, high)
    ]
