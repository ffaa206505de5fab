"""The plan of a whole turn: what was said is stored and learned from in one transaction, or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from streetai_core.config import Config
from streetai_core.errors import InputError
from streetai_core.planning.crediting import Reply, credit_of
from streetai_core.planning.learning import LearningStep, plan_learning
from streetai_core.planning.trust import Standing
from streetai_core.state import MemoryState
from streetai_core.stores.types import Changes
from streetai_core.text.clean import MAX_ID_BYTES, check_id, is_blank
from streetai_core.types import NewMessage


def identified(turn_id: str, messages: Iterable[NewMessage]) -> list[NewMessage]:
    """The messages of a turn, each with an id: its own, or one made of the turn's id and its place in the turn.

    Raises:
        InputError: the turn's id cannot be used, or the messages are no collection.
    """
    turn_id = check_id(turn_id, "turn_id")
    if not isinstance(messages, Iterable):
        raise InputError(f"messages must be a collection of NewMessage, got {type(messages).__name__}")
    return [
        replace(message, message_id=_placed(turn_id, number))
        if isinstance(message, NewMessage) and message.message_id is None
        else message
        for number, message in enumerate(messages)
    ]


def _placed(turn_id: str, number: int) -> str:
    """The id of a message of a turn that has none of its own.

    Raises:
        InputError: the turn's id is so long that there is no room for the place.
    """
    place = f"/{number}"
    size, most = len(turn_id.encode()), MAX_ID_BYTES - len(place)
    if size > most:
        raise InputError(
            f"turn_id must have 1 to {most} bytes of UTF-8 here, got {size}: message {number} has no message_id, and "
            f"gets turn_id and {place!r} for one"
        )
    return turn_id + place


def plan_turn(
    state: MemoryState,
    added: Changes,
    *,
    keys: Sequence[int],
    reply: Reply,
    scores: Mapping[int, float],
    standing: Standing,
    config: Config,
) -> tuple[Changes, list[LearningStep]]:
    """Add messages and learn from the reply among them, with the result of doing the one after the other.

    Args:
        state: the memory as it is, without the messages.
        added: the plan that adds them.
        keys: the signals that were sent, all of which are in `state`.
        reply: what came back, and what it answers.
        scores: retrieval scores by signal key, as far as they are known.
        standing: whose signals these are.
        config: thresholds and factors.
    """
    after = _excerpt(state, keys, config)
    # The excerpt has no messages of before, and so has the words of those that were added.
    new = {message.sequence for message in added.messages}
    after.apply(replace(added, words=[row for row in added.words if row.sequence in new]), added.head)
    credit = credit_of(state, keys, reply, scores, said=after.words)
    learning, steps = plan_learning(after, keys, credit, standing, config, cue=reply.cue)
    # Where both change a stack, the plan of learning has seen what the other one does to it.
    stacks = {row.key: row for row in (*added.stacks, *learning.stacks)}
    rows = state.columns.rows(keys)
    return (
        replace(added, learned=learning.learned, cues=learning.cues, stacks=list(stacks.values())),
        [
            LearningStep(row, step.old_weight, step.new_weight, step.learned)
            for step, row in zip(steps, rows.tolist(), strict=True)
        ],
    )


def asked_in(messages: Iterable[NewMessage]) -> str | None:
    """What the user asked in a turn: the last text of the user's; `None` without one."""
    texts = [one.content for one in messages if isinstance(one, NewMessage) and one.role == "user"]
    return next((text for text in reversed(texts) if isinstance(text, str) and not is_blank(text)), None)


def _excerpt(state: MemoryState, keys: Sequence[int], config: Config) -> MemoryState:
    """A copy of what learning looks at: the signals, and where centroids follow weights, all of their stacks."""
    rows = state.columns.rows(keys)
    excerpt = MemoryState(state.head)
    if config.centroid != "decayed":
        excerpt.columns = state.columns.taken(rows)
        return excerpt
    stacks = sorted(set(state.columns.column("stack")[rows].tolist()))
    excerpt.columns = state.columns.taken(state.members(stacks))
    for stack in stacks:
        excerpt.stacks.put(stack, state.stacks.total(stack), state.stacks.size(stack))
    return excerpt
