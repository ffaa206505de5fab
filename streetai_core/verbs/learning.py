"""From a reply to weights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias

from streetai_core.aio import twin
from streetai_core.coherence import Plan
from streetai_core.errors import EncoderError
from streetai_core.observing.observer import observed
from streetai_core.planning.crediting import Reply, credit_of
from streetai_core.planning.learning import Cue, LearningStep, plan_learning
from streetai_core.planning.trust import Standing, conversation_in, conversation_mark, standing_of
from streetai_core.planning.turns import asked_in, identified, plan_turn
from streetai_core.planning.words import fingerprint
from streetai_core.planning.writing import check_encoder
from streetai_core.recall.hits import signal_key
from streetai_core.reporting import Recalled, Sent, sent_in, weight_updates
from streetai_core.state import MemoryState
from streetai_core.stores.base import ReadTransaction, WriteTransaction
from streetai_core.stores.types import Changes
from streetai_core.text.clean import clean, is_blank
from streetai_core.types import Matrix, Message, NewMessage, WeightUpdate
from streetai_core.verbs.arguments import check_text
from streetai_core.verbs.embedding import Embedding
from streetai_core.verbs.stored import messages_of

Lesson: TypeAlias = tuple[list[LearningStep], dict[int, Message]]
"""What was learned about which signals, and their messages by sequence."""


class Learning(Embedding):
    """The verbs that learn from a reply."""

    @observed(lambda updates: {"signals": len(updates)}, "learn")
    def post_process(
        self, retrieved: Iterable[Recalled], response_text: str, *, question: str | None = None
    ) -> list[WeightUpdate]:
        """Learn from a reply: boost the recalled signals that it used, demote those it had no use for.

        A signal gets credit for the words of the reply that stand in its message and not in the question, the more the
        rarer they are, and for the place that recall gave it, which only hits tell (see `Config.credit`).

        All of them are refreshed: they were sent, so their age starts anew. Signals that are gone are ignored, and
        nothing brings them back. A blank reply teaches nothing. Where `credit="reply"` and the model fails, words tell
        what was used, as they do by default, and the log says so.

        Args:
            retrieved: `prompt.retrieved`, or signals, or their ids.
            response_text: the model's reply.
            question: what it answers; left out: what the hits were found for. Without either, as for ids alone, the
                words that a reply repeats from the question count like new ones.

        Returns:
            One row per signal that is still there, in the order given.

        Raises:
            EncoderError: the model failed, and this is the published pipeline (`Config.classic()`).
        """
        sent = sent_in(retrieved)
        reply = self._reply(sent, response_text, question)
        if reply is None:
            return []

        def plan(transaction: WriteTransaction, state: MemoryState) -> tuple[Changes | None, Lesson]:
            keys, messages = self._sent(transaction, state, sent)
            if not keys:
                return None, ([], {})
            credit = credit_of(state, keys, reply, _scores_of(state, sent))
            standing = self._standing(transaction, state, keys, messages, sent.asked_in)
            changes, steps = plan_learning(state, keys, credit, standing, self.config, cue=reply.cue)
            return changes, (steps, messages)

        return self._learn(plan)

    @observed(lambda updates: {"signals": len(updates)}, "write", "learn")
    def record_turn(
        self,
        turn_id: str,
        messages: Iterable[NewMessage],
        *,
        retrieved: Iterable[Recalled] = (),
        reply: str = "",
        embed_later: bool = False,
    ) -> list[WeightUpdate]:
        """Store the messages of one turn and learn from its reply: one transaction, and once only.

        The store decides whether the turn has been recorded: if all of its messages are there, nothing is stored and
        nothing is learned, whoever asks again. So a retry, a resumed run and a second process are all safe. If some
        are there, as after a stream that was cut, the others are stored and the reply is learned from.

        Args:
            turn_id: names the turn in this memory; a message without an id gets `turn_id/0`, `turn_id/1` and so on, by
                its place, for which it has to leave room in 512 bytes. A turn has to be given with the same messages in
                the same places each time.
            messages: what was said: the user's message, tool calls and their results, the final reply. The last
                message of the user's is the question that the reply answers.
            retrieved: what was recalled for the turn, as `post_process` takes it.
            reply: the text of the final reply to learn from; empty: store only.
            embed_later: store the messages without vectors, so that nobody waits for the model. Words find them until
                `reencode(only_missing=True)` brings the vectors, or what is stored next does. Where meaning alone
                decides (`strategy="vector"`, `Config.classic()`) they are embedded now.

        Returns:
            What `post_process` returns; empty if nothing was learned.

        Raises:
            InputError: the turn's id or a message cannot be used.
            MessageConflictError: the id of a message is taken by another one.
            EncoderError: the model failed where `add_message` raises it; nothing was stored.
        """
        turn = identified(turn_id, messages)
        prepared = self._to_store(turn, embed_later=embed_later)
        sent = sent_in(retrieved)
        answer = self._reply(sent, reply, asked_in(turn))

        def plan(transaction: WriteTransaction, state: MemoryState) -> tuple[Changes | None, Lesson]:
            added = self._plan_add(transaction, state, prepared).changes
            if added is None or answer is None:
                return added, ([], {})
            keys, found = self._sent(transaction, state, sent)
            if not keys:
                return added, ([], {})
            changes, steps = plan_turn(
                state,
                added,
                keys=keys,
                reply=answer,
                scores=_scores_of(state, sent),
                standing=self._standing(transaction, state, keys, found, conversation_in(turn)),
                config=self.config,
            )
            return changes, (steps, found)

        return self._learn(plan)

    def _sent(
        self, transaction: ReadTransaction, state: MemoryState, sent: Sent
    ) -> tuple[list[int], dict[int, Message]]:
        """Of the signals that were sent those that are there, each once, and their messages by sequence."""
        keys = list(dict.fromkeys(key for name in sent.ids if (key := signal_key(state, name)) is not None))
        if state.hidden:
            shown = state.shown
            keys = [key for key in keys if shown[state.columns.rows([key])[0]]]
        if keys:
            check_encoder(state.head, self._around.encoder)
        return keys, messages_of(transaction, state.columns.column("sequence")[state.columns.rows(keys)].tolist())

    def _standing(
        self,
        transaction: ReadTransaction,
        state: MemoryState,
        keys: Sequence[int],
        messages: Mapping[int, Message],
        conversation_id: str | None,
    ) -> Standing:
        """Whose the signals are that a reply is about to teach something of, and in which conversation."""
        sequences = state.columns.column("sequence")[state.columns.rows(keys)].tolist()
        mark = conversation_mark(state.head.token, conversation_id)
        return standing_of(transaction, dict(zip(keys, sequences, strict=True)), messages, mark, self.config)

    def _reply(self, sent: Sent, text: str, question: str | None) -> Reply | None:
        """A reply made ready to learn from; `None` if there is nothing to learn or to learn from.

        The encoder is asked for the question, which it has been asked for by recall, and for the published credit.
        """
        check_text(text, "the reply")
        if question is not None:
            check_text(question, "the question")
        if not sent.ids or is_blank(text):
            return None
        text = clean(text)[0]
        question = sent.question if question is None else question
        cue = None if question is None else self._cue(question)
        if cue is None:
            # Nobody has asked yet whose the memory's vectors are, for which an encoder of a framework may have to embed
            # something: not while others wait. That they are another's is an error where something is learned.
            with suppress(EncoderError):
                self._to_compare()
        return Reply(
            text=text,
            at=self._around.clock(),
            question=None if question is None or is_blank(question) else clean(question)[0],
            cue=cue,
            vector=self._reply_vector(text) if self.config.credit == "reply" else None,
        )

    def _reply_vector(self, text: str) -> Matrix | None:
        """A reply's embedding, shape (1, dim); `None` if the encoder failed, so that its words tell what it used.

        Raises:
            EncoderError: the encoder failed, and this is the published pipeline, which knows no words.
        """
        try:
            return self._around.encoder.encode([text], "document")
        except EncoderError as error:
            if self.config.ranking == "product":
                raise
            self._around.outage.failed(error, "what a reply used is told by its words")
            return None

    def _cue(self, question: str) -> Cue | None:
        """A question as a cue; `None` in the published pipeline, which knows none, or if it could not be embedded."""
        if self.config.ranking == "product":
            return None
        try:
            asked = self._asked(question)
        except EncoderError as error:
            self._around.outage.failed(error, "what helped to answer this question is not known to it")
            return None
        return None if asked is None or asked.vector is None else Cue(fingerprint(asked.text), asked.vector)

    def _learn(self, plan: Plan[Lesson]) -> list[WeightUpdate]:
        """Carry out a plan that learns, and report it."""
        with self._coherent.written(plan) as ((steps, messages), state):
            return weight_updates(state, steps, messages)

    apost_process = twin(post_process, writes=True)
    arecord_turn = twin(record_turn, writes=True)


def _scores_of(state: MemoryState, sent: Sent) -> dict[int, float]:
    """Retrieval scores by signal key, of the signals that are there."""
    keyed = ((signal_key(state, name), score) for name, score in sent.scores.items())
    return {key: score for key, score in keyed if key is not None}
