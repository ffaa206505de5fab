"""Why a signal is among the hits of a question, and why another one is not: the rule that decided, with its numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from streetai_core.config import Config
from streetai_core.dynamics.decay import TOLERANCE
from streetai_core.recall.evidence import DATE
from streetai_core.recall.filtering import RecallFilter
from streetai_core.recall.hits import RankedHits, signal_id, signal_key
from streetai_core.recall.question import Question
from streetai_core.recall.ranking import Ranking, identity, rank
from streetai_core.recall.scoring import RELEVANT
from streetai_core.state import MemoryState
from streetai_core.strategy import Judged, Strategy
from streetai_core.types import Considered, Hit, Message, Miss

NEAR_MISSES = 10
"""How many near misses `why` lists if not told; enough to see where the gate cuts, few enough to read."""


@dataclass(frozen=True, slots=True)
class Reasons:
    """What was decided on a question, and the settings that decided it."""

    state: MemoryState
    ranking: Ranking
    """The candidates."""
    chosen: Sequence[int]
    """The positions of the hits among them."""
    config: Config
    processed: frozenset[int] = frozenset()
    """The positions that post-processors were given."""
    spare: frozenset[int] = frozenset()
    """The positions of what did not pass the gate and may fill the room of a prompt."""
    wanted: RecallFilter | None = None
    """Which signals the caller wants; `None`: all."""
    judged: Judged | None = None
    """What a strategy of one's own gave; `None`: the strategy is a built-in one."""

    def gates(self, hits: Iterable[Hit]) -> tuple[str, ...]:
        """For each of the hits, those that were chosen, the rule that let it pass."""
        return tuple(self._passed(position, hit) for position, hit in zip(self.chosen, hits, strict=True))

    def near_misses(self, others: Sequence[int], messages: Mapping[int, Message]) -> tuple[Miss, ...]:
        """The candidates at the positions `others`, which are no hits, each with the rule that kept it out."""
        hits = RankedHits(self.state, self.ranking, others, messages)
        return tuple(
            Miss(hit=hit, reason=self._left_out(position, hit)) for position, hit in zip(others, hits, strict=True)
        )

    def considered(self, question: Question, message: Message) -> tuple[Considered, ...]:
        """What the question made of each signal of one message, in the message's order.

        `ranking` must have all candidates.
        """
        rows = self.state.rows_of_message(message.sequence)
        rows = rows[np.argsort(self.state.columns.column("chunk_index")[rows])]
        places = {int(row): position for position, row in enumerate(self.ranking.rows)}
        found = [self._stands(places[row], message) for row in map(int, rows) if row in places]
        if len(found) == len(rows):
            return tuple(found)
        outside = self._outside(question, [int(row) for row in rows if int(row) not in places], message)
        return tuple(sorted([*found, *outside], key=lambda one: one.hit.signal.chunk_index))

    def _stands(self, position: int, message: Message) -> Considered:
        """What was made of a candidate."""
        [hit] = RankedHits(self.state, self.ranking, [position], {message.sequence: message})
        recalled = position in self.chosen
        reason = self._passed(position, hit) if recalled else self._left_out(position, hit)
        return Considered(hit=hit, rank=position + 1, recalled=recalled, reason=reason)

    def _outside(self, question: Question, rows: Sequence[int], message: Message) -> list[Considered]:
        """What would be made of signals that are no candidates, if they were."""
        searched = replace(self.config, direct_search=True)
        if self.judged is not None:
            # It is not asked again: they have the parts that it was told.
            searched = replace(searched, strategy="hybrid")
        wider, _ = rank(self.state, question, searched, depth=len(self.state.columns), hidden=True)
        positions = [int(np.flatnonzero(wider.rows == row)[0]) for row in rows]
        hits = RankedHits(self.state, wider, positions, {message.sequence: message})
        reasons = self._kept_outside(rows, message)
        return [
            Considered(hit=hit, rank=None, recalled=False, reason=reason)
            for hit, reason in zip(hits, reasons, strict=True)
        ]

    def _kept_outside(self, rows: Sequence[int], message: Message) -> list[str]:
        """Which rule kept each of these signals of a message from being a candidate."""
        if message.sequence in self.state.hidden:
            return ["its message is in quarantine"] * len(rows)
        allowed = [True] * len(rows) if self.wanted is None else self.wanted.allows(self.state)[rows]
        return [
            self._not_searched(row) if one else "left out by the filter" for row, one in zip(rows, allowed, strict=True)
        ]

    def _not_searched(self, row: int) -> str:
        """Which rule kept a signal from being a candidate that the caller may find."""
        if self.judged is not None and isinstance(self.config.strategy, Strategy):
            name = self.config.strategy.name
            if self.state.columns.keys[row] in self.judged.keys:
                return f"left out by the strategy {name}, which was told what these parts say"
            if self.config.direct_search:
                return f"it was stored while the strategy {name} was at work"
        # In the published pipeline all signals of the stacks that were not woken are no candidates.
        return f"its stack is not among the {self.config.top_stacks} nearest to the question"

    def _left_out(self, position: int, hit: Hit) -> str:
        """Which rule kept a candidate out."""
        if not self.ranking.passed[position]:
            return _gate(hit, self.config, self.ranking.least) + self._fills(position) + self._unknown(hit)
        better = [one for one in self.chosen if one < position]
        if better and self.config.ranking == "additive":
            columns, rows = self.state.columns, self.ranking.rows
            cosines = columns.vectors_of(rows[better]) @ columns.vectors_of(rows[position])
            nearest = int(np.argmax(cosines))
            if cosines[nearest] >= self.ranking.duplicate:
                return f"says what a better hit says ({self._named(better[nearest])}, cosine {cosines[nearest]:.3f})"
            said = identity(self.state, rows[better])
            [own] = identity(self.state, rows[[position]])
            if own in said:
                return f"says what a better hit says ({self._named(better[said.index(own)])}, word for word)"
        if self.ranking.doubtful[position] and any(one > position for one in self.chosen):
            return "is not trusted, and others like it have their share or say the same"
        if position in self.processed:
            return "left out by a post-processor, or put behind the thinking space"
        return f"ranks behind the thinking space of {len(self.chosen)} hits"

    def _passed(self, position: int, hit: Hit) -> str:
        """The rule that let a hit pass."""
        of_time = bool(self.ranking.of_time[position])
        return _passed(hit, self.config, self.ranking.least, of_time=of_time) + self._unknown(hit)

    def _fills(self, position: int) -> str:
        """What is to be said of what did not pass the gate if a prompt may take it nevertheless."""
        return "; a prompt with room left takes it" if position in self.spare else ""

    def _unknown(self, hit: Hit) -> str:
        """What is to be said of a meaning that nothing tells. Rows do not say which of the two reasons it has."""
        if signal_key(self.state, hit.signal.signal_id) not in self.state.columns.without_vector:
            return ""
        counts = ", and counts as near as the others on average" if hit.parts.get("meaning") else ""
        return f"; it has no vector (the encoder failed for it, or makes nothing of it){counts}"

    def _named(self, position: int) -> str:
        """The id of the signal at a position."""
        return signal_id(self.state, int(self.state.columns.keys[self.ranking.rows[position]]))


def _passed(hit: Hit, config: Config, least: float, *, of_time: bool) -> str:
    """The gate that a hit passed; `least` is how relevant it had to be, `of_time` whether it is of a named time."""
    if config.ranking == "product":
        reached = f"score {hit.score:.3f} reaches activation_threshold {config.activation_threshold}"
        return f"{reached}; dead, and revived by its similarity {hit.similarity:.3f}" if hit.revived else reached
    if isinstance(config.strategy, Strategy):
        return f"wanted by the strategy {config.strategy.name}"
    if config.strategy == "vector":
        return f"meaning {hit.parts['meaning']:.3f} reaches min_similarity {config.min_similarity}"
    relevance = _relevance(hit)
    for bound in (config.min_relevance, least):
        if relevance >= bound - TOLERANCE:
            return f"{_relevant_parts(hit)} ({relevance:.3f}) reach {_bound(config, bound)}"
    if of_time:
        return f"it is of the time that is asked for (time {hit.parts['time']:.3f} reaches {DATE})"
    return f"it says what the user wants from now on (wishes {hit.parts['wishes']:.3f})"


def _gate(hit: Hit, config: Config, least: float) -> str:
    """Why a candidate did not pass the gate; `least` as above."""
    dead = hit.effective_weight < config.death_threshold
    if dead and not config.revival_similarity:
        return f"dead (effective weight {hit.effective_weight:.3f}), and revival is off"
    if config.ranking == "additive" and config.strategy != "vector":
        below = f"({_relevance(hit):.3f}) are below {_bound(config, least)}"
        return f"{_relevant_parts(hit)} {below}"
    if config.ranking == "additive":
        return f"meaning {hit.parts['meaning']:.3f} is below min_similarity {config.min_similarity}"
    if dead and hit.similarity < config.revival_similarity - TOLERANCE:
        return f"dead, and similarity {hit.similarity:.3f} is below revival_similarity {config.revival_similarity}"
    return f"score {hit.score:.3f} is below activation_threshold {config.activation_threshold}"


def _bound(config: Config, least: float) -> str:
    """How relevant a hit had to be, in the terms of the settings."""
    bound = f"min_relevance {config.min_relevance}"
    return bound if least == config.min_relevance else f"{least:.3f} ({bound}, less beside what is plainly relevant)"


def _relevance(hit: Hit) -> float:
    """What the gate of words and meaning looks at."""
    return float(sum(hit.parts[name] for name in RELEVANT))


def _relevant_parts(hit: Hit) -> str:
    """Those parts by name; what stands beside a message, and what it replaces, only where it counts."""
    *first, last = [name for name in RELEVANT if hit.parts[name] or name in {"meaning", "words"}]
    return f"{', '.join(first)} and {last}"
