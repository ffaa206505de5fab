"""One run of the demo: open the file, play what is left or ask again, add up."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from uuid import uuid4

import click

from streetai_core import EstimatedTokens, Memory, MemoryRegistry, Message, NewMessage, failures
from streetai_core.cli.screen import confirm
from streetai_core.cli.wording import counted, one_line
from streetai_core.errors import InputError
from streetai_core.evaluation.conversations import read_conversation, sample_conversation
from streetai_core.text.clean import clean
from streetai_langchain.demo.figures import PlayedTurn, Totals
from streetai_langchain.demo.lines import JsonLines
from streetai_langchain.demo.player import Player, RecordedClock
from streetai_langchain.demo.script import Exchange, Step, already_stored, steps
from streetai_langchain.demo.settings import CONFIG, Settings
from streetai_langchain.demo.view import TerminalView
from streetai_langchain.demo.watching import Holdings, Opening, Recollection, View

_NAMED = 20
"""Lines that cannot be used and are named; a file of something else has nothing but such lines."""

_ASKED_AGAIN = 3
"""How many of the last questions are asked again when there is nothing left to play."""


def run(settings: Settings) -> None:
    """Play what is not stored yet, or ask the last questions again, and show it.

    Raises:
        StreetAIError: the conversation cannot be read, the database has another one, or the memory failed.
    """
    messages = _messages(settings)
    view: View = JsonLines() if settings.as_json else TerminalView()
    clock, counter = RecordedClock(), EstimatedTokens()
    registry = MemoryRegistry(settings.database, config=CONFIG, clock=clock, token_counter=counter)
    with registry, _failures_told_once():
        forgotten = _forget(registry, settings, messages)
        memory = registry.get(settings.memory_id)
        stored = already_stored(messages, memory)
        view.opened(Opening(settings=settings, messages=messages, stored=sum(stored), forgotten=forgotten))
        if all(stored):
            _ask_again(memory, view)
            view.remembered(Holdings.of(memory, settings.database))
        else:
            player = Player(memory, clock=clock, counter=counter, token_budget=settings.token_budget)
            totals = _play(steps(messages, stored), player, view, settings.pace)
            view.played(totals, Holdings.of(memory, settings.database))


@contextmanager
def _failures_told_once() -> Iterator[None]:
    """Keep failures of the memory out of the log: in an app the chat goes on, here they end the run and are told."""
    failures.logger.addFilter(_nothing)
    try:
        yield
    finally:
        failures.logger.removeFilter(_nothing)


def _nothing(_record: logging.LogRecord) -> bool:
    """Let no record through."""
    return False


def _messages(settings: Settings) -> Sequence[NewMessage]:
    """The conversation; what cannot be used of it is named on stderr."""
    conversation = sample_conversation() if settings.source is None else read_conversation(settings.source)
    for problem in conversation.problems[:_NAMED]:
        click.echo(f"line {problem.line}: {one_line(problem.reason)} (skipped)", err=True)
    if len(conversation.problems) > _NAMED:
        click.echo(f"and {counted(len(conversation.problems) - _NAMED, 'line', 'lines')} more (skipped)", err=True)
    if not conversation.messages:
        raise InputError(f"there is no message in {settings.source}; each line needs a role and a content")
    return conversation.messages


def _forget(registry: MemoryRegistry, settings: Settings, messages: Sequence[NewMessage]) -> int:
    """Empty the memory of this conversation if that is wanted, and return how many messages it had."""
    if not settings.fresh:
        return 0
    there = registry.get(settings.memory_id).messages()
    others = len(there) - (_texts(there) & _texts(messages)).total()
    if others:
        has = f"has {counted(len(there), 'message', 'messages')}, of which "
        are = counted(others, "message is", "messages are")
        confirm(
            f"The memory {settings.memory_id!r} of {settings.database} {has}{are} not of this conversation. "
            "Forget it for good?",
            yes=settings.unasked,
        )
    registry.reset(settings.memory_id)
    return len(there)


def _texts(messages: Sequence[Message | NewMessage]) -> Counter[tuple[str | None, str, str]]:
    """What was said in which conversation, by whom and how often."""
    return Counter((one.conversation_id, one.role, clean(one.content)[0]) for one in messages)


def _play(left: Sequence[Step], player: Player, view: View, pace: float) -> Totals:
    """Play the steps, `pace` seconds apart."""
    turns: list[PlayedTurn] = []
    try:
        for step in left:
            if isinstance(step, Exchange):
                turns.append(player.play(step))
                view.turn(turns[-1])
                time.sleep(max(0, pace))  # In this order "nan" makes no pause.
            else:
                player.store(step.message)
                view.aside(step.message)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("What was played is stored; the same command goes on from there.") from None
    return Totals.of(turns, asides=len(left) - len(turns))


def _ask_again(memory: Memory, view: View) -> None:
    """Ask the last stored questions in a conversation that does not exist, so that nothing but recall can answer."""
    questions = [message for message in memory.messages() if message.role == "user"]
    for question in questions[-_ASKED_AGAIN:]:
        prompt = memory.build_prompt(question.content, conversation_id=uuid4().hex)
        view.recollected(Recollection(question, prompt))
