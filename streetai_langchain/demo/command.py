"""The command and its options."""

from __future__ import annotations

import os
from pathlib import Path

import click

from streetai_core.cli.usage import GivenPath
from streetai_core.errors import MissingExtraError
from streetai_core.evaluation.conversations import SAMPLE
from streetai_langchain.demo.settings import Settings

_LONGEST_PACE = 60.0
"""Seconds between two turns; more is a slip of the keyboard."""


@click.command(short_help="Play a conversation and watch what the model is sent.")
@click.option(
    "--input",
    "source",
    type=GivenPath(),
    metavar="FILE",
    help="Conversation to play: JSON lines with role, content, and optionally name, created_at, conversation_id.  "
    "[default: a bundled one]",
)
@click.option(
    "--db",
    "database",
    type=GivenPath(),
    metavar="PATH",
    help="Memory file.  [default: streetai-demo.db; with --input one named after it, so that conversations do not mix]",
)
@click.option("--token-budget", type=click.IntRange(min=1), metavar="N", help="Most tokens of a prompt.")
@click.option("--fresh", is_flag=True, help="Forget the memory of this conversation, then play it all.")
@click.option("--yes", is_flag=True, help="Do not ask where --fresh forgets more than this conversation.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per turn and one summary, nothing else.")
@click.option(
    "--pace",
    type=click.FloatRange(0, _LONGEST_PACE),
    default=0.0,
    metavar="SECONDS",
    help="Pause after every turn, to read along.",
)
def demo(
    source: Path | None,
    database: Path | None,
    token_budget: int | None,
    *,
    fresh: bool,
    yes: bool,
    as_json: bool,
    pace: float,
) -> None:
    """Play a conversation through a LangChain chain and watch what the model is sent.

    The chain, the memory and its file are real; only the paid model is replaced by the recorded replies. Run it again
    to see that the file remembers: nothing is played twice, and an interrupted run goes on where it stopped.
    """
    try:
        from streetai_langchain.demo.running import run  # noqa: PLC0415 - needs LangChain, which --help does not
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("langchain"):
            raise MissingExtraError(error.name or "langchain", "langchain") from error
        raise
    # A file name need not be UTF-8; an id has to be.
    stem = SAMPLE if source is None else os.fsencode(source.stem).decode(errors="replace")
    run(
        Settings(
            source=source,
            database=database or Path("streetai-demo.db" if source is None else f"streetai-demo-{source.stem}.db"),
            database_chosen=database is not None,
            memory_id=stem,
            token_budget=token_budget,
            fresh=fresh,
            unasked=yes,
            as_json=as_json,
            pace=pace,
        )
    )
