"""Plans that add, edit and remove messages."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import uuid4

import numpy as np

from streetai_core.config import Config
from streetai_core.encoders.base import Encoder
from streetai_core.errors import EncoderMismatchError, MessageConflictError
from streetai_core.placement import Placement
from streetai_core.planning.linking import Linking
from streetai_core.planning.preparing import Prepared
from streetai_core.planning.replacing import Replacing
from streetai_core.planning.told import message_of, told_by
from streetai_core.planning.words import Reader, fingerprint
from streetai_core.state import MemoryState
from streetai_core.stores.types import Changes, Head, Learned, SignalRow, WeightRow
from streetai_core.tool_calls import is_tool_traffic
from streetai_core.types import Matrix, Message
from streetai_core.vectors import kept


@dataclass(slots=True)
class Addition:
    """A plan to add messages, and where to find the results."""

    changes: Changes | None = None
    """`None` if there is nothing to write."""
    messages: list[Message | None] = field(default_factory=list)
    """For each message of the caller the stored one: new, or the one that was there under its id."""
    is_outdated: bool = False
    """Whether one that was known when it was prepared is not there any more: nothing can be written."""

    @property
    def signals(self) -> dict[int, list[int]]:
        """The keys of the signals of each message that is new, by its sequence."""
        if self.changes is None:
            return {}
        keys: dict[int, list[int]] = {message.sequence: [] for message in self.changes.messages}
        for signal in self.changes.signals:
            keys[signal.sequence].append(signal.key)
        return keys


def plan_add(
    state: MemoryState,
    prepared: Sequence[Prepared | None],
    known: Mapping[str, Message],
    *,
    replacing: Replacing,
    words: Reader,
    encoder: Encoder,
    config: Config,
) -> Addition:
    """Store messages in order.

    Args:
        state: the memory as it is.
        prepared: the messages; `None` for one that is not stored.
        known: stored messages that have one of the ids given.
        replacing: finds what the messages replace.
        words: reads words rows.
        encoder: whose vectors these are.
        config: the settings.

    Raises:
        MessageConflictError: an id is taken by another text, role or conversation.
        EncoderMismatchError: the memory's vectors come from another encoder.
    """
    addition = Addition()
    by_id = dict(known)
    fresh: list[tuple[Prepared, Message]] = []
    head = state.head
    for item in prepared:
        if item is None:
            addition.messages.append(None)
            continue
        message = by_id.get(item.message.message_id or "")
        if message is not None:
            _same(message, item)
        elif item.is_known:
            return Addition(is_outdated=True)
        else:
            message, head = _stamped(item, head)
            by_id[message.message_id] = message
            fresh.append((item, message))
        addition.messages.append(message)
    if not fresh:
        return addition
    head = _with_encoder(head, encoder, any(len(item.vectors) for item, _ in fresh))
    vectors = _stacked([item.vectors for item, _ in fresh], head.dim or 0)
    placement = Placement(_sized(state, head), vectors, config)
    signals, weights = _signals([(item, message, message.turn) for item, message in fresh], head, placement, config)
    linking = Linking(replacing, words)
    for item, message in fresh:
        if item.told is not None:
            linking.add(item.told, message, item.vectors)
    addition.changes = Changes(
        head=replace(
            head,
            next_signal=head.next_signal + len(signals),
            next_stack=placement.next_stack,
            message_count=head.message_count + len(fresh),
            history_tokens=head.history_tokens + sum(item.tokens for item, _ in fresh),
        ),
        messages=[message for _, message in fresh],
        words=linking.rows,
        signals=signals,
        weights=weights,
        stacks=placement.stack_rows,
    )
    return addition


def plan_update(
    state: MemoryState,
    old: Message,
    grown: int,
    item: Prepared,
    *,
    replacing: Replacing,
    words: Reader,
    encoder: Encoder,
    config: Config,
) -> Changes:
    """Give a message a new text: same id, place and turn; its signals start anew, as fresh as if just said.

    Args:
        state: the memory.
        old: the message as it is.
        grown: how many tokens more resending it costs with the new text.
        item: its new text.
        replacing: finds what messages replace.
        words: reads words rows.
        encoder: whose vectors these are.
        config: the settings.
    """
    message = replace(old, content=item.message.content, sanitised=item.sanitised)
    head = _with_encoder(state.head, encoder, bool(len(item.vectors)))
    linking = Linking(replacing, words)
    linking.edit(item.told or told_by(message), message, item.vectors)
    can_be_recalled = bool(item.chunks) or old.sequence in state.words or old.sequence in state.hidden
    gone = state.columns.keys[state.rows_of_message(old.sequence)].tolist()
    placement = Placement(_sized(state, head), _stacked([item.vectors], head.dim or 0), config, without=gone)
    signals, weights = _signals([(item, message, head.next_turn)], head, placement, config)
    return Changes(
        head=replace(
            head,
            next_signal=head.next_signal + len(signals),
            next_stack=placement.next_stack,
            history_tokens=max(0, head.history_tokens + grown),
        ),
        messages=[message],
        words=[row for row in linking.rows if can_be_recalled or row.sequence != old.sequence],
        signals=signals,
        weights=weights,
        learned=[_edited(weight) for weight in weights],
        stacks=placement.stack_rows,
        deleted_signals=gone,
        deleted_stacks=placement.deleted_stacks,
        deleted_cues=_cues_of(state, [old.content]),
    )


def _edited(weight: WeightRow) -> Learned:
    """The first entry in the log of a signal of an edited message; it changes nothing."""
    return Learned(
        key=weight.key,
        factor=1.0,
        low=weight.base_weight,
        high=weight.base_weight,
        last_used_turn=weight.last_used_turn,
        used=False,
        action="edit",
        contribution=0.0,
    )


def plan_delete(state: MemoryState, messages: Mapping[int, int], questions: Collection[str], config: Config) -> Changes:
    """Remove messages (sequence -> tokens) with their signals; the clock does not go back.

    What helped to answer one of these texts (`questions`) forgets that it did: a cue tells what was asked.
    """
    head = state.head
    columns = state.columns
    gone = columns.keys[np.isin(columns.column("sequence"), list(messages))].tolist()
    placement = Placement(state, np.zeros((0, columns.dim), dtype=np.float32), config, without=gone)
    return Changes(
        head=replace(
            head,
            message_count=head.message_count - len(messages),
            history_tokens=max(0, head.history_tokens - sum(messages.values())),
        ),
        stacks=placement.stack_rows,
        deleted_messages=list(messages),
        deleted_signals=gone,
        deleted_stacks=placement.deleted_stacks,
        deleted_cues=_cues_of(state, questions),
    )


def _cues_of(state: MemoryState, questions: Collection[str]) -> list[tuple[int, int]]:
    """The cues of some questions."""
    return state.cues.of_questions({fingerprint(text) for text in questions}) if len(state.cues) else []


def check_encoder(head: Head, encoder: Encoder) -> None:
    """Refuse an encoder that did not make the memory's vectors.

    Raises:
        EncoderMismatchError: naming both encoders and what to do.
    """
    if head.encoder is not None and not encoder.made(head.encoder):
        raise EncoderMismatchError(
            f"the vectors of memory {head.memory_id!r} were made by {head.encoder!r}, this registry uses "
            f"{encoder.fingerprint!r}. Open the registry with the first, or call "
            f"registry.get({head.memory_id!r}).reencode() once to embed the memory anew."
        )


def _same(message: Message, item: Prepared) -> None:
    for what in ("content", "role", "conversation_id"):
        if getattr(message, what) != getattr(item.message, what):
            change = "use update_message to change what it says, or " if what == "content" else ""
            raise MessageConflictError(
                f"message_id {message.message_id!r} is taken by a message with another {what}; {change}give the new "
                "message an id of its own"
            )


def _stamped(item: Prepared, head: Head) -> tuple[Message, Head]:
    """The stored form of a message, and the head with its place taken."""
    new = item.message
    ticks = new.ticks if new.ticks is not None else not is_tool_traffic(new)
    message = message_of(
        new,
        new.message_id or uuid4().hex,
        turn=head.next_turn if ticks else max(0, head.next_turn - 1),
        sequence=head.next_sequence,
        sanitised=item.sanitised,
    )
    return message, replace(head, next_turn=head.next_turn + ticks, next_sequence=head.next_sequence + 1)


def _with_encoder(head: Head, encoder: Encoder, needed: bool) -> Head:  # noqa: FBT001 - a private rule's one flag
    """The head with the encoder that its vectors come from."""
    if not needed:
        return head
    check_encoder(head, encoder)
    made_by = encoder.fingerprint, encoder.dim
    return head if (head.encoder, head.dim) == made_by else replace(head, encoder=made_by[0], dim=made_by[1])


def _sized(state: MemoryState, head: Head) -> MemoryState:
    """The state, or an empty one of the right dimension before the first vector."""
    return state if state.head.dim == head.dim else MemoryState(head)


def _stacked(vectors: Sequence[Matrix], dim: int) -> Matrix:
    """All vectors in one matrix, shape (n, dim)."""
    filled = [rows for rows in vectors if len(rows)]
    return np.vstack(filled) if filled else np.zeros((0, dim), dtype=np.float32)


def _signals(
    items: Sequence[tuple[Prepared, Message, int]], head: Head, placement: Placement, config: Config
) -> tuple[list[SignalRow], list[WeightRow]]:
    """Rows for the chunks of messages, each with the turn from which it ages."""
    signals: list[SignalRow] = []
    weights: list[WeightRow] = []
    for item, message, turn in items:
        vectors = kept(item.vectors, config.vector_precision)
        for index, (chunk, vector) in enumerate(zip(item.chunks, vectors, strict=True)):
            key = head.next_signal + len(signals)
            stack = placement.assignment.stack_of[len(signals)]
            signals.append(
                SignalRow(
                    key=key,
                    sequence=message.sequence,
                    chunk_index=index,
                    kind=chunk.kind,
                    start=chunk.start,
                    end=chunk.end,
                    block_start=chunk.block_start,
                    block_end=chunk.block_end,
                    vector=vector,
                )
            )
            weights.append(WeightRow(key=key, base_weight=1.0, last_used_turn=turn, uses=0, stack=stack))
    return signals, weights
