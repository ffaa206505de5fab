"""`streetai ls`, `show`, `search`, `why` and `stats`: what is in a database."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from streetai_core.cli.explaining import print_why
from streetai_core.cli.opening import (
    file_argument,
    json_option,
    memory_option,
    open_memory,
    open_store,
)
from streetai_core.cli.plain_values import plain, print_json
from streetai_core.cli.screen import lines_of, print_table, short
from streetai_core.cli.settings import config_option
from streetai_core.cli.wording import one_line
from streetai_core.config import STRATEGIES, Config
from streetai_core.errors import InputError
from streetai_core.rendering import minute

if TYPE_CHECKING:
    from streetai_core.types import Hit, Message, Signal

_COUNTED = {
    "memory_id": "memory",
    "total_signals": "signals",
    "living_signals": "signals that have not faded",
    "dead_signals": "signals that have faded",
    "stacks": "stacks",
    "turn_counter": "turns",
    "messages": "messages",
    "history_tokens": "tokens of the full history",
    "encoder": "vectors made by",
    "version": "version, one more with each write",
    "without_vector": "signals without a vector",
    "outdated_words": "messages that streetai renew would tell anew",
}
"""What `Memory.stats` counts, in words."""


@click.command("ls", short_help="List the memories of a database.", epilog="Example: streetai ls memory.db")
@file_argument
@json_option
def ls(file: Path, *, as_json: bool) -> None:
    """List the memories of FILE, with how much is in each and when what was stored last was said."""
    from streetai_core.stores.types import MessageQuery

    rows: list[dict[str, Any]] = []
    with open_store(file) as store:
        for memory_id in store.memory_ids():
            with store.reading(memory_id) as transaction:
                head = transaction.head
                newest = transaction.messages(MessageQuery(last=1))
            if head is not None:
                rows.append(
                    {
                        "memory_id": memory_id,
                        "messages": head.message_count,
                        "turns": head.next_turn,
                        "history_tokens": head.history_tokens,
                        "last_said": newest[0].created_at if newest else None,
                        "encoder": head.encoder,
                    }
                )
    if as_json:
        print_json(rows)
        return
    if not rows:
        click.echo("No memory yet.")
        return
    columns = ("memory", "messages", "turns", "tokens", "last said", "encoder")
    cells = [
        [minute(one) if isinstance(one, datetime) else "-" if one is None else one for one in row.values()]
        for row in rows
    ]
    print_table(columns, cells, figures=("messages", "turns", "tokens"))


@click.command(short_help="Show the messages of a memory.", epilog="Example: streetai show memory.db --last 5")
@file_argument
@memory_option
@click.option("--conversation", "conversation_id", metavar="ID", help="Only this conversation.")
@click.option("--last", type=click.IntRange(min=1), metavar="N", help="Only the last N messages.")
@click.option("--message", "message_id", metavar="ID", help="Only this message, with its signals and their history.")
@json_option
def show(
    file: Path,
    *,
    memory_id: str | None,
    conversation_id: str | None,
    last: int | None,
    message_id: str | None,
    as_json: bool,
) -> None:
    """Show the messages of a memory as they were said, oldest first; or one message with what was learned about it."""
    if message_id is not None and (conversation_id is not None or last is not None):
        raise click.UsageError("--message shows one message; leave --conversation and --last out")
    with open_memory(file, memory_id) as opened:
        if message_id is None:
            wanted = ... if conversation_id is None else conversation_id
            messages = opened.memory.messages(conversation_id=wanted, last=last)
            _show_messages(messages, as_json=as_json)
            return
        found = [one for one in opened.memory.messages() if one.message_id == message_id]
        if not found:
            raise InputError(f"memory {opened.memory.memory_id!r} has no message {message_id!r}")
        signals = [one for one in opened.memory.signals if one.parent_turn_id == message_id]
        history = {one.signal_id: plain(opened.memory.history(one.signal_id)) for one in signals}
        revisions = [one.message_id for one in opened.memory.revisions(message_id)]
    _show_message(found[0], signals, history, revisions, as_json=as_json)


@click.command(
    short_help="Search a memory.", epilog="Example: streetai search memory.db 'What am I allergic to?' --limit 3"
)
@file_argument
@click.argument("question")
@memory_option
@click.option("--limit", type=click.IntRange(min=1), default=10, show_default=True, help="Most hits.")
@click.option("--strategy", type=click.Choice(STRATEGIES), help="How to search.  [default: the settings']")
@config_option
@json_option
def search(
    file: Path,
    question: str,
    *,
    memory_id: str | None,
    limit: int,
    strategy: Any,
    config: Config,
    as_json: bool,
) -> None:
    """Print the signals that bear on QUESTION, best first. Searching changes nothing."""
    with open_memory(file, memory_id, config) as opened:
        hits = opened.memory.retrieve(question, limit=limit, strategy=strategy)
    if as_json:
        print_json(hits)
        return
    if not hits:
        click.echo("Nothing was found.")
        return
    print_table(("score", "said", "by", "text", "message"), [_hit_cells(hit) for hit in hits], figures=("score",))


@click.command(
    short_help="Explain what is recalled for a question.",
    epilog="Example: streetai why memory.db 'What may I eat?' --message ID",
)
@file_argument
@click.argument("question")
@memory_option
@click.option("--misses", type=click.IntRange(min=0), default=5, show_default=True, help="Most near misses.")
@click.option("--message", "message_id", metavar="ID", help="Why not this one? Tells where its signals stand.")
@config_option
@json_option
def why(
    file: Path,
    question: str,
    *,
    memory_id: str | None,
    misses: int,
    message_id: str | None,
    config: Config,
    as_json: bool,
) -> None:
    """Print what is recalled for QUESTION with the parts of each score, and the best of what is left out and why."""
    with open_memory(file, memory_id, config) as opened:
        answer = opened.memory.why(question, misses=misses, message=message_id)
    if as_json:
        print_json(answer)
        return
    print_why(answer)


@click.command(short_help="Count what is in a memory.", epilog="Example: streetai stats memory.db --memory ada --json")
@file_argument
@memory_option
@config_option
@json_option
def stats(file: Path, *, memory_id: str | None, config: Config, as_json: bool) -> None:
    """Print the counts of a memory: messages, signals and how many of them have faded, stacks, the clock, tokens."""
    with open_memory(file, memory_id, config) as opened:
        counts = opened.memory.stats()
        used = opened.memory.config
    if as_json:
        print_json(counts)
        return
    print_table(("", "value"), [(_COUNTED[name], value) for name, value in counts.items()], figures=("value",))
    if used.revival_similarity:
        click.echo("What has faded is kept, and a strong cue brings it back.")
    click.echo(one_line(f"Faded is told by {used.brief}; a database keeps no settings, --config gives others."))


def _show_messages(messages: list[Message], *, as_json: bool) -> None:
    if as_json:
        print_json(messages)
        return
    if not messages:
        click.echo("No messages.")
    for message in messages:
        click.echo(_heading(message))
        click.echo(lines_of(message.content) + "\n")


def _show_message(
    message: Message, signals: list[Signal], history: dict[str, Any], revisions: list[str], *, as_json: bool
) -> None:
    if as_json:
        described = [{**plain(one), "history": history[one.signal_id]} for one in signals]
        print_json({**plain(message), "signals": described, "revisions": revisions})
        return
    click.echo(_heading(message))
    click.echo(lines_of(message.content) + "\n")
    cells = [
        (
            one.signal_id,
            f"{one.base_weight:.3f}",
            one.last_used_turn,
            one.uses,
            len(history[one.signal_id]),
            one.stack_id,
        )
        for one in signals
    ]
    columns = ("signal", "weight", "last used", "uses", "steps", "stack")
    print_table(columns, cells, figures=("weight", "last used", "uses", "steps"))
    if len(revisions) > 1:
        click.echo(one_line(f"Statements of the same fact, oldest first: {', '.join(revisions)}"))


def _heading(message: Message) -> str:
    """Who said it when and where."""
    who = f"{message.name} ({_speaker(message)})" if message.name else _speaker(message)
    where = "" if message.conversation_id is None else f", conversation {message.conversation_id}"
    return one_line(f"{minute(message.created_at)}  {who}, turn {message.turn}{where}, message {message.message_id}")


def _speaker(said: Message | Signal) -> str:
    """The role; of a document that it is one, as prompts say, for whoever sent it has not said it."""
    return "document" if said.source == "document" else said.role


def _hit_cells(hit: Hit) -> tuple[object, ...]:
    signal = hit.signal
    said = minute(signal.created_at)
    return f"{hit.score:.3f}", said, signal.name or _speaker(signal), short(signal.content), signal.parent_turn_id
