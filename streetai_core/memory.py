"""One memory and its verbs: write, recall, prompt, learn, look in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from itertools import islice
from types import EllipsisType
from typing import Any

from streetai_core.aio import twin
from streetai_core.conductor import (
    Conductor,
    Lesson,
    check_count,
    check_text,
    messages_of,
    replacing_in,
    roles_of,
    scores_of,
    texts_of,
)
from streetai_core.config import Strategy
from streetai_core.errors import InputError
from streetai_core.planning.crediting import credit_of
from streetai_core.planning.learning import plan_learning
from streetai_core.planning.preparing import Progress, encode_all
from streetai_core.planning.turns import asked_in, identified, plan_turn
from streetai_core.planning.writing import (
    check_encoder,
    plan_reencode,
    plan_update,
)
from streetai_core.prompt.building import Found, PromptRequest, build
from streetai_core.recall.filtering import RecallFilter
from streetai_core.recall.hits import NEAR_MISSES, hits_of, near_misses, sequences_of, signal_key, within
from streetai_core.recall.looking import all_signals, all_stacks, counts, signals_of
from streetai_core.recall.ranking import considered, deep, rank, select
from streetai_core.reporting import Recalled, sent_in
from streetai_core.state import MemoryState
from streetai_core.stores.base import Changes, CreditRow, MessageQuery, WriteTransaction
from streetai_core.text.clean import check_id, clean, is_blank
from streetai_core.tokens import count_message
from streetai_core.types import (
    Hit,
    Message,
    NewMessage,
    Prompt,
    Role,
    Signal,
    Stack,
    WeightUpdate,
    Why,
)


class Memory(Conductor):
    """Everything that one user, agent or tenant has said and heard.

    Get one from a `MemoryRegistry`. Making it does no I/O. Safe to use from several threads; other processes' writes
    are seen by the next call. Every verb has an async twin with an `a` in front.

    Every verb raises `StaleMemoryError` after the memory was reset, and a `StoreError` if the database fails; then
    nothing was changed.
    """

    def __repr__(self) -> str:
        return f"Memory({self.memory_id!r})"

    # ------------------------------------------------------------------ write

    def add_message(
        self,
        content: str,
        role: Role,
        *,
        conversation_id: str | None = None,
        name: str | None = None,
        created_at: datetime | None = None,
        message_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> list[Signal]:
        """Store a message; advances the clock by one turn (tool traffic does not).

        Adding the same `message_id` with the same text again stores nothing and returns what is there: a retry is safe.

        Returns:
            Its signals in order; their `parent_turn_id` is the id of the message. Empty for blank text, which is not
            stored unless it comes with metadata.

        Raises:
            InputError: the role, an id or the metadata cannot be used.
            MessageConflictError: the id is taken by another text.
            EncoderError: the model failed.
        """
        message = NewMessage(
            content=content,
            role=role,
            conversation_id=conversation_id,
            name=name,
            created_at=created_at,
            message_id=message_id,
            metadata=metadata,
        )
        return self.add_messages([message])[0]

    def add_messages(self, messages: Iterable[NewMessage], *, progress: Progress | None = None) -> list[list[Signal]]:
        """Store messages in order, all or none: one transaction, embeddings in one go.

        Args:
            messages: what was said.
            progress: called with (chunks embedded so far, chunks in all).

        Returns:
            For each message what `add_message` returns.
        """
        if not isinstance(messages, Iterable):
            raise InputError(f"messages must be a collection of NewMessage, got {type(messages).__name__}")
        prepared = self._prepared(list(messages), progress)

        def plan(transaction: WriteTransaction, state: MemoryState) -> tuple[Changes | None, list[Message | None]]:
            addition = self._plan_add(transaction, state, prepared)
            return addition.changes, addition.messages

        with self._coherent.lock:
            stored, state = self._coherent.write(plan)
            return [[] if message is None else signals_of(state, message) for message in stored]

    def update_message(self, parent_turn_id: str, new_content: str) -> list[Signal] | None:
        """Give a stored message another text: same id, same turn, same role; its weights restart at 1.0.

        Returns:
            The new signals, or `None` if there is no such message.

        Raises:
            InputError: the new text is blank (use `delete_message`).
            EncoderError: the model failed; the old text is still there.
        """
        if not isinstance(new_content, str) or is_blank(new_content):
            raise InputError("new_content must be text that is not blank; use delete_message to remove a message")
        check_text(parent_turn_id, "parent_turn_id")
        with self._coherent.reading() as (transaction, _):
            found = transaction.messages(MessageQuery(message_id=parent_turn_id))
        if not found:
            return None
        item = self._prepared([NewMessage(content=new_content, role=found[0].role, name=found[0].name)])[0]

        def plan(transaction: WriteTransaction, state: MemoryState) -> tuple[Changes | None, Message | None]:
            again = transaction.messages(MessageQuery(message_id=parent_turn_id))
            if not again or item is None:
                return None, None
            tokens = count_message(again[0].content, self._around.counter)
            changes = plan_update(
                state,
                again[0],
                tokens,
                item,
                replacing=replacing_in(transaction, state),
                encoder=self._around.encoder,
                config=self.config,
            )
            return changes, changes.messages[0]

        with self._coherent.lock:
            message, state = self._coherent.write(plan)
            return None if message is None else signals_of(state, message)

    def revisions(self, parent_turn_id: str) -> list[Message]:
        """The statements of one fact, oldest first: a message, what it replaced, and what replaced it.

        A message that changed nothing and was not changed stands alone; an unknown id gives an empty list.
        """
        check_text(parent_turn_id, "parent_turn_id")
        with self._coherent.reading() as (transaction, state):
            found = transaction.messages(MessageQuery(message_id=parent_turn_id))
            if state is None or not found:
                return found
            sequences = state.words.revisions(found[0].sequence)
            return list(messages_of(transaction, sequences).values())

    def delete_message(self, parent_turn_id: str) -> bool:
        """Remove a message and its signals. The clock does not go back.

        Returns:
            True if it was there; False, also the second time, if not.
        """
        check_text(parent_turn_id, "parent_turn_id")
        return self._delete(MessageQuery(message_id=parent_turn_id)) > 0

    def delete_conversation(self, conversation_id: str | None) -> int:
        """Remove all messages of one conversation (`None`: those without one), and return how many there were."""
        if conversation_id is not None:
            check_id(conversation_id, "conversation_id")
        return self._delete(MessageQuery(conversation_id=conversation_id, any_conversation=False))

    def reencode(self, *, progress: Progress | None = None) -> int:
        """Embed the whole memory anew with this registry's encoder; weights, texts and clocks stay.

        Returns:
            How many signals got a new vector.
        """
        encoder = self._around.encoder
        with self._coherent.lock, self._coherent.reading() as (transaction, state):
            texts = {} if state is None else texts_of(state, transaction.messages(MessageQuery()), self.config)
        vectors = encode_all(list(texts.values()), encoder, progress)

        def plan(_: WriteTransaction, now: MemoryState) -> tuple[Changes | None, int]:
            there = [number for number, key in enumerate(texts) if key in now.columns]
            if not texts or len(there) != len(now.columns):
                return None, -1
            keys = [key for key in texts if key in now.columns]
            return plan_reencode(now, keys, vectors[there], encoder=encoder, config=self.config), len(keys)

        with self._coherent.lock:
            count, _ = self._coherent.write(plan)
            # The arrays have another width now.
            self._coherent.forget()
        if count < 0 and texts:
            return self.reencode(progress=progress)
        return max(0, count)

    # ------------------------------------------------------------------- read

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

    # ------------------------------------------------------------------ learn

    def post_process(
        self, retrieved: Iterable[Recalled], response_text: str, *, question: str | None = None
    ) -> list[WeightUpdate]:
        """Learn from a reply: boost the recalled signals that it used, demote those it had no use for.

        A signal gets credit for the words of the reply that stand in its message and not in the question, the more the
        rarer they are, and for the place that recall gave it, which only hits tell (see `Config.credit`).

        All of them are refreshed: they were sent, so their age starts anew. Signals that are gone are ignored, and
        nothing brings them back. A blank reply teaches nothing.

        Args:
            retrieved: `prompt.retrieved`, or signals, or their ids.
            response_text: the model's reply.
            question: what it answers; left out: what the hits were found for. Without either, as for ids alone, the
                words that a reply repeats from the question count like new ones.

        Returns:
            One row per signal that is still there, in the order given.
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
            changes, steps = plan_learning(state, keys, credit, roles_of(messages), self.config)
            return changes, (steps, messages)

        return self._learn(plan)

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
                its place. A turn has to be given with the same messages in the same places each time.
            messages: what was said: the user's message, tool calls and their results, the final reply. The last
                message of the user's is the question that the reply answers.
            retrieved: what was recalled for the turn, as `post_process` takes it.
            reply: the text of the final reply to learn from; empty: store only.

        Returns:
            What `post_process` returns; empty if nothing was learned.

        Raises:
            InputError: the turn's id or a message cannot be used.
            MessageConflictError: the id of a message is taken by another text.
            EncoderError: the model failed; nothing was stored.
        """
        turn = identified(turn_id, messages)
        prepared = self._prepared(turn)
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
                roles=roles_of(found),
                config=self.config,
            )
            return changes, (steps, found)

        return self._learn(plan)

    def history(self, signal_id: str) -> list[CreditRow]:
        """Every learning step of one signal, oldest first; empty for an unknown id."""
        check_text(signal_id, "signal_id")
        with self._coherent.reading() as (transaction, state):
            key = None if state is None else signal_key(state, signal_id)
            return [] if key is None else transaction.credits(key)

    # ---------------------------------------------------------------- look in

    def messages(self, *, conversation_id: str | EllipsisType | None = ..., last: int | None = None) -> list[Message]:
        """Stored messages in the order they were stored, exactly as they were said.

        Args:
            conversation_id: only this conversation; `None` is the one without an id. Left out: all of them.
            last: only the last so many.
        """
        check_count(last, "last")
        query = MessageQuery(last=last)
        if not isinstance(conversation_id, EllipsisType):
            if conversation_id is not None:
                check_id(conversation_id, "conversation_id")
            query = MessageQuery(conversation_id=conversation_id, any_conversation=False, last=last)
        with self._coherent.reading() as (transaction, _):
            return transaction.messages(query)

    @property
    def signals(self) -> list[Signal]:
        """All signals, in the order they were said."""
        with self._coherent.reading() as (transaction, state):
            return [] if state is None else all_signals(state, transaction.messages(MessageQuery()))

    @property
    def stacks(self) -> list[Stack]:
        """All stacks, the largest first; their signals newest first."""
        with self._coherent.reading() as (_, state):
            return [] if state is None else all_stacks(state)

    def stats(self) -> dict[str, Any]:
        """Counts: the published six, and messages, tokens of the full history, encoder and version."""
        with self._coherent.reading() as (_, state):
            return counts(self.memory_id, state, self.config)

    # ------------------------------------------------------------ async twins

    aadd_message = twin(add_message)
    aadd_messages = twin(add_messages)
    aupdate_message = twin(update_message)
    adelete_message = twin(delete_message)
    adelete_conversation = twin(delete_conversation)
    areencode = twin(reencode)
    aretrieve = twin(retrieve)
    arevisions = twin(revisions)
    abuild_prompt = twin(build_prompt)
    awhy = twin(why)
    apost_process = twin(post_process)
    arecord_turn = twin(record_turn)
    ahistory = twin(history)
    amessages = twin(messages)
    astats = twin(stats)
