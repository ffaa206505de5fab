"""From what the user says to the messages to send."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from streetai_core.aio import twin
from streetai_core.config import StrategyName
from streetai_core.observing.observer import observed
from streetai_core.planning.words import fingerprint
from streetai_core.planning.writing import check_encoder
from streetai_core.prompt.building import PromptRequest, build
from streetai_core.prompt.selection import Found
from streetai_core.recall.filtering import RecallFilter
from streetai_core.recall.hits import RankedHits, sequences_of, spans_of
from streetai_core.recall.leaning import FURTHER, leaning
from streetai_core.recall.processing import PostProcessor
from streetai_core.recall.question import Question
from streetai_core.recall.ranking import considered, deep
from streetai_core.recall.spare import spare
from streetai_core.recall.terse_answers import questions_of
from streetai_core.state import MemoryState
from streetai_core.stores.base import ReadTransaction
from streetai_core.strategy import Strategy
from streetai_core.text.small_talk import is_small_talk
from streetai_core.types import Prompt
from streetai_core.verbs.arguments import check_filter, check_score, with_strategy
from streetai_core.verbs.asking import Asking
from streetai_core.verbs.finding import Wanted, find
from streetai_core.verbs.judging import Judging
from streetai_core.verbs.recalling import Recalling
from streetai_core.verbs.requests import prompt_request
from streetai_core.verbs.stored import messages_of


class Prompting(Recalling):
    """The verb that builds prompts. It changes nothing."""

    @observed(lambda prompt: {"hits": len(prompt.retrieved), "messages": len(prompt.messages)}, "recall")
    def build_prompt(
        self,
        user_message: str,
        *,
        system: str | None = None,
        token_budget: int | None = None,
        conversation_id: str | None = None,
        shown: Collection[str] | None = None,
        recall_fits: Callable[[str], bool] | None = None,
        strategy: StrategyName | Strategy | None = None,
        min_score: float | None = None,
        wanted: RecallFilter | None = None,
        processors: Iterable[PostProcessor] | None = None,
        asked_at: datetime | None = None,
    ) -> Prompt:
        """The messages to send for a new user message: system text, verbatim window, recalled block, the message.

        Nothing is stored; store the message and the reply after the reply has come.

        Args:
            user_message: what the user just said. If it only greets, thanks or agrees, nothing is recalled; only
                `Config.classic()` recalls for that too.
            system: the app's instructions, sent as they are.
            token_budget: most tokens of the whole prompt; never exceeded.
            conversation_id: whose last messages are the window, and in which a question may lean on the one before it.
                Recall crosses conversations.
            shown: texts of the messages that you send along yourself, as an agent does that keeps its conversation.
                Then there is no window, and no message with one of these texts is recalled, nor one that differs from
                it in case or white space only. `None`: you send none.
            recall_fits: says whether a recalled block can be sent, for callers with a tokenizer and a limit of their
                own; asked for each piece that would be added, beside `config.recall_tokens`.
            strategy: "hybrid", "vector", "keyword" or one of your own, in place of `config.strategy`.
            min_score: leaves out hits with a lower score.
            wanted: which messages can be recalled; `None`: all. It does not apply to the window, nor to a history that
                is so short that it is sent as it is.
            processors: post-processors that the hits pass before they are packed, in place of the registry's; `()`:
                none.
            asked_at: as for `retrieve`.

        Raises:
            InputError: the message is blank, an argument is of the wrong kind, or the budget cannot hold the message.
            ConfigError: no such strategy.
            StrategyError: a strategy of your own failed, or gave no scores.
            ProcessorError: a post-processor of your own failed.
        """
        check_filter(wanted)
        check_score(min_score)
        chosen = self._chosen(processors)
        config = with_strategy(self.config, strategy)
        request = prompt_request(
            user_message,
            system=system,
            token_budget=token_budget,
            conversation_id=conversation_id,
            shown=shown,
            recall_fits=recall_fits,
        )
        asked = self._asked(user_message, config, asked_at)
        asking = None if asked is None else Asking(asked, chosen, Judging(config, asked.at), wanted, min_score)
        # The published pipeline recalls for anything.
        asks_for_nothing = config.ranking == "additive" and is_small_talk(request.question)

        def attempt(transaction: ReadTransaction, state: MemoryState | None) -> Prompt:
            def recall(without: set[int]) -> Found:
                if state is None or asking is None or asks_for_nothing:
                    return Found()
                check_encoder(state.head, self._around.encoder)
                # Said elsewhere with the words of what the caller sends along, perhaps a thousand times.
                without = without | state.words.said(map(fingerprint, request.sent_along))
                question = self._question(asking.asked, state, without)
                found = self._found(transaction, state, question, request, asking=asking)
                there = {*without, *(message.sequence for message in found.said)}
                beyond = replace(question, without_messages=there)
                return replace(found, further=lambda: self._further(transaction, state, beyond, request, asking=asking))

            hides = None if state is None or not state.quarantine else state.hides
            hidden = () if state is None or hides is None else state.may_be_hidden
            return build(request, transaction, recall, config, self._around.counter, hides=hides, hidden=hidden)

        return self._read(attempt)

    def _found(
        self,
        transaction: ReadTransaction,
        state: MemoryState,
        question: Question,
        request: PromptRequest,
        *,
        asking: Asking,
        most: int | None = None,
    ) -> Found:
        """What there is for a prompt, `most` hits at most, as the post-processors leave it.

        Raises:
            Elsewhere: they have not been asked yet.
        """
        view = (state.head.version, question.text, frozenset(question.without_messages))
        found = asking.once(view, lambda: self._ranked(transaction, state, question, request, asking=asking, most=most))
        if asking.takes_spare:
            return found
        by_id = {message.message_id: message for message in found.said}
        hits = asking.process(found.hits, lambda: self._candidates(state, found.hits, asking.asked), of=question.text)
        said = [by_id[hit.signal.parent_turn_id] for hit in hits]
        return replace(found, hits=hits, said=said, scores=[hit.score for hit in hits])

    def _ranked(
        self,
        transaction: ReadTransaction,
        state: MemoryState,
        question: Question,
        request: PromptRequest,
        *,
        asking: Asking,
        most: int | None,
    ) -> Found:
        """What there is for a prompt, before the post-processors."""
        config, wanted = asking.asked.config, asking.wanted
        wide = considered(config, token_budget=request.token_budget)
        room = self._room(request.token_budget)
        least = None if asking.processors else asking.min_score
        selection = Wanted(depth=deep(wide), most=wide, sure=wide, room=room, filter=wanted, min_score=least)
        found = find(transaction, state, question, selection, asking.judging)
        without = question.without_messages

        def offered(positions: Sequence[int]) -> Found:
            sequences = sequences_of(state, found.ranking, positions)
            questions = questions_of(state, sequences, config, wanted=wanted, without=without)
            others = {*sequences, *questions.values()} - set(found.messages)
            messages = found.messages | messages_of(transaction, list(others))
            to = {messages[answer].message_id: messages[question] for answer, question in questions.items()}
            hits = RankedHits(
                state, found.ranking, positions, messages, question=request.question, asked_in=request.conversation_id
            )
            pieces = {messages[one].message_id: spans_of(state, rows) for one, rows in found.pieces.items()}
            return Found(hits, hits.said, hits.scores, found.stacks, to, pieces)

        first = offered(found.positions[:most])
        if most is not None or not config.lets_decide(request.token_budget) or not asking.takes_spare:
            return first
        chosen = found.positions

        def filling() -> Found:
            return offered(spare(state, found.ranking, config, chosen, question=question.text, most=wide))

        return replace(first, spare=filling)

    def _further(
        self,
        transaction: ReadTransaction,
        state: MemoryState,
        question: Question,
        request: PromptRequest,
        *,
        asking: Asking,
    ) -> Found:
        """What else there is for a prompt if the question leans on the one before it; nothing for any other."""
        more = leaning(
            question,
            transaction,
            state,
            asking.asked.config,
            conversation_id=request.conversation_id,
            asked_at=asking.asked.at,
        )
        if more is None:
            return Found()
        return self._found(transaction, state, more, request, asking=asking, most=FURTHER)

    abuild_prompt = twin(build_prompt)
