"""Which part of a history that the caller sends along is sent on: its last messages; the memory has the rest."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from streetai_core.adapters.codec import Said
from streetai_core.adapters.exchanges import exchanges
from streetai_core.adapters.stored import cost_of
from streetai_core.config import Config
from streetai_core.text.clean import clean, is_blank
from streetai_core.tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class Trimmed:
    """A history, and what of it is left out."""

    left_out: frozenset[int]
    """Positions of the entries that are not sent."""
    shown: frozenset[str]
    """Texts of those that are."""
    tokens: int
    """What those cost."""


def trim(
    history: Sequence[Said],
    known: Collection[str],
    *,
    position: int,
    room: float,
    config: Config,
    counter: TokenCounter,
) -> Trimmed:
    """Leave out old exchanges that the memory has.

    A history that costs no more than a window and a recalled block is sent whole. Else the newest exchanges stay, as
    many as the window of a prompt holds, and of the older ones those that the memory does not have word for word, or
    that have more than text.

    Args:
        history: what was said before the user's new message.
        known: texts that the memory has.
        position: of the user's new message, which results of tools may share.
        room: most tokens of what is kept, but for the newest exchange; infinite without a token budget.
        config: the size of the window.
        counter: counts tokens.
    """
    groups = exchanges(history)
    costs = [sum(cost_of(said, counter) for said in group) for group in groups]
    whole = (config.window_tokens or 0) + (config.recall_tokens or 0)
    cheap = config.history_ceiling and sum(costs) <= min(whole, room)
    first = 0 if cheap else _window(groups, costs, room=room, config=config)
    kept = [number for number, group in enumerate(groups) if number >= first or not _is_known(group, known, position)]
    gone = [group for number, group in enumerate(groups) if number not in kept]
    return Trimmed(
        left_out=frozenset(said.position for group in gone for said in group),
        shown=frozenset(said.text for number in kept for said in groups[number] if not is_blank(said.text)),
        tokens=sum(costs[number] for number in kept),
    )


def _window(groups: Sequence[Sequence[Said]], costs: Sequence[int], *, room: float, config: Config) -> int:
    """The first of the exchanges that are sent verbatim."""
    first = len(groups)
    spoken = tokens = 0
    most = min(room, float("inf") if config.window_tokens is None else config.window_tokens)
    while first and spoken < config.recency_turns:
        newest = first == len(groups)
        if not newest and tokens + costs[first - 1] > most:
            break
        first -= 1
        tokens += costs[first]
        spoken += sum(not said.tool_calls and said.role != "tool" for said in groups[first])
    return first


def _is_known(group: Sequence[Said], known: Collection[str], position: int) -> bool:
    """Whether leaving out an exchange loses nothing. What tools said is the memory's as their calls are."""
    return not any(said.attachments or said.position == position for said in group) and all(
        said.role == "tool" or is_blank(said.text) or clean(said.text)[0] in known for said in group
    )
