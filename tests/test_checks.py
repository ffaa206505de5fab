"""The static checks, so that one command runs everything."""

import re
import subprocess
import sys
import tokenize
from pathlib import Path

import numpy as np
import pytest
from packaging.version import Version

ROOT = Path(__file__).parent.parent
CODE = sorted(path for folder in ("streetai_*", "tests", "notebooks") for path in ROOT.glob(f"{folder}/**/*.py"))

TYPED = Version("2.3")
"""Of NumPy. Python 3.10 has an older one, whose type file takes arrays of one dimension for others."""

EXCEPTION = re.compile(r"#\s*(ruff:\s*)?(noqa|type:\s*ignore)", re.IGNORECASE)
WITH_REASON = re.compile(
    r"(# (ruff: )?noqa: [A-Z]+\d+(, [A-Z]+\d+)* - |# type: ignore\[[a-z-]+(, [a-z-]+)*\] +# )\S+ \S+"
)
"""The rules that are set aside by name, and at least two words on why."""


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["mypy"],
        ["mypy", "tests/langchain_plugin/typed_app.py"],
        ["importlinter.cli", "lint"],
    ],
    ids=["lint", "format", "types", "types of an app", "layers"],
)
def test_static_checks_are_clean(command):
    """Lint rules, formatting, strict types, and imports that only go downwards."""
    if command[0] == "mypy" and Version(np.__version__) < TYPED:
        pytest.skip(f"types are checked with NumPy {TYPED} or newer, whose type file knows shapes")
    runner = [sys.executable, "-m", *command]
    if command[0] == "importlinter.cli":
        # import-linter has no module to run with -m.
        runner = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    done = subprocess.run(runner, cwd=ROOT, capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stdout + done.stderr


def test_every_exception_to_a_rule_says_why():
    """Also the rules that are set aside for whole files."""
    found = []
    for path in CODE:
        with path.open("rb") as source:
            comments = [token for token in tokenize.tokenize(source.readline) if token.type == tokenize.COMMENT]
        found += [
            f"{path.relative_to(ROOT)}:{token.start[0]}: {token.string}"
            for token in comments
            if EXCEPTION.search(token.string) and not WITH_REASON.match(token.string)
        ]
    lint = (ROOT / "pyproject.toml").read_text(encoding="utf-8").partition("[tool.ruff.lint]")[2]
    rules = lint.partition("[tool.ruff.lint.pydocstyle]")[0].splitlines()
    found += [line for line in rules if re.search(r'"[A-Z]+\d+"', line) and not re.search(r"# \S+ \S+", line)]
    assert [] == found
    assert len(CODE) > 600
