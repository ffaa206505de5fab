"""Ctrl-C in the middle of the demo: it ends at once, and the next run goes on where it stopped."""

import json
import os
import signal
import sys

import pytest

from streetai_core import MemoryRegistry
from streetai_core.evaluation.conversations import sample_conversation
from tests.cli.conftest import message, objects, write

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no process groups to signal")

EXCHANGES = 14
"""Enough that the run is still going when the third turn is seen."""


ROWS = [message(one.content, one.role) for one in sample_conversation().messages[: 2 * EXCHANGES]]
"""The first exchanges of the sample."""


@pytest.mark.parametrize(
    ("seen", "pace"),
    [(3, 0), (1, 60)],
    ids=["while it works", "while it pauses"],
)
def test_an_interrupted_run_goes_on(streetai, invoke, tmp_path, seen, pace):
    """Exit code 130 and two quiet lines; afterwards every message is stored once, in order, by two runs together."""
    chat = write(tmp_path / "chat.jsonl", ROWS)
    with streetai.start("demo", "--input", chat, "--json", "--pace", pace) as process:
        turns = [json.loads(process.stdout.readline()) for _ in range(seen)]
        os.killpg(process.pid, signal.SIGINT)
        turns += [json.loads(line) for line in process.stdout]
        assert (
            "\nInterrupted. What was played is stored; the same command goes on from there.\n" == process.stderr.read()
        )
    assert 130 == process.returncode
    assert {"turn"} == {turn["kind"] for turn in turns}

    done = invoke("demo", "--input", chat, "--json")
    assert (0, "") == (done.exit_code, done.stderr)
    *rest, summary = objects(done)
    numbers = [turn["turn"] for turn in turns + rest]
    # A turn that was stored and not printed any more when the signal came is not played again.
    assert sorted(set(numbers)) == numbers
    assert len(numbers) in {EXCHANGES - 1, EXCHANGES}
    assert summary["stored_before"] == 2 * (EXCHANGES - len(rest))
    with MemoryRegistry(tmp_path / "streetai-demo-chat.db") as registry:
        assert ROWS == [message(one.content, one.role) for one in registry.get("chat").messages()]
