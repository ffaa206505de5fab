"""Ranked lines put into a token budget: how everything is sent that does not build its own prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from streetai_core.evaluation.systems import Answer
from streetai_core.tokens import EstimatedTokens

_QUARTERS = 4
"""Quarters of a token are counted, so that no line is rounded up."""


@dataclass(frozen=True, slots=True)
class Line:
    """A text that is sent as it is, and the messages that it has something of."""

    text: str
    message_ids: tuple[str, ...]


class RankedLines:
    """A session of a system that ranks lines.

    Args:
        search: question -> lines, best first.
    """

    def __init__(self, search: Callable[[str], Sequence[Line]]) -> None:
        self._search = search

    def ask(self, question: str, budgets: Sequence[int]) -> Answer:
        """What fits of the best lines, at each budget."""
        lines = self._search(question)
        filled = {budget: fill([line.text for line in lines], budget) for budget in budgets}
        return Answer(
            sent={budget: text for budget, (text, _) in filled.items()},
            tokens={budget: tokens for budget, (_, tokens) in filled.items()},
            ranked=tuple(dict.fromkeys(name for line in lines for name in line.message_ids)),
        )


def fill(lines: Sequence[str], budget: int) -> tuple[str, int]:
    """The lines that fit into a budget, in the order given, and their tokens; one that is too long is passed over."""
    counter = EstimatedTokens()
    chosen: list[str] = []
    spent = 0
    for line in lines:
        if spent == budget * _QUARTERS:
            break
        cost = counter.count(f"{line}\n" * _QUARTERS)
        if spent + cost <= budget * _QUARTERS:
            chosen.append(line)
            spent += cost
    return "\n".join(chosen), -(-spent // _QUARTERS)
