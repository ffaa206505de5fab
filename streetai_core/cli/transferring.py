"""`streetai export` and `streetai import`: memories out of and into files."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from streetai_core.cli.opening import (
    chosen_encoder,
    encoder_of,
    encoder_option,
    explained,
    file_argument,
    json_option,
    memory_option,
    open_memory,
    open_store,
)
from streetai_core.cli.outputs import free_place
from streetai_core.cli.plain_values import plain, print_json
from streetai_core.cli.screen import progress, text_output
from streetai_core.cli.settings import config_option
from streetai_core.cli.usage import GivenPath, usable_id
from streetai_core.cli.wording import counted, counted_rows, one_line
from streetai_core.config import Config
from streetai_core.errors import InputError
from streetai_core.rendering import command

if TYPE_CHECKING:
    from streetai_core.encoders.base import Encoder

_FORMATS = (
    "streetai",
    "chatgpt",
    "claude",
    "telegram",
    "langchain",
    "langchain-sql",
    "llamaindex",
    "mem0",
    "jsonl",
    "streetai-memory",
)
"""Those of `streetai_core.transfer`, which no --help shall wait for; a test compares them."""

_INTERRUPTED = (
    "What was imported stays, and the same command goes on from there; a memory that `streetai export` wrote is "
    "imported whole or not at all."
)

_SHOWN = 20
"""Records that were left out and are named on the screen; --json has all."""

_PIPE = Path("-")


@click.command(
    "export",
    short_help="Write a whole memory to a file.",
    epilog="Example: streetai export memory.db --memory ada -o ada.jsonl",
)
@file_argument
@memory_option
@click.option(
    "-o",
    "--output",
    type=GivenPath(dir_okay=False, allow_dash=True),
    default=_PIPE,
    metavar="FILE",
    help="Where to; '-' is standard output.  [default: -]",
)
@click.option("--vectors/--no-vectors", default=True, help="Without vectors the file is small; its import embeds anew.")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@json_option
def export_command(
    file: Path, *, memory_id: str | None, output: Path, vectors: bool, force: bool, as_json: bool
) -> None:
    """Write a whole memory of FILE as JSON Lines, without loss: messages, weights, clocks, stacks, the learning log.

    The file holds what was said: treat it as you treat the database.
    """
    from streetai_core.transfer import export_memory

    to_pipe = output == _PIPE
    if to_pipe and as_json:
        raise click.UsageError("--json and the memory cannot both be written to standard output; give -o FILE")
    place = output if to_pipe else free_place(output, file, force=force)
    with open_memory(file, memory_id) as opened, progress("Exporting") as steps:
        target: Any = text_output() if to_pipe else place
        # The user was asked about the place above, whatever is there.
        written = export_memory(
            opened.registry, opened.memory.memory_id, target, vectors=vectors, overwrite=True, progress=steps
        )
    if to_pipe:
        # What is left of it may be all: whether somebody reads it must show before it is called written.
        sys.stdout.flush()
    if as_json:
        print_json(written.to_dict())
    else:
        rows = ", ".join((counted_rows(written.messages, "messages"), counted_rows(written.signals, "signals")))
        click.echo(one_line(f"Memory {written.memory_id!r}: {rows}, SHA-256 {written.digest}"), err=to_pipe)


@contextmanager
def _there(source: Path, file: Path) -> Iterator[Path]:
    """The file to import; standard input as a file, for its format is seen before it is read.

    Raises:
        InputError: there is no such file, it is a folder or the database, or standard input is closed.
    """
    if source == _PIPE:
        if sys.stdin is None:
            raise InputError("standard input is closed, so nothing can be imported from it")
        with tempfile.TemporaryDirectory() as folder:
            whole = Path(folder) / "stdin"
            with whole.open("xb") as copy:
                shutil.copyfileobj(sys.stdin.buffer, copy)
            yield whole
        return
    if source.is_dir():
        raise InputError(f"{source} is a folder; give the file in it that is to be imported")
    if not source.exists():
        raise InputError(f"there is no file {source}")
    if file.exists() and file.samefile(source):
        raise InputError(f"{source} is the database itself")
    yield source


@click.command(
    "import",
    short_help="Read memories and histories from a file.",
    epilog="Example: streetai import memory.db conversations.json --memory ada",
)
@file_argument
@click.argument("source", type=GivenPath())
@click.option(
    "--memory",
    "memory_id",
    metavar="ID",
    callback=usable_id,
    help="Which memory it goes into; may be left out where SOURCE says it, as an exported memory does.",
)
@click.option(
    "--format", "source_format", type=click.Choice(_FORMATS), help="What SOURCE is.  [default: seen from its content]"
)
@click.option(
    "--conversation",
    "conversation_id",
    metavar="ID",
    callback=usable_id,
    help="The conversation of messages that name none.  [default: that of an earlier import, else the name of SOURCE]",
)
@click.option("--reembed", is_flag=True, help="Embed an exported memory anew, for another encoder.")
@encoder_option
@config_option
@json_option
def import_command(
    file: Path,
    source: Path,
    *,
    memory_id: str | None,
    source_format: Any,
    conversation_id: str | None,
    reembed: bool,
    encoder_name: str,
    config: Config,
    as_json: bool,
) -> None:
    """Read SOURCE into FILE: a memory that was exported, or what another program has kept, with its times.

    SOURCE '-' is standard input: `streetai export a.db | streetai import b.db -`.

    Formats: streetai (what `streetai export` writes), chatgpt and claude (conversations.json of their exports),
    telegram (result.json of Telegram Desktop), langchain (JSON, also a dump of its Redis history), langchain-sql
    (SQLChatMessageHistory in SQLite), llamaindex (SimpleChatStore), mem0, jsonl (role and content, a message a line)
    and streetai-memory (the database of that package).

    The same command again imports only what is new, and goes on where it was interrupted. Exit code 1 if records had to
    be left out; they are named.
    """
    from streetai_core.registry import MemoryRegistry
    from streetai_core.transfer import import_file
    from streetai_core.transfer.files import is_database

    if file.is_dir():
        raise InputError(f"{file} is a folder; give the database file")
    if file.is_file() and file.stat().st_size and not is_database(file):
        raise InputError(
            f"{file} is not a database. That comes first, then what is imported: "
            f"{command('streetai', 'import', 'DATABASE', file)}"
        )
    target, encoder = _target(file, memory_id, encoder_name)
    with (
        _there(source, file) as whole,
        MemoryRegistry(file, config=config, encoder=encoder) as registry,
        progress("Importing") as steps,
    ):
        try:
            with explained(file, target):
                done = import_file(
                    registry,
                    whole,
                    memory_id=target,
                    source_format=source_format,
                    conversation_id=conversation_id,
                    reembed=reembed,
                    progress=steps,
                )
        except KeyboardInterrupt:
            raise KeyboardInterrupt(_INTERRUPTED) from None
    if as_json:
        print_json(plain(done.to_dict()))
    else:
        known = counted(done.known, "was", "were")
        told = f"{done.source_format}: {counted_rows(done.added, 'messages')} imported, {known} there already, "
        blank = f", {done.blank} without text" if done.blank else ""
        click.echo(one_line(f"{told}{len(done.rejected)} left out{blank}. Memories: {', '.join(done.memory_ids)}"))
    for one in done.rejected[:_SHOWN]:
        click.echo(one_line(f"Record {one.number}: {one.reason}"), err=True)
    if len(done.rejected) > _SHOWN:
        click.echo(f"And {len(done.rejected) - _SHOWN} more; --json names all.", err=True)
    if done.rejected:
        raise click.exceptions.Exit(1)


def _target(file: Path, memory_id: str | None, encoder_name: str) -> tuple[str | None, Encoder]:
    """The memory to import into, `None` if SOURCE has to say it, and the encoder of that memory."""
    if file.exists() and memory_id is not None:
        with open_store(file) as store:
            made_by = encoder_of(store, memory_id)
        if made_by is not None:
            return memory_id, made_by
    return memory_id, chosen_encoder(encoder_name)
