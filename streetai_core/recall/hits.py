"""Ranked rows and message texts, made into the values that callers see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from streetai_core.config import Config
from streetai_core.dynamics.decay import TOLERANCE
from streetai_core.recall.ranking import Ranking
from streetai_core.state import MemoryState
from streetai_core.tokens import TokenCounter
from streetai_core.types import Hit, Message, Miss, Signal

NEAR_MISSES = 10
"""How many near misses `why` lists if not told; enough to see where the gate cuts, few enough to read."""


def signal_id(state: MemoryState, key: int) -> str:
    """The public id of a signal; carries the memory's token, so no other memory's id is mistaken for it."""
    return f"{state.head.token}.{key}"


def signal_key(state: MemoryState, public_id: str) -> int | None:
    """The key behind a public id, if the signal is there and is this memory's."""
    token, _, number = public_id.rpartition(".")
    if token != state.head.token or not (number.isascii() and number.isdecimal()):
        return None
    key = int(number)
    return key if key in state.columns else None


def signal_at(state: MemoryState, row: int, message: Message) -> Signal:
    """The signal in a row, with its text cut from its message."""
    columns = state.columns
    start, end = int(columns.column("start")[row]), int(columns.column("end")[row])
    return Signal(
        signal_id=signal_id(state, int(columns.keys[row])),
        content=message.content[start:end].strip(),
        role=message.role,
        turn=message.turn,
        parent_turn_id=message.message_id,
        chunk_index=int(columns.column("chunk_index")[row]),
        base_weight=float(columns.base[row]),
        last_used_turn=int(columns.column("last_used_turn")[row]),
        stack_id=f"{state.head.token}.stack.{int(columns.column('stack')[row])}",
        kind="code" if columns.column("code")[row] else "chunk",
        start=start,
        end=end,
        block_start=int(columns.column("block_start")[row]),
        block_end=int(columns.column("block_end")[row]),
        conversation_id=message.conversation_id,
        name=message.name,
        created_at=message.created_at,
        uses=int(columns.column("uses")[row]),
    )


def sequences_of(state: MemoryState, ranking: Ranking, positions: Iterable[int]) -> list[int]:
    """The messages that these candidates are pieces of, each once."""
    sequences = state.columns.column("sequence")
    return list(dict.fromkeys(int(sequences[ranking.rows[position]]) for position in positions))


def hits_of(
    state: MemoryState, ranking: Ranking, positions: Iterable[int], messages: Mapping[int, Message]
) -> list[Hit]:
    """The candidates at `positions` as hits; `messages` has their texts, by sequence."""
    sequences = state.columns.column("sequence")
    replaced = state.words.replaced()
    return [
        _hit(state, ranking, position, messages[sequence], replaced=sequence in replaced)
        for position in positions
        if (sequence := int(sequences[ranking.rows[position]])) in messages
    ]


def within(hits: Sequence[Hit], limit: int, token_budget: int | None, counter: TokenCounter) -> list[Hit]:
    """The first hits that fit: at most `limit`, and at most so many tokens of text together."""
    chosen: list[Hit] = []
    spent = 0
    for hit in hits:
        if len(chosen) == limit:
            break
        cost = 0 if token_budget is None else counter.count(hit.signal.content)
        if token_budget is None or spent + cost <= token_budget:
            chosen.append(hit)
            spent += cost
    return chosen


def near_misses(
    state: MemoryState, ranking: Ranking, positions: Sequence[int], messages: Mapping[int, Message], config: Config
) -> list[Miss]:
    """The candidates at `positions`, which were not chosen, each with the rule that kept it out."""
    hits = hits_of(state, ranking, positions, messages)
    return [
        Miss(hit=hit, reason=_reason(hit, bool(ranking.passed[position]), config))
        for position, hit in zip(positions, hits, strict=True)
    ]


def _hit(state: MemoryState, ranking: Ranking, position: int, message: Message, *, replaced: bool) -> Hit:
    similarity, score = float(ranking.similarity[position]), float(ranking.scores[position])
    return Hit(
        signal=signal_at(state, int(ranking.rows[position]), message),
        score=score,
        parts={name: float(part[position]) for name, part in ranking.parts.items()},
        similarity=similarity,
        effective_weight=float(ranking.effective[position]),
        revived=bool(ranking.revived[position]),
        replaced=replaced,
    )


def _reason(hit: Hit, passed: bool, config: Config) -> str:  # noqa: FBT001 - one flag of one private rule
    """Which rule kept a candidate out."""
    if passed:
        return "says what a better hit says, or ranks behind the thinking space"
    dead = hit.effective_weight < config.death_threshold
    if dead and not config.revival_similarity:
        return f"dead (effective weight {hit.effective_weight:.3f}), and revival is off"
    if config.ranking == "additive" and config.strategy != "vector":
        relevance = hit.parts["meaning"] + hit.parts["words"]
        return f"meaning and words ({relevance:.3f}) are below min_relevance {config.min_relevance}"
    if config.ranking == "additive":
        return f"similarity {hit.similarity:.3f} is below min_similarity {config.min_similarity}"
    if dead and hit.similarity < config.revival_similarity - TOLERANCE:
        return f"dead, and similarity {hit.similarity:.3f} is below revival_similarity {config.revival_similarity}"
    return f"score {hit.score:.3f} is below activation_threshold {config.activation_threshold}"
