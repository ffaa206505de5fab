"""Storing, changing and deleting messages."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from streetai_core.aio import twin
from streetai_core.errors import InputError
from streetai_core.observing.observer import observed
from streetai_core.planning.preparing import Known, Prepared, Progress
from streetai_core.planning.writing import Addition, plan_delete, plan_update
from streetai_core.recall.looking import signals_of
from streetai_core.state import MemoryState
from streetai_core.stores.base import ReadTransaction, WriteTransaction
from streetai_core.stores.types import Changes, MessageQuery
from streetai_core.text.clean import check_id, is_blank
from streetai_core.tokens import count_stored
from streetai_core.types import (
    Message,
    NewMessage,
    Role,
    Signal,
    Source,
)
from streetai_core.verbs.arguments import check_text
from streetai_core.verbs.embedding import Embedding
from streetai_core.verbs.stored import messages_named, replacing_in


class Writing(Embedding):
    """The verbs that write what was said."""

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
        source: Source | None = None,
        trust: float | None = None,
        writer: str | None = None,
    ) -> list[Signal]:
        """Store a message; advances the clock by one turn (tool traffic does not).

        `source`, `trust` and `writer` say where the text comes from; see `NewMessage`. A message of the role `system`
        or `developer` is kept and neither sent nor recalled, unless `Config.signal_roles` has its role: instructions
        are given as `build_prompt(system=...)`, and an old one must not speak for the app.

        Adding the same `message_id` with the same text again stores nothing and returns what is there: a retry is safe.

        If an encoder fails that has worked before, the message is stored without vectors, which the log says; words
        find it, and the next messages that can be embedded bring its vectors (`stats()["without_vector"]`).

        Returns:
            Its signals in order; their `parent_turn_id` is the id of the message. Empty for blank text, which is not
            stored unless it comes with metadata.

        Raises:
            InputError: the role, an id or the metadata cannot be used.
            MessageConflictError: the id is taken by another text, role or conversation.
            EncoderError: the model failed, and has made no vectors of this memory yet, nor any since the program began;
                or it alone decides what is found (`strategy="vector"`, `Config.classic()`). Nothing was stored.
        """
        message = NewMessage(
            content=content,
            role=role,
            conversation_id=conversation_id,
            name=name,
            created_at=created_at,
            message_id=message_id,
            metadata=metadata,
            source=source,
            trust=trust,
            writer=writer,
        )
        return self.add_messages([message])[0]

    @observed(lambda stored: {"messages": len(stored), "signals": sum(map(len, stored))}, "write")
    def add_messages(
        self, messages: Iterable[NewMessage], *, progress: Progress | None = None, embed_later: bool = False
    ) -> list[list[Signal]]:
        """Store messages in order, all or none: one transaction, embeddings in one go.

        Of messages that are there already, by their ids, nothing is embedded again: a whole history can be given at
        every start.

        Args:
            messages: what was said.
            progress: called with (chunks embedded so far, chunks in all).
            embed_later: as for `record_turn`.

        Returns:
            For each message what `add_message` returns.
        """
        if not isinstance(messages, Iterable):
            raise InputError(f"messages must be a collection of NewMessage, got {type(messages).__name__}")
        given = list(messages)
        known: Known | None = self._known
        while (stored := self._store(self._to_store(given, progress, known, embed_later=embed_later))) is None:
            # One of those that were known was deleted meanwhile: it is a new one now.
            known = None
        return stored

    def _known(self, ids: Sequence[str]) -> Collection[str]:
        """Which of these ids messages have that are stored."""
        with self._coherent.reading() as (transaction, _):
            return messages_named(transaction, ids)

    def _store(self, prepared: Sequence[Prepared | None]) -> list[list[Signal]] | None:
        """Store messages; `None`: one that was known is not there any more, and nothing is stored.

        Returns:
            The signals of each.
        """

        def plan(transaction: WriteTransaction, state: MemoryState) -> tuple[Changes | None, Addition]:
            addition = self._plan_add(transaction, state, prepared)
            return addition.changes, addition

        with self._coherent.written(plan) as (addition, state):
            if addition.is_outdated:
                return None
            new = addition.signals
            return [
                [] if message is None else signals_of(state, message, new.get(message.sequence))
                for message in addition.messages
            ]

    @observed(lambda signals: {"messages": int(signals is not None), "signals": len(signals or ())}, "write")
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
        old = found[0]
        new = NewMessage(
            content=new_content,
            role=old.role,
            conversation_id=old.conversation_id,
            name=old.name,
            created_at=old.created_at,
            source=old.source,
            trust=old.trust,
            writer=old.writer,
        )
        item = self._prepared([new], old.created_at)[0]

        def plan(transaction: WriteTransaction, state: MemoryState) -> tuple[Changes | None, Message | None]:
            again = transaction.messages(MessageQuery(message_id=parent_turn_id))
            if not again or item is None:
                return None, None
            before, after = again[0], replace(again[0], content=item.message.content)
            changes = plan_update(
                state,
                before,
                count_stored(after, self._around.counter) - count_stored(before, self._around.counter),
                item,
                replacing=replacing_in(transaction, state, self._common(state, item.vectors)),
                words=transaction.words,
                encoder=self._around.encoder,
                config=self.config,
            )
            return changes, changes.messages[0]

        with self._coherent.written(plan) as (message, state):
            return None if message is None else signals_of(state, message)

    @observed(lambda deleted: {"messages": int(deleted)}, "write")
    def delete_message(self, parent_turn_id: str) -> bool:
        """Remove a message and its signals. The clock does not go back.

        Returns:
            True if it was there; False, also the second time, if not.
        """
        check_text(parent_turn_id, "parent_turn_id")
        return self._delete(lambda transaction: transaction.messages(MessageQuery(message_id=parent_turn_id))) > 0

    @observed(lambda deleted: {"messages": deleted}, "write")
    def delete_messages(self, message_ids: Iterable[str]) -> int:
        """Remove messages and their signals, all or none: one transaction. The clock does not go back.

        Args:
            message_ids: which; those that are not known are ignored.

        Returns:
            How many of them were there.
        """
        # A text is a collection of texts too: its letters would be taken for ids.
        if isinstance(message_ids, str) or not isinstance(message_ids, Iterable):
            raise InputError(f"message_ids must be a collection of ids, got {type(message_ids).__name__}")
        ids = list(message_ids)
        for one in ids:
            check_text(one, "message_ids")
        return self._delete(lambda transaction: messages_named(transaction, ids).values())

    @observed(lambda deleted: {"messages": deleted}, "write")
    def delete_conversation(self, conversation_id: str | None) -> int:
        """Remove all messages of one conversation (`None`: those without one), and return how many there were."""
        if conversation_id is not None:
            conversation_id = check_id(conversation_id, "conversation_id")
        query = MessageQuery(conversation_id=conversation_id, any_conversation=False)
        return self._delete(lambda transaction: transaction.messages(query))

    def _delete(self, find: Callable[[ReadTransaction], Collection[Message]]) -> int:
        """Remove the messages that are found, in one transaction."""

        def plan(transaction: WriteTransaction, state: MemoryState) -> tuple[Changes | None, int]:
            found = find(transaction)
            if not found:
                return None, 0
            tokens = {message.sequence: count_stored(message, self._around.counter) for message in found}
            texts = [message.content for message in found]
            return plan_delete(state, tokens, texts, self.config), len(found)

        with self._coherent.reading() as (transaction, state):
            if state is None or not find(transaction):
                return 0
        with self._coherent.written(plan) as (count, _):
            return count

    aadd_message = twin(add_message, writes=True)
    aadd_messages = twin(add_messages, writes=True)
    aupdate_message = twin(update_message, writes=True)
    adelete_message = twin(delete_message, writes=True)
    adelete_messages = twin(delete_messages, writes=True)
    adelete_conversation = twin(delete_conversation, writes=True)
