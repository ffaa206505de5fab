"""A request taken apart: what was said before, what the user says now, and what followed on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from streetai_core.adapters.codec import Said
from streetai_core.prompt.turns import join
from streetai_core.text.clean import is_blank


@dataclass(frozen=True, slots=True)
class Parts:
    """The conversation of a request, in three runs that follow each other."""

    history: tuple[Said, ...]
    """Up to the last reply before the user's new message."""
    asked: tuple[Said, ...]
    """The user's new message; several, if the ones before it have had no reply. Empty: the request has none."""
    since: tuple[Said, ...]
    """What followed on it: calls of tools and their results."""

    @property
    def question(self) -> str:
        """The text that the model is to answer; empty if the user's message has none."""
        return next((said.text for said in reversed(self.asked) if not is_blank(said.text)), "")

    @property
    def position(self) -> int | None:
        """Which entry of the request the user's new message is; `None` without one."""
        return self.asked[-1].position if self.asked else None

    @property
    def results(self) -> list[str]:
        """The ids of the calls whose results came since."""
        return [said.tool_call_id for said in self.since if said.tool_call_id]


def take_apart(said: Sequence[Said]) -> Parts:
    """The parts of a conversation. One without a user's message is all `since`: the results of tools."""
    last = next((number for number in range(len(said) - 1, -1, -1) if said[number].role == "user"), None)
    if last is None:
        return Parts((), (), tuple(said))
    first = last
    while first and said[first - 1].role == "user":
        first -= 1
    return Parts(tuple(said[:first]), tuple(said[first : last + 1]), tuple(said[last + 1 :]))


def joined(said: Sequence[Said]) -> list[Said]:
    """The messages, with neighbouring ones of the model joined: some APIs give the text and each call apart."""
    messages: list[Said] = []
    for one in said:
        before = messages[-1] if messages else None
        if one.role == "assistant" and before is not None and before.role == "assistant":
            calls = (*before.tool_calls, *one.tool_calls)
            kinds = (*before.attachments, *one.attachments)
            messages[-1] = replace(before, text=join(before.text, one.text), tool_calls=calls, attachments=kinds)
        else:
            messages.append(one)
    return messages


def exchanges(history: Sequence[Said]) -> list[list[Said]]:
    """The history in exchanges, each from a user's message to before the next; one may start without."""
    groups: list[list[Said]] = []
    for number, said in enumerate(history):
        opens = said.role == "user" and (not number or history[number - 1].role != "user")
        # The entries of a request are taken or left whole.
        joined = bool(groups) and groups[-1][-1].position == said.position
        if (opens or not groups) and not joined:
            groups.append([])
        groups[-1].append(said)
    return groups
