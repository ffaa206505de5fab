"""Runs the torture programs for their tests."""

import importlib.util
import re
import subprocess
import sys

import pytest

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
