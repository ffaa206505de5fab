"""Ctrl-C in the middle of an import: what is stored stays, and the same command goes on."""

import json
import os
import signal
import sys

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from tests.cli.memories import line_file

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no process groups to signal")

MESSAGES = 3000
"""Enough that the import is still going when its first batch is seen."""


def test_an_interrupted_import_goes_on(streetai, invoke, tmp_path):
    """Exit code 130 and two quiet lines; afterwards every message is stored once and in order."""
    lines = [{"role": "user", "content": f"This is what was said as number {number}."} for number in range(MESSAGES)]
    line_file(tmp_path / "many.jsonl", *lines)
    command = ["import", "m.db", "many.jsonl", "--memory", "mara", "--encoder", "hashing"]
    with (
        MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(384)) as registry,
        streetai.start(*command) as process,
    ):
        while not registry.get("mara").messages(last=1) and process.poll() is None:
            pass
        os.killpg(process.pid, signal.SIGINT)
        told = (
            "\nInterrupted. What was imported stays, and the same command goes on from there; a memory that "
            "`streetai export` wrote is imported whole or not at all.\n"
        )
        assert told == process.stderr.read()
        assert "" == process.stdout.read()
    assert 130 == process.returncode
    done = json.loads(invoke(*command, "--json").stdout)
    assert done["added"] > 0
    assert done["known"] > 0
    assert MESSAGES == done["added"] + done["known"]
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(384)) as registry:
        assert [line["content"] for line in lines] == [one.content for one in registry.get("mara").messages()]
