"""Messages of ten megabytes: stored whole, cut by a stated rule, and in memory that grows with their size only."""

import subprocess
import sys
from pathlib import Path

import pytest

from streetai_core import Config, MemoryRegistry
from streetai_core.encoders.hashing import HashingEncoder

SIZE = 10_000_000

LARGEST_FACTOR = 12
"""Memory for the size of a text; more would mean that something holds each character, or each word, as an object."""

TEXTS = {
    "one word": '"x" * 10_000_000',
    "a hundred thousand sentences": '"".join(f"Sentence number {n:06} tells of a berth, a boat, a mast, a tide, '
    'a cook and of a dog on board. " for n in range(110_000))',
    "no spaces": '"\\u65e5\\u672c\\u8a9e" * 1_120_000',
}

CODE = """
import re, sys
from pathlib import Path
from streetai_core import Config, MemoryRegistry
from streetai_core.encoders.hashing import HashingEncoder
def most():
    return 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
with MemoryRegistry(sys.argv[1], encoder=HashingEncoder(dim=8), durability="fast") as registry:
    memory = registry.get("m")
    memory.add_message("The first message loads all that is loaded once.", "user")
    before = most()
    text = {text}
    size = len(text.encode())
    signals = memory.add_message(text, "user")
    grown = most() - before
    print(size, len(signals) <= Config().max_chunks, memory.messages()[1].content == text, grown / size)
"""


@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="this system does not tell a process' memory; run it on Linux"
)
@pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))
def test_ten_megabytes_are_stored_in_little_memory(tmp_path, text):
    """Whole; at most `max_chunks` pieces of it can be found; and its work takes memory in proportion."""
    done = subprocess.run(
        [sys.executable, "-c", CODE.replace("{text}", text), tmp_path / "m.db"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    size, capped, whole, factor = done.stdout.split()
    print(f"{size} bytes, {factor} times as much memory")  # noqa: T201 - belongs into the report of a failing run
    assert int(size) >= SIZE
    assert (capped, whole) == ("True", "True")
    assert float(factor) < LARGEST_FACTOR


@pytest.mark.parametrize(
    ("config", "most"), [(Config(), 32), (Config(max_tool_chunks=5), 5), (Config(max_chunks=3), 3)]
)
def test_of_a_long_tool_result_the_first_chunks_are_embedded(tmp_path, config, most):
    """If it fails, an agent that reads a web page answers seconds later: each piece of it is embedded first."""
    text = "".join(f"Row {n} of the table names harbour {n} and its depth. " for n in range(2_000))
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(), config=config) as registry:
        memory = registry.get("m")
        assert len(memory.add_message(text, "tool")) == most
        assert len(memory.add_message(text, "assistant")) >= min(config.max_chunks, 200)
        assert [message.content for message in memory.messages()] == [text, text]
