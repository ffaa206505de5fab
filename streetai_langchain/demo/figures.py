"""What a turn did, and what all of them add up to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from streetai_core import NewMessage, Prompt, WeightUpdate

FIRST_TURNS = 16
"""How many turns the saving of a young conversation is told for: that is when there is least to save."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedTurn:
    """One call of the chain."""

    number: int
    """Which user turn of the file, from 1."""
    question: NewMessage
    reply: NewMessage
    prompt: Prompt
    updates: tuple[WeightUpdate, ...]
    characters_received: int
    """Characters of all messages as they arrived at the model."""
    tokens_received: int
    """Their tokens, by the same counter as the inspector's."""

    @property
    def session(self) -> str:
        """The conversation that it belongs to; empty if that has no id."""
        return self.question.conversation_id or ""

    @property
    def sent(self) -> int:
        """Tokens sent, by the inspector."""
        return self.prompt.inspector["tokens_sent"]

    @property
    def full(self) -> int:
        """Tokens that resending the whole history would have cost, by the inspector."""
        return self.prompt.inspector["tokens_full_history"]

    @property
    def revived(self) -> int:
        """How many recalled signals had faded."""
        return sum(hit.revived for hit in self.prompt.retrieved)


@dataclass(frozen=True, slots=True)
class Figures:
    """Tokens of some turns together."""

    turns: int
    sent: int
    full: int
    mean_saved: float
    """Mean of the share that each turn saved, in [0, 1]."""

    @property
    def saved(self) -> float:
        """Share of all tokens together that was saved, in [0, 1]."""
        return share_saved(self.sent, self.full)

    @classmethod
    def of(cls, turns: Sequence[PlayedTurn]) -> Figures:
        """Add up turns; all figures are 0 if there are none."""
        shares = [share_saved(turn.sent, turn.full) for turn in turns]
        return cls(
            turns=len(turns),
            sent=sum(turn.sent for turn in turns),
            full=sum(turn.full for turn in turns),
            mean_saved=sum(shares) / len(shares) if shares else 0.0,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """What one run played."""

    sessions: dict[str, Figures]
    whole: Figures
    first: Figures | None
    """Of the first `FIRST_TURNS` turns of the file; `None` if this run did not play all of them."""
    asides: int
    """Messages stored without a call of the chain."""
    boosts: int
    demotes: int
    revivals: int
    tokens_received: int
    characters_received: int

    @classmethod
    def of(cls, turns: Sequence[PlayedTurn], asides: int) -> Totals:
        """Add up what was played."""
        names = dict.fromkeys(turn.session for turn in turns)
        first = [turn for turn in turns if turn.number <= FIRST_TURNS]
        actions = [update["action"] for turn in turns for update in turn.updates]
        return cls(
            sessions={name: Figures.of([turn for turn in turns if turn.session == name]) for name in names},
            whole=Figures.of(turns),
            first=Figures.of(first) if len(first) == FIRST_TURNS else None,
            asides=asides,
            boosts=actions.count("boost"),
            demotes=actions.count("demote"),
            revivals=sum(turn.revived for turn in turns),
            tokens_received=sum(turn.tokens_received for turn in turns),
            characters_received=sum(turn.characters_received for turn in turns),
        )


def share_saved(sent: int, full: int) -> float:
    """Share of `full` that was not sent, in [0, 1] as long as no more than `full` was."""
    return 1 - sent / full if full else 0.0
