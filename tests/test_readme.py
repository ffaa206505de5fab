"""Every example in the README does what it says."""

import ast
import asyncio
import contextlib
import io
import re
import shlex
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner
from langchain_core._api import LangChainDeprecationWarning
from llama_index.core import Settings
from llama_index.core.memory import Memory
from pydantic.warnings import PydanticDeprecationWarning

from streetai_core.cli import main
from tests import readme_models

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

FRAMEWORKS_OWN = (LangChainDeprecationWarning, PydanticDeprecationWarning)
"""What LangChain and LlamaIndex warn of themselves."""

QUICK = {"speed": ["--sizes", "20", "--repeats", "2"]}
"""Options of a measurement that has no data; the others get a folder for their embeddings."""


def examples():
    """The Python blocks in order, each with the output printed below it, if any."""
    blocks = BLOCK.findall(README)
    for number, (language, text) in enumerate(blocks):
        if language == "python":
            following = blocks[number + 1] if number + 1 < len(blocks) else ("end", "")
            yield text, following[1] if following[0] == "" else None


@pytest.fixture
def providers(tmp_path_factory, monkeypatch):
    """The servers of the providers, by name."""
    with readme_models.serve_providers(tmp_path_factory.mktemp("providers"), monkeypatch) as wires:
        yield wires


@pytest.fixture
def namespace(tmp_path, monkeypatch, providers):
    """Where the examples run: in an empty folder, with what they leave to their reader."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Settings, "_callback_manager", None)
    # LlamaIndex's synchronous calls make an event loop where there is none, and never close it.
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield readme_models.names()
    loop.close()
    asyncio.set_event_loop(None)


def run(code, namespace):
    """One example as in a notebook, where `await` may stand outside of a function."""
    compiled = compile(code, "README.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    waiting = eval(compiled, namespace)  # noqa: S307 - our own page
    if waiting is not None:
        asyncio.run(finished(waiting, namespace))


async def finished(waiting, namespace):
    """Run an example, then close the databases in RAM that LlamaIndex's own memories leave to the garbage collector."""
    await waiting
    for store in [value.sql_store for value in namespace.values() if type(value) is Memory]:
        await store._async_engine.dispose()


def test_the_examples_print_what_they_say(namespace, recwarn):
    """Run in order in one namespace, as a reader would type them.

    LangChain announces the end of the classic classes that two of the examples are about, whatever filter is set, and
    LlamaIndex's agents use what pydantic calls deprecated; nothing else may warn.
    """
    ran = 0
    for code, expected in examples():
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            run(code, namespace)
        if expected is not None:
            assert expected == printed.getvalue(), code
        ran += 1
    assert ran >= 20
    ours = [warning for warning in recwarn if not issubclass(warning.category, FRAMEWORKS_OWN)]
    assert [] == [str(warning.message) for warning in ours]


def test_every_host_of_openais_protocol_is_reached(namespace, providers):
    """The example for one of them, with the `base_url` of each, which leads to a server that speaks the protocol."""
    hosts = re.findall(r"^\| [^|]+ \| `(https?://[^`]+)` \|$", README, re.MULTILINE)
    ((example, _),) = [one for one in examples() if '"https://api.deepseek.com"' in one[0]]
    imports = "from openai import OpenAI\nfrom streetai_core.adapters.openai import with_memory\n"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for host in hosts:
            run(imports + example.replace("https://api.deepseek.com", host), namespace)
    assert ["I do not know."] * 6 == printed.getvalue().splitlines()
    asked = [name for name, wire in providers.items() for _ in wire.received]
    urls = [urlsplit(host) for host in hosts]
    assert asked == [f"{url.hostname}:{url.port or 443}{url.path}/chat/completions" for url in urls]


def test_the_measurements_run(tmp_path, monkeypatch):
    """Each command of "Measure it yourself", on the file shown there, with options that only make it quick."""
    monkeypatch.chdir(tmp_path)
    (data,) = (text for language, text in BLOCK.findall(README) if language == "json")
    Path("chats.json").write_text(data, encoding="utf-8")
    measuring = README[README.index("## Measure it yourself") :]
    (shown,) = (text for language, text in BLOCK.findall(measuring) if language == "sh")
    commands = [shlex.split(line) for line in shown.splitlines()]
    assert set(main.commands["bench"].commands) == {words[2] for words in commands}
    for words in commands:
        quick = ["--encoder", "hashing", *QUICK.get(words[2], ["--embeddings", "embeddings"])]
        done = CliRunner().invoke(main, [*words[1:], *quick])
        assert (0, words[0]) == (done.exit_code, "streetai"), done.output
        assert (Path("streetai-bench") / f"{words[2]}.json").is_file()


def test_the_install_commands_are_the_ones_the_checks_run():
    """The check script types the README's two commands."""
    commands = [text.strip() for language, text in BLOCK.findall(README) if language == "bash"]
    assert 'pip install -e ".[offline,langchain]" && streetai demo' in commands
    assert 'pip install -e ".[dev]" && python -m pytest -n 2 --dist loadfile' in commands
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for part in (part.strip() for command in commands for part in command.split("&&")):
        assert part.removeprefix("pip install ") in script


@pytest.mark.parametrize("path", re.findall(r"\]\(((?!https?:)[^)#]+)\)", README))
def test_links_lead_somewhere(path):
    """Links to files of the repository."""
    assert (ROOT / path).exists()
