"""From a question to hits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from streetai_core.aio import twin
from streetai_core.conductor import Asked, Conductor
from streetai_core.config import StrategyName
from streetai_core.observing.observer import observed
from streetai_core.planning.writing import check_encoder
from streetai_core.recall.filtering import RecallFilter
from streetai_core.recall.hits import RankedHits, signal_key, within
from streetai_core.recall.processing import Candidates, PostProcessor, check_processors, processed
from streetai_core.recall.ranking import considered, deep
from streetai_core.state import MemoryState
from streetai_core.stores.base import ReadTransaction
from streetai_core.strategy import Strategy
from streetai_core.types import Hit
from streetai_core.verbs.arguments import check_count, check_filter, check_score, with_strategy
from streetai_core.verbs.finding import Wanted, find
from streetai_core.verbs.judging import Judging


class Recalling(Conductor):
    """The verb that recalls, and what all have in common that do. They change nothing."""

    @observed(lambda hits: {"hits": len(hits)}, "recall")
    def retrieve(
        self,
        question: str,
        *,
        limit: int | None = None,
        token_budget: int | None = None,
        strategy: StrategyName | Strategy | None = None,
        min_score: float | None = None,
        wanted: RecallFilter | None = None,
        processors: Iterable[PostProcessor] | None = None,
        asked_at: datetime | None = None,
    ) -> list[Hit]:
        """The signals that bear on a question, best first; none if nothing does. Reading changes nothing.

        Args:
            question: free text.
            limit: most hits; by default `config.max_thinking_space`.
            token_budget: most tokens of all hits' texts together; a hit that is too long is passed over.
            strategy: "hybrid", "vector", "keyword" or one of your own, in place of `config.strategy`.
            min_score: leaves out hits with a lower score.
            wanted: which messages are searched; `None`: all.
            processors: post-processors that the hits pass before they are cut, in place of the registry's; `()`: none.
            asked_at: when the question is asked, and in which zone, by which "yesterday" goes; `None`: the registry's
                clock.

        Raises:
            InputError: an argument is of the wrong kind.
            ConfigError: no such strategy.
            StrategyError: a strategy of your own failed, or gave no scores.
            ProcessorError: a post-processor of your own failed.
        """
        check_count(limit, "limit")
        check_count(token_budget, "token_budget")
        check_filter(wanted)
        check_score(min_score)
        chosen = self._chosen(processors)
        config = with_strategy(self.config, strategy)
        asked = self._asked(question, config, asked_at)
        if asked is None:
            return []
        most = config.max_thinking_space if limit is None else limit
        # A hit that is too long for the budget, or that a processor leaves out, is passed over for what follows it.
        exact = token_budget is None and not chosen
        judging = Judging(config, asked.at)
        wide = most if exact else considered(config, limit=limit)
        # What a processor may give another score is looked at afterwards.
        least = None if chosen else min_score
        sought = Wanted(depth=deep(wide), most=wide, sure=wide, filter=wanted, min_score=least, stacks=False)

        def attempt(transaction: ReadTransaction, state: MemoryState | None) -> list[Hit] | Candidates:
            if state is None:
                return []
            check_encoder(state.head, self._around.encoder)
            read = self._question(asked, state)
            found = find(transaction, state, read, sought, judging)
            hits = list(RankedHits(state, found.ranking, found.positions, found.messages, question=asked.text))
            return self._candidates(state, hits, asked) if chosen else hits

        found = self._read(attempt)
        hits = processed(found, chosen) if isinstance(found, Candidates) else found
        hits = [hit for hit in hits if min_score is None or hit.score >= min_score]
        return within(hits, most, token_budget, self._around.counter, config)

    def _chosen(self, processors: Iterable[PostProcessor] | None) -> tuple[PostProcessor, ...]:
        """The post-processors of a call."""
        return self._around.processors if processors is None else check_processors(processors)

    def _candidates(self, state: MemoryState, hits: Sequence[Hit], asked: Asked) -> Candidates:
        """Hits as post-processors get them."""
        rows = state.columns.rows([key for hit in hits if (key := signal_key(state, hit.signal.signal_id)) is not None])
        return Candidates(
            question=asked.text,
            hits=tuple(hits),
            vectors=state.columns.vectors_of(rows),
            asked_at=asked.at,
        )

    aretrieve = twin(retrieve)
