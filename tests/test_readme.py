"""Every example on the pages for users does what it says."""

import ast
import asyncio
import contextlib
import io
import re
import shlex
from collections import defaultdict
from itertools import chain
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
from tests.readme_pages import CLIENTS, COMMANDS, FRONT, MEASURED, PAGES, ROOT, blocks, examples, text_of

PROGRAMMED = [page for page in PAGES if blocks(page, "python")]

FRAMEWORKS_OWN = (LangChainDeprecationWarning, PydanticDeprecationWarning)
"""What LangChain and LlamaIndex warn of themselves."""

QUICK = {"speed": ["--sizes", "20", "--repeats", "2"]}
"""Options of a measurement that has no data; the others get a folder for their embeddings."""


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


def run(code, namespace, page):
    """One example as in a notebook, where `await` may stand outside of a function."""
    compiled = compile(code, page, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    waiting = eval(compiled, namespace)  # noqa: S307 - our own pages
    if waiting is not None:
        asyncio.run(finished(waiting, namespace))


async def finished(waiting, namespace):
    """Run an example, then close the databases in RAM that LlamaIndex's own memories leave to the garbage collector."""
    await waiting
    for store in [value.sql_store for value in namespace.values() if type(value) is Memory]:
        await store._async_engine.dispose()


@pytest.mark.parametrize("page", PROGRAMMED)
def test_the_examples_print_what_they_say(page, namespace, recwarn):
    """Run in order in one namespace for each page, as a reader would type them who has read no other page.

    LangChain announces the end of the classic classes that two of the examples are about, whatever filter is set, and
    LlamaIndex's agents use what pydantic calls deprecated; nothing else may warn.
    """
    ran = 0
    for code, expected in examples(page):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            run(code, namespace, page)
        if expected is not None:
            assert expected == printed.getvalue(), code
        ran += 1
    assert ran == text_of(page).count("\n```python\n")
    ours = [warning for warning in recwarn if not issubclass(warning.category, FRAMEWORKS_OWN)]
    assert [] == [str(warning.message) for warning in ours]


def test_no_example_was_lost():
    """A page whose examples are no longer found would pass without a word."""
    found = list(chain.from_iterable(examples(page) for page in PAGES))
    assert len(found) >= 45
    assert sum(expected is not None for _, expected in found) >= 29


def test_every_block_is_of_a_kind_that_is_tested():
    """Python and what it prints everywhere; all others where a test looks for them."""
    places = defaultdict(set)
    for page in PAGES:
        for language, _ in blocks(page):
            places[language].add(page)
    assert set(PROGRAMMED) == places.pop("python")
    assert set(PROGRAMMED) >= places.pop("")
    # The front page's "sh" installs a package and opens a browser.
    tested = {"bash": {FRONT}, "sh": {FRONT, MEASURED}, "json": {MEASURED}, "jsonl": {COMMANDS}, "console": {COMMANDS}}
    assert tested == places


def test_every_host_of_openais_protocol_is_reached(namespace, providers):
    """The example for one of them, with the `base_url` of each, which leads to a server that speaks the protocol."""
    hosts = re.findall(r"^\| [^|]+ \| `(https?://[^`]+)` \|$", text_of(CLIENTS), re.MULTILINE)
    ((example, _),) = [one for one in examples(CLIENTS) if '"https://api.deepseek.com"' in one[0]]
    imports = "from openai import OpenAI\nfrom streetai_core.adapters.openai import with_memory\n"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for host in hosts:
            run(imports + example.replace("https://api.deepseek.com", host), namespace, CLIENTS)
    assert ["I do not know."] * 6 == printed.getvalue().splitlines()
    asked = [name for name, wire in providers.items() for _ in wire.received]
    urls = [urlsplit(host) for host in hosts]
    assert asked == [f"{url.hostname}:{url.port or 443}{url.path}/chat/completions" for url in urls]


def test_the_measurements_run(tmp_path, monkeypatch):
    """Each command of "Measure it yourself", on the file shown there, with options that only make it quick."""
    monkeypatch.chdir(tmp_path)
    (data,) = blocks(MEASURED, "json")
    Path("chats.json").write_text(data, encoding="utf-8")
    (shown,) = blocks(MEASURED, "sh")
    commands = [shlex.split(line) for line in shown.splitlines()]
    assert set(main.commands["bench"].commands) == {words[2] for words in commands}
    for words in commands:
        quick = ["--encoder", "hashing", *QUICK.get(words[2], ["--embeddings", "embeddings"])]
        done = CliRunner().invoke(main, [*words[1:], *quick])
        assert (0, words[0]) == (done.exit_code, "streetai"), done.output
        assert (Path("streetai-bench") / f"{words[2]}.json").is_file()


def test_the_install_commands_are_the_ones_the_checks_run():
    """The check script types the front page's two commands."""
    commands = [text.strip() for text in blocks(FRONT, "bash")]
    assert 'pip install -e ".[offline,langchain]" && streetai demo' in commands
    assert 'pip install -e ".[dev]" && python -m pytest -n 3 --dist loadfile' in commands
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    for part in (part.strip() for command in commands for part in command.split("&&")):
        assert part.removeprefix("pip install ") in script
