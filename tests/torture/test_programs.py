"""Short forms of the torture programs; `python -m streetai_core.testing.torture` has the long ones.

Each has as few rounds as still show what it is about; what a command does without options is the long form.
"""

import os
import re

import pytest

from streetai_core.testing.torture.calls import CALLS
from tests.torture.programs import passed, run

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="writers are forked; run it on Linux or macOS")


@needs_fork
def test_kills_lose_nothing(tmp_path):
    """What was acknowledged is there, what was not is whole or absent; also where the file had just been made."""
    found = passed("kill", "--cycles", 50, "--folder", tmp_path)
    assert (found["lost"], found["torn"], found["cycles"], found["births"]) == (0, 0, 50, 5)


def test_several_processes_write_one_memory_and_many(tmp_path):
    """All is stored, turns are 0 to n-1, a lock that is held is reported; locks taken too late are seen to fail."""
    found = passed("contend", "--processes", 4, "--messages", 60, "--folder", tmp_path)
    assert (found["wanted"], found["stored"], found["refused"]) == (360, 360, len(CALLS))
    assert (found["errors"], found["faults"], found["busy"]) == (0, 0, 0)
    assert found["errors_of_late_locks"] > 0


def test_writes_are_seen_by_another_process(tmp_path):
    """The very next call sees them; what was deleted or reset is not brought back by an old lesson."""
    found = passed("coherence", "--rounds", 150, "--folder", tmp_path)
    assert (found["rounds"], found["stale"], found["resurrected"], found["faults"]) == (150, 0, 0, 0)
    assert found["old_lessons"] == 6


def test_ram_is_what_the_disk_says_after_any_fault(tmp_path):
    """Errors at statements of every call that writes, a failing encoder, interrupts at random moments."""
    found = passed("faults", "--stride", 67, "--moments", 2, "--folder", tmp_path)
    assert (found["ram_is_not_disk"], found["half"], found["wrong_error"], found["stuck"]) == (0, 0, 0, 0)
    assert found["stored_all_the_same"] > 0


def test_nothing_undeclared_comes_back(tmp_path):
    """Hostile texts, changed files and files to import: declared errors, and never another answer."""
    found = passed("fuzz", "--texts", 200, "--files", 60, "--imports", 80, "--folder", tmp_path)
    assert (found["undeclared"], found["wrong"]) == (0, 0)
    assert found["declared_errors"] > 0
    assert 0 < found["refused_imports"] < found["imports"] == 80


def test_a_random_seed_is_printed(tmp_path):
    """So that any run can be repeated."""
    done = run("fuzz", "--texts", 1, "--files", 1, "--imports", 1, "--folder", tmp_path)
    assert re.match(r"fuzz: --seed \d+ --folder ", done.stdout), done.stdout + done.stderr
