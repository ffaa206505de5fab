"""Every example in the README does what it says."""

import contextlib
import io
import re
from pathlib import Path

import pytest
from langchain_core._api import LangChainDeprecationWarning

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples():
    """The Python blocks in order, each with the output printed below it, if any."""
    blocks = BLOCK.findall(README)
    for number, (language, text) in enumerate(blocks):
        if language == "python":
            following = blocks[number + 1] if number + 1 < len(blocks) else ("end", "")
            yield text, following[1] if following[0] == "" else None


def test_the_examples_print_what_they_say(tmp_path, monkeypatch, recwarn):
    """Run in order in one namespace, as a reader would type them.

    LangChain announces the end of the classic classes that two of the examples are about, whatever filter is set;
    nothing else may warn.
    """
    monkeypatch.chdir(tmp_path)
    namespace = {}
    ran = 0
    for code, expected in examples():
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "README.md", "exec"), namespace)  # noqa: S102 - our own page
        if expected is not None:
            assert expected == printed.getvalue()
        ran += 1
    assert ran >= 4
    assert {warning.category for warning in recwarn} <= {LangChainDeprecationWarning}


def test_the_install_commands_are_the_ones_the_checks_run():
    """The check script types the README's two commands."""
    commands = [text.strip() for language, text in BLOCK.findall(README) if language == "bash"]
    assert 'pip install -e ".[offline,langchain]" && streetai demo' in commands
    assert 'pip install -e ".[dev]" && python -m pytest' in commands
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for part in (part.strip() for command in commands for part in command.split("&&")):
        assert part.removeprefix("pip install ") in script


@pytest.mark.parametrize("path", re.findall(r"\]\(((?!https?:)[^)#]+)\)", README))
def test_links_lead_somewhere(path):
    """Links to files of the repository."""
    assert (ROOT / path).exists()
