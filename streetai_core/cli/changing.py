"""`streetai edit`, `forget`, `reembed` and `renew`: commands that change what is in a database."""

from __future__ import annotations

from pathlib import Path
from types import EllipsisType
from typing import TYPE_CHECKING, Any

import click

from streetai_core.cli.opening import (
    choose,
    chosen_encoder,
    encoder_option,
    file_argument,
    json_option,
    memory_option,
    open_memory,
    open_store,
)
from streetai_core.cli.plain_values import print_json
from streetai_core.cli.screen import confirm, print_table, progress, short, text_input
from streetai_core.cli.settings import config_option
from streetai_core.cli.usage import usable_id
from streetai_core.cli.wording import counted, one_line
from streetai_core.config import Config
from streetai_core.errors import EncoderError, InputError, RefusedTextsError, StoreError

if TYPE_CHECKING:
    from streetai_core.memory import Memory
    from streetai_core.registry import MemoryRegistry
    from streetai_core.upkeep.receipts import Receipt


@click.command(
    short_help="Give a message another text.", epilog="Example: streetai edit memory.db ID 'I am vegan.' --yes"
)
@file_argument
@click.argument("message_id", metavar="MESSAGE_ID")
@click.argument("text")
@memory_option
@click.option("--yes", is_flag=True, help="Do not ask.")
@config_option
@json_option
def edit(
    file: Path, message_id: str, text: str, *, memory_id: str | None, yes: bool, config: Config, as_json: bool
) -> None:
    """Give a stored message another TEXT ('-' reads it from standard input). Its id, place and time stay.

    What was learned about the old text is gone: its weights start anew.
    """
    if text == "-":
        if not yes:
            raise click.UsageError("with '-' standard input is the text, so nothing can be asked; give --yes")
        text = text_input().read()
    with open_memory(file, memory_id, config) as opened:
        found = [one for one in opened.memory.messages() if one.message_id == message_id]
        if not found:
            raise InputError(f"memory {opened.memory.memory_id!r} has no message {message_id!r}")
        confirm(f"Replace {short(found[0].content)!r} by {short(text)!r}?", yes=yes)
        signals = opened.memory.update_message(message_id, text)
    if signals is None:
        raise InputError(f"message {message_id!r} was deleted meanwhile")
    if as_json:
        print_json({"message_id": message_id, "signals": [one.signal_id for one in signals]})
    else:
        click.echo(one_line(f"{message_id} says now: {short(text)}"))


@click.command(
    short_help="Erase messages for good.", epilog="Example: streetai forget memory.db --conversation holiday --yes"
)
@file_argument
@memory_option
@click.option("--message", "message_id", metavar="ID", help="This message.")
@click.option("--conversation", "conversation_id", metavar="ID", help="All messages of this conversation.")
@click.option("--no-conversation", is_flag=True, help="All messages that are in no conversation.")
@click.option("--author", metavar="NAME", help="All messages of this author.")
@click.option("--everything", is_flag=True, help="The whole memory.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option
def forget(
    file: Path,
    *,
    memory_id: str | None,
    message_id: str | None,
    conversation_id: str | None,
    no_conversation: bool,
    author: str | None,
    everything: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Erase messages with all that was made of them, and search the files for what may be left of them.

    Exactly one of the options says which. Exports and backups are other files: erase or replace them yourself. Exit
    code 1 means that something is left, as while another program reads the file; the next write finishes it.
    """
    chosen: list[Any] = [message_id, conversation_id, no_conversation or None, author, everything or None]
    if sum(one is not None for one in chosen) != 1:
        raise click.UsageError(
            "give exactly one of --message, --conversation, --no-conversation, --author, --everything"
        )
    thread: str | EllipsisType | None = ...
    if no_conversation or conversation_id is not None:
        thread = conversation_id
    with open_memory(file, memory_id) as opened:
        chosen_id = opened.memory.memory_id
        if everything:
            # Nothing but the memory's own row is read: a damaged memory can be forgotten too.
            with opened.registry.store.reading(chosen_id) as transaction:
                count = 0 if transaction.head is None else transaction.head.message_count
        else:
            count = _count_named(opened.memory, message_id, thread, author)
        confirm(f"Forget {counted(count, 'message', 'messages')} of memory {chosen_id!r} for good?", yes=yes)
        receipt = (
            opened.registry.forget(chosen_id)
            if everything
            else opened.memory.forget(message=message_id, conversation=thread, author=author)
        )
    if as_json:
        print_json(receipt.to_dict())
    else:
        _print_forgotten(receipt)
    if not receipt.complete:
        raise click.exceptions.Exit(1)


def _print_forgotten(receipt: Receipt) -> None:
    """What was erased, and what may be left of it."""
    click.echo(f"Forgotten: {counted(receipt.rows.get('messages', 0), 'message', 'messages')}.")
    print_table(("table", "rows deleted"), list(receipt.rows.items()), figures=("rows deleted",))
    left = f"pieces of it in {receipt.residual} places" if receipt.residual else "nothing of it was found"
    click.echo(f"Searched {counted(len(receipt.files), 'file', 'files')}: {left}.")
    for line in receipt.pending:
        click.echo(one_line(f"To be done: {line}"))


def _count_named(memory: Memory, message_id: str | None, thread: str | EllipsisType | None, author: str | None) -> int:
    """How many messages the options of `forget` name.

    Args:
        memory: whose messages.
        message_id: the id of one; `None`: none is named so.
        thread: their conversation; `None`: those in none; `...`: none is named so.
        author: who said them; `None`: none is named so.

    Raises:
        InputError: none at all.
    """
    count = sum(
        one.message_id == message_id
        or (not isinstance(thread, EllipsisType) and one.conversation_id == thread)
        or (author is not None and one.name == author)
        for one in memory.messages()
    )
    if not count:
        nothing = _nothing_named(message_id, thread, author)
        raise InputError(f"memory {memory.memory_id!r} has no {nothing}, so nothing was erased")
    return count


def _nothing_named(message_id: str | None, thread: str | EllipsisType | None, author: str | None) -> str:
    """What was to be forgotten and is not there, in words."""
    if message_id is not None:
        return f"message {message_id!r}"
    if author is not None:
        return f"messages by {author!r}"
    return "messages outside of conversations" if thread is None else f"conversation {thread!r}"


_any_memory = click.option(
    "--memory", "memory_id", metavar="ID", callback=usable_id, help="Only this memory; all of them if it is left out."
)


@click.command(
    short_help="Embed memories anew with another encoder.", epilog="Example: streetai reembed memory.db --memory ada"
)
@file_argument
@_any_memory
@encoder_option
@config_option
@json_option
def reembed(file: Path, *, memory_id: str | None, encoder_name: str, config: Config, as_json: bool) -> None:
    """Embed the memories of FILE anew, or only the one of --memory; weights, texts and clocks stay.

    A memory changes when all of it is embedded. What the encoder has made already is left alone, so the same command
    goes on where it was interrupted, and embeds what was stored while the encoder failed.

    Exit code 1 if a memory is damaged, or the encoder refuses texts, whose messages are named; the others are done. An
    encoder that does not work at all ends the command, and what was done before it failed is told.
    """
    from streetai_core.registry import MemoryRegistry

    encoder = chosen_encoder(encoder_name)
    done: list[dict[str, Any]] = []
    failure: EncoderError | None = None
    try:
        with (
            open_store(file) as store,
            MemoryRegistry(store, config=config, encoder=encoder) as registry,
        ):
            ids = store.memory_ids() if memory_id is None else [choose(file, store, memory_id)]
            # One after the other, so that those before an error are in it.
            done += (_embedded_anew(registry, one) for one in ids)
    except EncoderError as error:
        failure = error
    if done or failure is None:
        _print_embedded(done, as_json=as_json)
    errors = [one["error"] for one in done if one["error"] is not None]
    for told in errors:
        click.echo(one_line(f"Error: {told}"), err=True)
    if failure is not None:
        raise failure
    if errors:
        raise click.exceptions.Exit(1)


def _print_embedded(done: list[dict[str, Any]], *, as_json: bool) -> None:
    """What came of the memories."""
    if as_json:
        print_json(done)
    else:
        cells = [(one["memory_id"], one["signals"], one["before"] or "-", one["encoder"] or "-") for one in done]
        print_table(("memory", "embedded anew", "before", "now"), cells, figures=("embedded anew",))


def _embedded_anew(registry: MemoryRegistry, memory_id: str) -> dict[str, Any]:
    """Embed a memory anew, and say what came of it.

    Raises:
        EncoderError: the encoder does not work.
    """
    fingerprint = registry.encoder.fingerprint
    row = {"memory_id": memory_id, "signals": 0, "before": None, "encoder": None, "refused": [], "error": None}
    try:
        with registry.store.reading(memory_id) as transaction:
            head = transaction.head
        before = None if head is None else head.encoder
        row |= {"before": before, "encoder": before}
        if before is not None:
            with progress(f"Embedding {memory_id}") as steps:
                count = registry.get(memory_id).reencode(only_missing=before == fingerprint, progress=steps)
            row |= {"signals": count}
        row |= {"encoder": fingerprint}
    except RefusedTextsError as error:
        row |= {"signals": error.embedded, "refused": list(error.message_ids), "error": str(error)}
    except StoreError as error:
        row |= {"error": str(error)}
    return row


@click.command(
    short_help="Find messages by this version's rules for words.", epilog="Example: streetai renew memory.db"
)
@file_argument
@_any_memory
@json_option
def renew(file: Path, *, memory_id: str | None, as_json: bool) -> None:
    """Find out anew by which words and days the messages of FILE can be found that an older version has stored.

    Messages that have lost their words, as `streetai doctor` tells, get them again. Of all memories, or only of the one
    of --memory. Apps that go on storing apply new rules by themselves, some messages at a time. No model is needed.
    Interrupted, the same command goes on.
    """
    from streetai_core.registry import MemoryRegistry

    done: list[dict[str, Any]] = []
    with open_store(file) as store, MemoryRegistry(store) as registry:
        ids = store.memory_ids() if memory_id is None else [choose(file, store, memory_id)]
        for one in ids:
            with progress(f"Renewing {one}") as steps:
                done.append({"memory_id": one, "messages": registry.get(one).renew_words(progress=steps)})
    if as_json:
        print_json(done)
    else:
        print_table(
            ("memory", "messages"), [(one["memory_id"], one["messages"]) for one in done], figures=("messages",)
        )
