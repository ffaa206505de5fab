"""The run as JSON: one object a line, in ASCII, so that any terminal and any program takes it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import click

from streetai_core import Hit, NewMessage, Prompt
from streetai_langchain.demo.figures import Figures, PlayedTurn, Totals
from streetai_langchain.demo.watching import Holdings, Opening, Recollection

_DIGITS = 6
"""Decimal places of scores and shares: more than they mean, few enough to read."""


class JsonLines:
    """A line per turn, and a summary as the last line."""

    def __init__(self) -> None:
        self._stored_before = 0

    def opened(self, opening: Opening) -> None:
        """Nothing is printed; the summary says how much was there."""
        self._stored_before = opening.stored

    def turn(self, turn: PlayedTurn) -> None:
        """Print a turn."""
        _print(
            {
                "kind": "turn",
                "turn": turn.number,
                "conversation_id": turn.question.conversation_id,
                "question": turn.question.content,
                "reply": turn.reply.content,
                **_prompt(turn.prompt),
                "tokens_received": turn.tokens_received,
                "characters_received": turn.characters_received,
                "learned": list(turn.updates),
            }
        )

    def aside(self, message: NewMessage) -> None:
        """Nothing is printed; the summary counts them."""

    def recollected(self, recollection: Recollection) -> None:
        """Print what is recalled for a question."""
        _print({"kind": "asked again", "question": recollection.question.content, **_prompt(recollection.prompt)})

    def played(self, totals: Totals, holdings: Holdings) -> None:
        """Print the summary of what was played."""
        _print(
            {
                "kind": "summary",
                "stored_before": self._stored_before,
                **_figures(totals.whole),
                "tokens_received": totals.tokens_received,
                "characters_received": totals.characters_received,
                "first_turns": None if totals.first is None else _figures(totals.first),
                "sessions": [
                    {"conversation_id": name or None, **_figures(figures)} for name, figures in totals.sessions.items()
                ],
                "stored_without_a_turn": totals.asides,
                "boosts": totals.boosts,
                "demotes": totals.demotes,
                "revivals": totals.revivals,
                **_holdings(holdings),
            }
        )

    def remembered(self, holdings: Holdings) -> None:
        """Print what the file holds."""
        _print({"kind": "summary", "stored_before": self._stored_before, "turns": 0, **_holdings(holdings)})


def _prompt(prompt: Prompt) -> dict[str, Any]:
    inspector = prompt.inspector
    return {
        "tokens_sent": inspector["tokens_sent"],
        "tokens_full_history": inspector["tokens_full_history"],
        "window_messages": inspector["recency_window_size"],
        "tokens_window": inspector["tokens_window"],
        "tokens_recalled": inspector["tokens_recalled"],
        "token_budget": inspector["token_budget"],
        "whole_history_sent": inspector["whole_history_sent"],
        "recalled": _recalled(prompt.retrieved),
    }


def _recalled(hits: Sequence[Hit]) -> list[dict[str, Any]]:
    return [
        {
            "signal_id": hit.signal.signal_id,
            "role": hit.signal.role,
            "name": hit.signal.name,
            "conversation_id": hit.signal.conversation_id,
            "created_at": hit.signal.created_at.isoformat(),
            "content": hit.signal.content,
            "score": round(hit.score, _DIGITS),
            "parts": {name: round(part, _DIGITS) for name, part in hit.parts.items()},
            "revived": hit.revived,
        }
        for hit in hits
    ]


def _figures(figures: Figures) -> dict[str, Any]:
    return {
        "turns": figures.turns,
        "tokens_sent": figures.sent,
        "tokens_full_history": figures.full,
        "saved": round(figures.saved, _DIGITS),
        "mean_saved_of_turns": round(figures.mean_saved, _DIGITS),
    }


def _holdings(holdings: Holdings) -> dict[str, Any]:
    return {
        "database": str(holdings.database),
        "stored": holdings.stats,
        "strengthened": holdings.strengthened,
        "weakened": holdings.weakened,
    }


def _print(values: dict[str, Any]) -> None:
    click.echo(json.dumps(values))
