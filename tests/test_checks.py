"""The static checks, so that one command runs everything."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["mypy"],
        ["importlinter.cli", "lint"],
    ],
    ids=["lint", "format", "types", "layers"],
)
def test_static_checks_are_clean(command):
    """Lint rules, formatting, strict types, and imports that only go downwards."""
    runner = [sys.executable, "-m", *command]
    if command[0] == "importlinter.cli":
        # import-linter has no module to run with -m.
        runner = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    done = subprocess.run(runner, cwd=ROOT, capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stdout + done.stderr
