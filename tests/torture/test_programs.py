"""Short forms of the torture programs; `python -m streetai_core.testing.torture` has the long ones.

Each has as few rounds as still show what it is about; what a command does without options is the long form.
"""

import importlib.util
import os
import re
import subprocess
import sys

import pytest

from streetai_core.testing.torture.calls import CALLS

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="writers are forked; run it on Linux or macOS")
needs_limits = pytest.mark.skipif(
    importlib.util.find_spec("resource") is None, reason="this system has no resource limits; run it on Linux or macOS"
)
needs_apsw = pytest.mark.skipif(
    importlib.util.find_spec("apsw") is None, reason="apsw is not installed; run: pip install 'streetai[torture]'"
)

SEED = "20260301"


def run(*arguments):
    """Run a program in a process of its own (some fork, so no other thread may run)."""
    command = [sys.executable, "-m", "streetai_core.testing.torture", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def passed(*arguments):
    """Run a program that must pass; returns the numbers of its summary."""
    done = run(*arguments, "--seed", SEED)
    print(done.stdout)  # noqa: T201 - seed and counts belong into the report of a failing run
    assert done.returncode == 0, done.stdout + done.stderr
    return {name: int(number) for name, number in re.findall(r"(\w+)=(\d+)", done.stdout)}


@needs_fork
def test_kills_lose_nothing(tmp_path):
    """What was acknowledged is there, what was not is whole or absent; also where the file had just been made."""
    found = passed("kill", "--cycles", 50, "--folder", tmp_path)
    assert (found["lost"], found["torn"], found["cycles"], found["births"]) == (0, 0, 50, 5)


@needs_apsw
def test_power_failures_lose_nothing(tmp_path):
    """With full durability nothing is lost, with fast a tail at most; without syncing the images are torn."""
    found = passed("power", "--images", 80, "--controls", 20, "--operations", 50, "--folder", tmp_path)
    assert found["copies_of_log"] > 10
    assert (found["lost"], found["torn"], found["torn_fast"]) == (0, 0, 0)
    assert found["off_images_torn"] > 0
    assert found["fast_images_without_tail"] > 0


@needs_apsw
def test_a_run_that_shows_nothing_has_not_passed(tmp_path):
    """If the only image without syncing is an empty disk, nothing was seen to be torn: exit code 1, files kept."""
    few = ("--images", 1, "--controls", 1, "--operations", 5)
    done = run("power", *few, "--seed", SEED, "--folder", tmp_path)
    assert done.returncode == 1
    assert "shows nothing: no image was torn without syncing either" in done.stdout
    assert f"the files are kept in {tmp_path}" in done.stdout


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


@needs_apsw
def test_a_failing_disk_leaves_the_memory_whole(tmp_path):
    """Also where COMMIT raises and its write is found all the same."""
    found = passed("disk", "--stride", 140, "--syncs", 2, "--folder", tmp_path)
    assert (found["ram_is_not_disk"], found["half"], found["wrong_error"]) == (0, 0, 0)
    assert (found["stuck"], found["damaged"]) == (0, 0)


@needs_limits
def test_a_full_disk_is_recovered_from(tmp_path):
    """A typed error, reading goes on, and writing on the same handle when there is space."""
    found = passed("full", "--points", 10, "--folder", tmp_path)
    assert (found["lost"], found["half"], found["wrong_error"], found["stuck"]) == (0, 0, 0, 0)
    assert found["refused"] == found["points"] >= 10


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
