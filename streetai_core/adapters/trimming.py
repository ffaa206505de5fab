"""Which part of a history that the caller sends along is sent on: its last messages; the memory has the rest."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from streetai_core.adapters.codec import Said
from streetai_core.adapters.exchanges import Parts, exchanges
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
    parts: Parts,
    known: Collection[str],
    *,
    fixed: Collection[int] = (),
    whole: Collection[int] = (),
    room: float,
    config: Config,
    counter: TokenCounter,
) -> Trimmed:
    """Leave out old exchanges that the memory has.

    A history that costs no more than a window and a recalled block is sent whole. Else the newest exchanges stay, as
    many as the window of a prompt holds, and of the older ones those that the memory does not have word for word, or
    that have more than text. White space is no matter: apps strip replies, and join the parts of one in their own way.

    Args:
        parts: of the request, with a message of the user's.
        known: texts that the memory has.
        fixed: as of `Request`.
        whole: as of `Request`.
        room: most tokens of what is kept, but for the newest exchange; infinite without a token budget.
        config: the size of the window.
        counter: counts tokens.
    """
    groups = exchanges(parts.history)
    spans = _spans(groups, parts.asked[0].position)
    costs = [sum(cost_of(said, counter) for said in group) for group in groups]
    selection = (config.window_tokens or 0) + (config.recall_tokens or 0)
    cheap = config.history_ceiling and sum(costs) <= min(selection, room)
    first = 0 if cheap else _window(groups, costs, room=room, config=config)
    texts = {_solid(text) for text in known} if first else set()
    # Results of tools may share an entry with what the user says.
    needed = frozenset(whole).union(said.position for said in parts.asked)
    gone = [number for number in range(first) if needed.isdisjoint(spans[number]) and _is_known(groups[number], texts)]
    kept = [number for number in range(len(groups)) if number not in gone]
    return Trimmed(
        left_out=frozenset(place for number in gone for place in spans[number]).difference(fixed),
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


def _spans(groups: Sequence[Sequence[Said]], end: int) -> list[range]:
    """The positions of each exchange, up to the next one, and of the last up to the user's new message, at `end`.

    Between what was said there are entries that say nothing, such as thoughts or the pieces of a reply that was
    streamed. Without it the provider refuses them.
    """
    starts = [0, *(group[0].position for group in groups[1:])]
    # The new message may share its entry with results of tools.
    ends = [*starts[1:], max(end, groups[-1][-1].position + 1 if groups else 0)]
    return [range(start, stop) for start, stop in zip(starts, ends, strict=False)][: len(groups)]


def _is_known(group: Sequence[Said], known: Collection[str]) -> bool:
    """Whether leaving out an exchange loses nothing. What tools said is the memory's as their calls are."""
    return not any(said.attachments for said in group) and all(
        said.role == "tool" or is_blank(said.text) or _solid(clean(said.text)[0]) in known for said in group
    )


def _solid(text: str) -> str:
    """A text without its white space."""
    return "".join(text.split())
