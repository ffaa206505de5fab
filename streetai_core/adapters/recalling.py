"""What the memory adds to a request: recalled text, and where the caller sends no history, the window."""

from __future__ import annotations

import math
from collections.abc import Sequence

from streetai_core.adapters.codec import Context
from streetai_core.adapters.exchanges import Parts, joined
from streetai_core.adapters.stored import CONTINUES, RESPONSE_ID, as_window, begun, cost_of
from streetai_core.adapters.trimming import Trimmed, trim
from streetai_core.adapters.turns import Turn
from streetai_core.memory import Memory
from streetai_core.prompt.turns import join
from streetai_core.text.clean import clean, is_blank
from streetai_core.tokens import TokenCounter, count_message
from streetai_core.types import Message, Prompt

_ANY_QUESTION = "-"
"""Stands for a message without text, such as an image. The window does not depend on the question."""

_MARGIN = 64
"""Stored messages that are read beyond those that a request has: tool traffic, and what was said beside it."""

_CHAIN = 256
"""Most stored messages that are read to find those which the provider keeps for a request."""


def recall(turn: Turn, memory: Memory, *, token_budget: int | None, counter: TokenCounter) -> None:
    """Ask the memory for what a turn needs, and note it.

    Args:
        turn: has a message of the user's.
        memory: whose.
        token_budget: most tokens of the request, as far as it is counted: texts and calls, no descriptions of tools and
            no images.
        counter: counts them.

    Raises:
        InputError: the budget cannot hold the user's message.
        StreetAIError: the memory failed.
    """
    parts, request, session = turn.parts, turn.request, turn.session
    position = parts.position
    if position is None:
        return
    stored: list[Message] = []
    trimmed = Trimmed(frozenset(), frozenset(), 0)
    shown: frozenset[str] | None = None
    if request.continues is not None:
        stored = memory.messages(conversation_id=session.conversation_id, last=_CHAIN)
        shown = frozenset(_kept_by_provider(stored, request.continues))
    elif parts.history:
        stored = memory.messages(conversation_id=session.conversation_id, last=len(request.said) + _MARGIN)
        known = {message.content for message in stored}
        room = math.inf if token_budget is None else token_budget // 2
        trimmed = trim(
            parts,
            known,
            fixed=request.fixed,
            whole=request.whole,
            room=room,
            config=memory.config,
            counter=counter,
        )
        shown = trimmed.shown
    others = [*parts.asked[:-1], *parts.since]
    if shown is not None:
        shown |= {said.text for said in others if not is_blank(said.text)}
    beside = trimmed.tokens + sum(cost_of(said, counter) for said in others)
    if trimmed.left_out:
        # Whatever becomes of the rest: the memory has it.
        turn.context = Context(question=position, left_out=trimmed.left_out)
    question = parts.question or _ANY_QUESTION
    bare = sum(count_message(text, counter) for text in (question, request.instructions) if text)
    prompt = memory.build_prompt(
        question,
        system=request.instructions or None,
        # What is sent in any case may leave no room: nothing is recalled then, and old history is left out as ever.
        token_budget=None if token_budget is None else max(token_budget - beside, min(token_budget, bare)),
        conversation_id=session.conversation_id,
        shown=shown,
        asked_at=session.asked_at,
    )
    turn.memory, turn.prompt = memory, prompt if parts.question else _without_recalled(prompt)
    turn.context = _context(turn.prompt, parts, position, trimmed)


def _context(prompt: Prompt, parts: Parts, position: int, trimmed: Trimmed) -> Context | None:
    """What a prompt adds to a request; `None`: nothing."""
    said = {clean(one.text)[0] for one in parts.asked}
    sent = list(prompt.window)
    # The app sends them itself, with the reply that the model is to go on with.
    sent = sent[: len(sent) - len(begun(sent, joined([*parts.asked, *parts.since])))]
    while sent and sent[-1].role == "user" and sent[-1].content in said:
        sent.pop()  # an earlier try has left it there
    window = as_window(sent)
    recalled = prompt.recalled_text
    if window and window[-1].role == "user":
        # It has had no reply. No two messages of the user's in a row: it goes in front of the new one.
        window, recalled = window[:-1], join(window[-1].text, recalled)
    if not (window or recalled or trimmed.left_out):
        return None
    return Context(question=position, recalled=recalled, window=window, left_out=trimmed.left_out)


def _without_recalled(prompt: Prompt) -> Prompt:
    """A prompt for a message without text: there is nothing to recall by."""
    return Prompt(prompt.messages, [], prompt.inspector, "", prompt.window)


def _kept_by_provider(stored: Sequence[Message], continues: str) -> list[str]:
    """Texts of the turns that a request follows on, whose history the provider has."""
    turn_of = {message.message_id: message.message_id.rpartition("/")[0] for message in stored}
    kept: set[str] = set()
    wanted = {continues}
    for message in reversed(stored):
        if wanted & {message.metadata.get(RESPONSE_ID), message.metadata.get(CONTINUES)}:
            kept.add(turn_of[message.message_id])
            wanted.add(str(message.metadata.get(CONTINUES)))
    return [message.content for message in stored if turn_of[message.message_id] in kept and message.content.strip()]
