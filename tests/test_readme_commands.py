"""What the page of the command line says is what the command line does."""

import shlex
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path

from click.testing import CliRunner

from streetai_core.cli import main
from streetai_core.cli.reference import command_table
from tests.readme_commands import table_in
from tests.readme_pages import COMMANDS, blocks, text_of

SAME, LOOSELY = OutputChecker(), ELLIPSIS | NORMALIZE_WHITESPACE


def test_the_table_is_that_of_the_commands():
    """To write it anew: `python -m tests.readme_commands`."""
    assert command_table(main) == table_in(text_of(COMMANDS))


def test_the_sessions_print_what_they_say(tmp_path, monkeypatch):
    """Each line with a `$` is typed, in order, beside the file that is shown; `...` stands for anything."""
    monkeypatch.chdir(tmp_path)
    (notes,) = blocks(COMMANDS, "jsonl")
    Path("notes.jsonl").write_text(notes, encoding="utf-8")
    typed = 0
    for session in blocks(COMMANDS, "console"):
        for part in session.removeprefix("$ ").split("\n$ "):
            command, _, expected = part.partition("\n")
            program, *arguments = shlex.split(command)
            done = CliRunner().invoke(main, arguments)
            assert ("streetai", 0) == (program, done.exit_code), done.output
            assert SAME.check_output(expected, done.output, LOOSELY), f"{command}: {done.output}"
            typed += 1
    assert typed >= 5
