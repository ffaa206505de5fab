"""From a question to hits, to a prompt, and to the reasons."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import replace
from itertools import islice

from streetai_core.aio import twin
from streetai_core.conductor import (
    Conductor,
    check_count,
    messages_of,
)
from streetai_core.config import Strategy
from streetai_core.errors import InputError
from streetai_core.planning.writing import (
    check_encoder,
)
from streetai_core.prompt.building import Found, PromptRequest, build
from streetai_core.recall.filtering import RecallFilter
from streetai_core.recall.hits import NEAR_MISSES, hits_of, near_misses, sequences_of, within
from streetai_core.recall.ranking import considered, deep, rank, select
from streetai_core.text.clean import check_id, clean, is_blank
from streetai_core.types import (
    Hit,
    Prompt,
    Why,
)


class Recalling(Conductor):
    """The verbs that recall. They change nothing."""

    def retrieve(
        self,
        question: str,
        *,
        limit: int | None = None,
        token_budget: int | None = None,
        strategy: Strategy | None = None,
        min_score: float | None = None,
        wanted: RecallFilter | None = None,
    ) -> list[Hit]:
        """The signals that bear on a question, best first; none if nothing does. Reading changes nothing.

        Args:
            question: free text.
            limit: most hits; by default `config.max_thinking_space`.
            token_budget: most tokens of all hits' texts together; a hit that is too long is passed over.
            strategy: "hybrid", "vector" or "keyword", in place of `config.strategy`.
            min_score: leaves out hits with a lower score.
            wanted: which messages are searched at all.

        Raises:
            InputError: an argument is of the wrong kind.
            ConfigError: no such strategy.
        """
        check_count(limit, "limit")
        check_count(token_budget, "token_budget")
        if min_score is not None and not _is_finite(min_score):
            raise InputError(f"min_score must be None or a finite number, got {min_score!r}")
        if wanted is not None and not isinstance(wanted, RecallFilter):
            raise InputError(f"wanted must be None or a RecallFilter, got {type(wanted).__name__}")
        if strategy is not None and self.config.ranking == "product":
            raise InputError(
                "strategy cannot be chosen under Config.classic(): the published pipeline compares meaning only. "
                "Use Config(), or leave strategy out."
            )
        config = self.config if strategy is None else replace(self.config, strategy=strategy)
        asked = self._asked(question, config)
        if asked is None:
            return []
        most = config.max_thinking_space if limit is None else limit
        with self._coherent.reading() as (transaction, state):
            if state is None:
                return []
            check_encoder(state.head, self._around.encoder)
            # A hit that is too long for the budget is passed over for what follows it.
            wide = most if token_budget is None else considered(config, limit=limit)
            ranking, _ = rank(state, self._question(asked, state), config, depth=deep(wide), wanted=wanted)
            positions = select(state, ranking, config, wide)
            messages = messages_of(transaction, sequences_of(state, ranking, positions))
            hits = asked.marked(hits_of(state, ranking, positions, messages))
        if min_score is not None:
            hits = [hit for hit in hits if hit.score >= min_score]
        return within(hits, most, token_budget, self._around.counter)

    def build_prompt(
        self,
        user_message: str,
        *,
        system: str | None = None,
        token_budget: int | None = None,
        conversation_id: str | None = None,
        shown: Collection[str] | None = None,
        recall_fits: Callable[[str], bool] | None = None,
    ) -> Prompt:
        """The messages to send for a new user message: system text, verbatim window, recalled block, the message.

        Nothing is stored; store the message and the reply after the reply has come.

        Args:
            user_message: what the user just said.
            system: the app's instructions, sent as they are.
            token_budget: most tokens of the whole prompt; never exceeded.
            conversation_id: whose last messages are the window. Recall crosses conversations.
            shown: texts of the messages that you send along yourself, as an agent does that keeps its conversation.
                Then there is no window, and no message with one of these texts is recalled. `None`: you send none.
            recall_fits: says whether a recalled block can be sent, for callers with a tokenizer and a limit of their
                own; asked for each piece that would be added, beside `config.recall_tokens`.

        Raises:
            InputError: the message is blank, or the budget cannot hold it.
        """
        if not isinstance(user_message, str) or is_blank(user_message):
            raise InputError("user_message must be text that is not blank")
        check_count(token_budget, "token_budget")
        if recall_fits is not None and not callable(recall_fits):
            raise InputError(f"recall_fits must be None or a function of a text, got {type(recall_fits).__name__}")
        if conversation_id is not None:
            check_id(conversation_id, "conversation_id")
        request = PromptRequest(
            question=clean(user_message)[0],
            system=None if system is None else clean(system)[0],
            token_budget=token_budget,
            conversation_id=conversation_id,
            shown=None if shown is None else frozenset(clean(text)[0] for text in shown),
            recall_fits=recall_fits,
        )
        asked = self._asked(user_message)
        with self._coherent.reading() as (transaction, state):

            def recall(without: set[int]) -> Found:
                if state is None or asked is None:
                    return Found()
                check_encoder(state.head, self._around.encoder)
                wide = considered(self.config, token_budget=token_budget)
                ranking, stacks = rank(state, self._question(asked, state, without), self.config, depth=deep(wide))
                positions = select(state, ranking, self.config, wide, self._room(token_budget))
                messages = messages_of(transaction, sequences_of(state, ranking, positions))
                by_id = {message.message_id: message for message in messages.values()}
                return Found(asked.marked(hits_of(state, ranking, positions, messages)), by_id, stacks)

            return build(request, transaction, recall, self.config, self._around.counter)

    def why(self, question: str, *, misses: int = NEAR_MISSES) -> Why:
        """What `retrieve` finds for a question and why, and the best of what it leaves out and why not.

        Args:
            question: free text.
            misses: most near misses.
        """
        check_count(misses, "misses")
        asked = self._asked(question)
        with self._coherent.reading() as (transaction, state):
            if state is None or asked is None:
                return Why(question=question, turn=0, hits=(), near_misses=(), stacks=())
            check_encoder(state.head, self._around.encoder)
            depth = deep(self.config.max_thinking_space + misses)
            ranking, stacks = rank(state, self._question(asked, state), self.config, depth=depth)
            chosen = select(state, ranking, self.config, self.config.max_thinking_space)
            taken = set(chosen)
            others = list(islice((number for number in range(len(ranking.rows)) if number not in taken), misses))
            messages = messages_of(transaction, sequences_of(state, ranking, [*chosen, *others]))
            return Why(
                question=question,
                turn=state.head.next_turn,
                hits=tuple(asked.marked(hits_of(state, ranking, chosen, messages))),
                near_misses=tuple(near_misses(state, ranking, others, messages, self.config)),
                stacks=tuple(stacks),
            )

    aretrieve = twin(retrieve)
    abuild_prompt = twin(build_prompt)
    awhy = twin(why)


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
