"""From a reply to weights."""

from __future__ import annotations

from collections.abc import Iterable

from streetai_core.aio import twin
from streetai_core.conductor import Lesson, scores_of
from streetai_core.observing.observer import observed
from streetai_core.planning.crediting import credit_of
from streetai_core.planning.learning import plan_learning
from streetai_core.planning.trust import conversation_in
from streetai_core.planning.turns import asked_in, identified, plan_turn
from streetai_core.reporting import Recalled, sent_in
from streetai_core.state import MemoryState
from streetai_core.stores.base import WriteTransaction
from streetai_core.stores.types import Changes
from streetai_core.types import (
    NewMessage,
    WeightUpdate,
)
from streetai_core.verbs.embedding import Embedding


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
            credit = credit_of(state, keys, reply, scores_of(state, sent))
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

        Returns:
            What `post_process` returns; empty if nothing was learned.

        Raises:
            InputError: the turn's id or a message cannot be used.
            MessageConflictError: the id of a message is taken by another one.
            EncoderError: the model failed where `add_message` raises it; nothing was stored.
        """
        turn = identified(turn_id, messages)
        prepared = self._to_store(turn)
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
                scores=scores_of(state, sent),
                standing=self._standing(transaction, state, keys, found, conversation_in(turn)),
                config=self.config,
            )
            return changes, (steps, found)

        return self._learn(plan)

    apost_process = twin(post_process)
    arecord_turn = twin(record_turn)
