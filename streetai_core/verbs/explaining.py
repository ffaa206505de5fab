"""From a question to the reasons for its hits."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from itertools import islice

from streetai_core.aio import twin
from streetai_core.config import StrategyName
from streetai_core.errors import InputError
from streetai_core.observing.observer import observed
from streetai_core.planning.writing import check_encoder
from streetai_core.recall.filtering import RecallFilter
from streetai_core.recall.hits import RankedHits, sequences_of, signal_id, within
from streetai_core.recall.processing import PostProcessor
from streetai_core.recall.ranking import considered, deep
from streetai_core.recall.reasons import NEAR_MISSES, Reasons
from streetai_core.recall.spare import spare
from streetai_core.state import MemoryState
from streetai_core.stores.base import ReadTransaction
from streetai_core.stores.types import MessageQuery
from streetai_core.strategy import Strategy
from streetai_core.types import Message, Why
from streetai_core.verbs.arguments import check_count, check_filter, check_text, with_strategy
from streetai_core.verbs.asking import Asking
from streetai_core.verbs.finding import Wanted, find
from streetai_core.verbs.judging import Judging
from streetai_core.verbs.recalling import Recalling
from streetai_core.verbs.stored import messages_of


class Explaining(Recalling):
    """The verb that says why. It changes nothing."""

    @observed(lambda why: {"hits": len(why.hits)}, "recall")
    def why(
        self,
        question: str,
        *,
        misses: int | None = NEAR_MISSES,
        message: str | None = None,
        strategy: StrategyName | Strategy | None = None,
        wanted: RecallFilter | None = None,
        processors: Iterable[PostProcessor] | None = None,
        asked_at: datetime | None = None,
    ) -> Why:
        """What `retrieve` finds for a question and why, and the best of what it leaves out and why not.

        Args:
            question: free text.
            misses: most near misses; `None`: all.
            message: the id of a message. `why.considered` then says of each of its signals where it stands among all
                candidates, what its score is made of, and the rule that let it pass or kept it out.
            strategy: as for `retrieve`.
            wanted: as for `retrieve`; what it leaves out is no near miss.
            processors: as for `retrieve`.
            asked_at: as for `retrieve`.

        Raises:
            InputError: an argument is of the wrong kind, or there is no message with this id.
            ConfigError: no such strategy.
            StrategyError: a strategy of your own failed, or gave no scores.
            ProcessorError: a post-processor of your own failed.
        """
        check_count(misses, "misses")
        if message is not None:
            check_text(message, "message")
        check_filter(wanted)
        chosen = self._chosen(processors)
        config = with_strategy(self.config, strategy)
        asked = self._asked(question, config, asked_at)
        asking = None if asked is None else Asking(asked, chosen, Judging(config, asked.at), wanted)
        return self._read(
            lambda transaction, state: self._why(transaction, state, question, asking, misses=misses, message=message)
        )

    def _why(
        self,
        transaction: ReadTransaction,
        state: MemoryState | None,
        question: str,
        asking: Asking | None,
        *,
        misses: int | None,
        message: str | None,
    ) -> Why:
        """The reasons, in one view of the memory."""
        about = None if message is None else _message(transaction, message)
        if state is None or asking is None:
            turn = 0 if state is None else state.head.next_turn
            return Why(question=question, turn=turn, hits=(), near_misses=(), stacks=())
        check_encoder(state.head, self._around.encoder)
        config = asking.asked.config
        most = config.max_thinking_space
        # No more than there are: a caller who wants all may give a number that no machine counts to.
        few = len(state.columns) if misses is None else min(misses, len(state.columns))
        depth = deep(most + few) if about is None else len(state.columns)
        read = self._question(asking.asked, state)
        wide = considered(config) if asking.processors else most
        found = find(transaction, state, read, Wanted(depth=depth, most=wide, filter=asking.wanted), asking.judging)
        ranking, selected, messages = found.ranking, found.positions, found.messages
        ranked = RankedHits(state, ranking, selected, messages, question=asking.asked.text)
        processed = asking.process(list(ranked), lambda: self._candidates(state, ranked, asking.asked), of=read.text)
        hits = within(processed, most, None, self._around.counter, config)
        as_found = {hit.signal.signal_id: hit for hit in ranked}
        places = {signal_id(state, int(state.columns.keys[ranking.rows[one]])): one for one in selected}
        chosen = [places[hit.signal.signal_id] for hit in hits]
        taken = set(chosen)
        others = list(islice((number for number in range(len(ranking.rows)) if number not in taken), few))
        messages |= messages_of(transaction, sequences_of(state, ranking, others))
        # A prompt takes no more, and each is compared with all before it.
        fills = []
        if asking.takes_spare:
            fills = spare(state, ranking, config, selected, question=read.text, most=deep(most))
        reasons = Reasons(
            state,
            ranking,
            chosen,
            config,
            processed=frozenset(selected),
            spare=frozenset(fills),
            wanted=asking.wanted,
            judged=found.judged,
        )
        return Why(
            question=question,
            turn=state.head.next_turn,
            hits=tuple(hits),
            near_misses=reasons.near_misses(others, messages),
            stacks=tuple(found.stacks),
            # A processor may give parts of its own, which no gate has looked at.
            gates=reasons.gates([as_found[hit.signal.signal_id] for hit in hits]),
            considered=() if about is None else reasons.considered(read, about),
        )

    awhy = twin(why)


def _message(transaction: ReadTransaction, message_id: str) -> Message:
    """The stored message with this id.

    Raises:
        InputError: there is none.
    """
    found = transaction.messages(MessageQuery(message_id=message_id))
    if not found:
        raise InputError(f"message: there is none with the id {message_id!r} in this memory")
    return found[0]
