"""`streetai chat`: talk to a model that remembers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import click

from streetai_core.cli.chat_model import ChatModel, ModelError
from streetai_core.cli.chat_session import ChatSession
from streetai_core.cli.opening import file_argument, json_option, memory_option, open_memory
from streetai_core.cli.screen import text_input
from streetai_core.cli.settings import config_option
from streetai_core.cli.usage import usable_id
from streetai_core.cli.wording import one_line
from streetai_core.config import Config
from streetai_core.errors import InputError

_PROMPT = "> "


@click.command(
    short_help="Talk to a model that remembers.",
    epilog="Example: streetai chat memory.db --memory ada --base-url http://localhost:11434/v1 --model llama3.2",
)
@file_argument
@memory_option
@click.option("--model", required=True, metavar="NAME", help="The model's name at the endpoint.")
@click.option(
    "--base-url",
    metavar="URL",
    help="An endpoint that speaks OpenAI's chat completions.  [default: OpenAI's, or OPENAI_BASE_URL]",
)
@click.option(
    "--api-key-env",
    default="OPENAI_API_KEY",
    show_default=True,
    metavar="VARIABLE",
    help="The environment variable with the key; a server of your own may need none.",
)
@click.option(
    "--conversation",
    "conversation_id",
    metavar="ID",
    callback=usable_id,
    help="Which conversation this one goes on with.",
)
@click.option("--system", metavar="TEXT", help="Instructions for the model.")
@click.option("--token-budget", type=click.IntRange(min=1), metavar="N", help="Most tokens of a prompt.")
@config_option
@json_option
def chat(
    file: Path,
    *,
    memory_id: str | None,
    model: str,
    base_url: str | None,
    api_key_env: str,
    conversation_id: str | None,
    system: str | None,
    token_budget: int | None,
    config: Config,
    as_json: bool,
) -> None:
    """Talk to a model; what is said goes into a memory of FILE, and the model gets what matters of it.

    A line is a message; /why, /forget, /help and /quit are commands. Ctrl-C stops a reply: what came of it is kept. The
    conversation comes from standard input where that is no terminal.
    """
    if not file.exists() and memory_id is None:
        raise InputError(f"there is no file {file}; to begin a new one, name the memory with --memory")
    with (
        closing(ChatModel(model, base_url, api_key_env)) as endpoint,
        open_memory(file, memory_id, config, may_be_new=True) as opened,
    ):
        session = ChatSession(
            memory=opened.memory,
            model=endpoint,
            conversation_id=conversation_id,
            system=system,
            token_budget=token_budget,
            as_json=as_json,
        )
        for line in _lines():
            if not _taken(session, line):
                break


def _taken(session: ChatSession, line: str) -> bool:
    """Whether the conversation goes on after a line. On a terminal a failing model ends nothing."""
    try:
        return session.take(line)
    except ModelError as error:
        if not sys.stdin.isatty():
            raise
        click.echo(f"Error: {one_line(str(error))}", err=True)
        return True


def _lines() -> Iterator[str]:
    """What the user types, line by line, to the end of the input."""
    source = text_input()
    if source.isatty():
        with suppress(EOFError):
            while True:
                yield input(_PROMPT)
        click.echo()
        return
    while line := source.readline():
        yield line
