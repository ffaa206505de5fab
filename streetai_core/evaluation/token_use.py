"""Tokens measured: the prompt of every turn of a conversation against resending all of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import mean
from typing import Any

from streetai_core.config import Config
from streetai_core.encoders.base import Encoder
from streetai_core.errors import InputError
from streetai_core.evaluation.datasets import Recording
from streetai_core.evaluation.replay import as_new_message, open_memory
from streetai_core.tokens import EstimatedTokens, count_message, count_messages

PROMPT_BUDGET = 1_500
"""Token budget of every prompt."""

LONG_HISTORY = 4_000
"""Tokens of a history from which savings are averaged; before, there is little to save."""

_CURVE_POINTS = 12
"""Turns shown of a whole conversation."""


@dataclass(frozen=True, slots=True)
class TurnTokens:
    """One user message that was answered with a prompt."""

    recording: str
    turn: int
    """Counted from 1 in user messages."""
    sent: int
    """Tokens of the prompt that was really built, the message included; characters / 4, and 4 for each message."""
    history: int
    """The same for everything said so far, in all sessions, and the message."""

    @property
    def saved(self) -> float:
        """Share of the history that was not sent; below 0 if the prompt cost more."""
        return 1 - self.sent / self.history

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)


def replay_tokens(
    recording: Recording,
    config: Config,
    encoder: Encoder,
    *,
    budget: int = PROMPT_BUDGET,
    learn: bool = False,
    progress: Callable[[], None] | None = None,
) -> list[TurnTokens]:
    """Play a conversation message by message; before a user message is stored, its prompt is built.

    A user message that is alone over the budget is sent alone, which is what is counted.

    Args:
        recording: what is played.
        config: settings of the memory.
        encoder: of the memory.
        budget: most tokens of a prompt.
        learn: whether each reply is learned from, as an app does.
        progress: called after every message.
    """
    counter = EstimatedTokens()
    turns: list[TurnTokens] = []
    said = 0
    with open_memory(recording, config, encoder) as memory:
        hits: Sequence[Any] = ()
        for message in recording.messages:
            cost = count_message(message.text, counter)
            if message.role == "user":
                try:
                    prompt = memory.build_prompt(message.text, token_budget=budget, conversation_id=message.session)
                    sent, hits = count_messages(prompt.messages, counter), prompt.retrieved
                except InputError:
                    sent, hits = cost, ()
                turns.append(TurnTokens(recording.recording_id, len(turns) + 1, sent, said + cost))
            memory.add_messages([as_new_message(message)])
            if learn and message.role == "assistant" and hits:
                memory.post_process(hits, message.text)
                hits = ()
            said += cost
            if progress is not None:
                progress()
    return turns


def summarise_tokens(turns: Sequence[TurnTokens]) -> dict[str, Any]:
    """The figures of one conversation with at least one turn, as JSON values; shares are in [.., 1]."""
    long = [turn for turn in turns if turn.history > LONG_HISTORY]
    step = max(1, len(turns) // _CURVE_POINTS)
    shown = [*turns[::step], *([] if (len(turns) - 1) % step == 0 else [turns[-1]])]
    quarter = max(1, len(turns) // 4)
    return {
        "turns": len(turns),
        "history_at_end": turns[-1].history,
        "sent_at_end": turns[-1].sent,
        "saved_at_end": turns[-1].saved,
        "saved_long": mean(turn.saved for turn in long) if long else None,
        "saved_whole": 1 - sum(turn.sent for turn in turns) / sum(turn.history for turn in turns),
        "turns_above_history": sum(turn.sent > turn.history for turn in turns),
        "most_above_history": max(turn.sent - turn.history for turn in turns),
        "largest_prompt": max(turn.sent for turn in turns),
        "mean_sent_second_quarter": mean(turn.sent for turn in turns[quarter : 2 * quarter] or turns),
        "mean_sent_last_quarter": mean(turn.sent for turn in turns[-quarter:]),
        "curve": [[turn.turn, turn.sent, turn.history] for turn in shown],
    }
