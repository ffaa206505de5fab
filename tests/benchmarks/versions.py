"""The plug-in's tests on the oldest and the newest LangChain: `python -m tests.benchmarks.versions [--python PROGRAM]`.

Each set of versions gets a fresh virtual environment for each `--python`, which may be given several times and is the
running one if left out. What the set does not name is the newest that fits.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from importlib.metadata import requires
from itertools import product
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.benchmarks.recording import record

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests" / "langchain_plugin"

AGENTS = re.compile(r"^from (langchain\.|langgraph|tests\.langchain_plugin\.agents)", re.MULTILINE)
"""What only a test of agents imports."""

SETS = {
    "oldest, chains": ["langchain-core==1.0.0", "langchain-classic==1.0.0"],
    "oldest, agents": ["langchain-core==1.2.10", "langchain==1.2.12", "langchain-classic==1.0.0"],
    "newest": ["langchain-core>=1,<2", "langchain>=1,<2", "langchain-classic>=1,<2"],
}
"""Agents need a newer langchain-core than chains do, so that there are two oldest sets.

Below langchain 1.2.9 `AgentMiddleware` has no third type parameter; 1.2.9 does not import with the langgraph that pip
picks for it, 1.2.10 allows the same ones, and 1.2.11 was not tried.
"""

TESTING = ["langchain-tests>=1.0,<2", "pytest", "pytest-asyncio", "hypothesis"]
"""In any version: each langchain-tests fits only some of pytest and of langchain-core."""

OFFLINE = 'extra == "offline"'
"""What marks the extra with the model, which the tests need."""

OLD_WORDING = ("-W", "ignore::langchain_core._api.deprecation.LangChainDeprecationWarning")
"""The tests expect deprecations of LangChain's own chains in the words of the newest version; older ones differ."""

SHOWN = ("langchain-core", "langchain", "langchain-classic", "langgraph", "langgraph-checkpoint", "pydantic")


def main():
    """Run every set on every Python, print a table, record it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", action="append", help="the program of a Python, such as python3.12")
    pythons = parser.parse_args().python or [sys.executable]
    console = Console(width=160)  # wide enough for the table, whatever the terminal says
    rows = []
    for python, name in product(pythons, SETS):
        rows.append(tried(name, python))
        console.print(rows[-1])
    columns = ("python", "set", *SHOWN, "passed", "failed")
    table = Table(*columns)
    for row in rows:
        cells = row | row["versions"]
        table.add_row(*(str(cells.get(column, "")) for column in columns))
    console.print(table)
    record("versions", {"runs": rows})
    sys.exit(any(row["failed"] or not row["passed"] for row in rows))


def tried(name, python):
    """One set on one Python in an environment of its own: its versions, and how many tests passed and failed."""
    with tempfile.TemporaryDirectory() as folder:
        run([python, "-m", "venv", folder])
        program = str(Path(folder) / "bin" / "python")
        run([program, "-m", "pip", "install", "--quiet", *SETS[name], *ours(), *TESTING])
        listed = run([program, "-m", "pip", "list", "--format=freeze"]).stdout
        versions = dict(line.split("==") for line in listed.splitlines() if "==" in line)
        options = ["-q", "-p", "no:cacheprovider", *(OLD_WORDING if name != "newest" else ())]
        if "langchain" not in versions:
            options += [
                f"--ignore={path}" for path in TESTS.glob("test_*.py") if AGENTS.search(path.read_text("utf-8"))
            ]
        output = run([program, "-m", "pytest", str(TESTS), *options], check=False).stdout
        return {
            "python": run([program, "-c", "import platform; print(platform.python_version())"]).stdout.strip(),
            "set": name,
            "versions": {package: versions[package] for package in SHOWN if package in versions},
            "passed": counted("passed", output),
            "failed": counted("failed", output) + counted("errors?", output),
            "not_passed": re.findall(r"^(?:FAILED|ERROR) (\S+)", output, re.MULTILINE),
        }


def ours():
    """What the library itself depends on, with the bundled model."""
    stated = [line.split(";") for line in requires("streetai")]
    return [name.strip() for name, *marker in stated if not marker or OFFLINE in marker[0].replace("'", '"')]


def counted(what, output):
    """A number of pytest's last line."""
    found = re.search(rf"(\d+) {what}\b", "".join(output.splitlines()[-1:]))
    return int(found[1]) if found else 0


def run(command, *, check=True):
    """Run a program in the project's folder; what it printed."""
    return subprocess.run(command, check=check, cwd=ROOT, stdout=subprocess.PIPE, text=True)


if __name__ == "__main__":
    main()
