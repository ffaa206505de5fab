"""`streetai report`: a memory on one static page."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from uuid import uuid4

import click

from streetai_core.cli.opening import file_argument, memory_option, open_memory
from streetai_core.cli.outputs import free_place
from streetai_core.cli.screen import progress, text_output
from streetai_core.cli.settings import config_option
from streetai_core.cli.usage import GivenPath
from streetai_core.cli.wording import one_line
from streetai_core.config import Config
from streetai_core.upkeep.files import put_in_place, rights_of


@click.command(
    short_help="Write a page about a memory.",
    epilog="Example: streetai report memory.db --memory user_123 -o memory.html",
)
@file_argument
@memory_option
@config_option
@click.option(
    "-o",
    "--output",
    type=GivenPath(dir_okay=False),
    default=Path("memory.html"),
    show_default=True,
    help="The page; '-' writes it to standard output.",
)
@click.option("--savings/--no-savings", default=True, help="Play the messages again to tell what prompts cost.")
@click.option("--force", is_flag=True, help="Replace a page that is there.")
def report(file: Path, *, memory_id: str | None, config: Config, output: Path, savings: bool, force: bool) -> None:
    """Write one static page about a memory of FILE: stacks, weights, savings, recall log, health.

    The page needs no server and loads nothing; whatever was said is text in it. It holds what was said: treat it as
    you treat the database.
    """
    from streetai_core.report import REPLAYED
    from streetai_core.report import report as page_of

    to_pipe = str(output) == "-"
    place = output if to_pipe else free_place(output, file, force=force)
    with open_memory(file, memory_id, config) as opened, progress("Playing the messages again") as steps:
        chosen = opened.memory.memory_id
        page = page_of(opened.registry, chosen, replayed=REPLAYED if savings else 0, progress=steps)
    if to_pipe:
        click.echo(page, nl=False, file=text_output())
        return
    _write(place, page, file, force=force)
    click.echo(one_line(f"{output}: {len(page.encode()):,} bytes about memory {chosen!r}"))


def _write(path: Path, page: str, database: Path, *, force: bool) -> None:
    """Write the page whole or not at all. Nobody may do more with it than with the database, or what it replaces.

    Raises:
        ClickException: the folder cannot be written.
        InputError: there is a page meanwhile, and it may not be replaced.
    """
    beside = path.with_name(f".streetai-{uuid4().hex}")
    rights = rights_of(str(database), str(path))
    try:
        try:
            with open(beside, "x", encoding="utf-8", newline="\n", opener=partial(os.open, mode=rights)) as file:
                file.write(page)
            put_in_place(str(beside), str(path), rights=rights, overwrite=force)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise click.ClickException(one_line(f"cannot write {path}: {error.strerror or error}")) from error
