"""The plug-ins' tests on the oldest and the newest versions of their hosts: `python -m tests.benchmarks.versions`.

Each combination of `tests.benchmarks.combinations` gets a fresh virtual environment for each Python. `--python PROGRAM`
and `--plugin NAME`, which may be given several times, take the place of all Pythons and all plug-ins. With `--jobs 2`
two environments are at work at a time. What is tested is a copy of the project as it is at the beginning.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import requires
from itertools import product
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.benchmarks.combinations import PLUGINS, PYTHONS
from tests.benchmarks.recording import record

ROOT = Path(__file__).parents[2]

COPIED = ("pyproject.toml", "README.md", "streetai_core", "streetai_langchain", "streetai_llamaindex", "tests")
"""What the tests need of the project."""

IMPORTED = re.compile(r"^(?:from|import) ([\w.]+)", re.MULTILINE)
"""The modules that a file imports when it is imported itself."""

NOT_PASSED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)
"""The names of tests in pytest's summary."""

OFFLINE = 'extra == "offline"'
"""What marks the extra with the model, which the tests need."""

LAST_LINES = 20
"""Of what pip or pytest said, where something other than a test has failed."""


def main():
    """Run every combination on every Python; print a table and record it for each plug-in."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", action="append", help="the program of a Python, such as python3.12")
    parser.add_argument("--plugin", action="append", choices=[plugin.name for plugin in PLUGINS])
    parser.add_argument("--jobs", type=int, default=1, help="how many environments are at work at a time")
    chosen = parser.parse_args()
    pythons = chosen.python or PYTHONS
    if missing := [python for python in pythons if not works(python)]:
        sys.exit(f"there is no {' and no '.join(missing)}; name the Pythons that there are with --python")
    with tempfile.TemporaryDirectory() as folder:
        project = copied(Path(folder))
        plugins = [plugin for plugin in PLUGINS if not chosen.plugin or plugin.name in chosen.plugin]
        outcomes = [passed(plugin, pythons, project, chosen.jobs) for plugin in plugins]
    sys.exit(not all(outcomes))


def copied(folder):
    """A copy of the code and the tests, so that all combinations are tested with the same, however long it takes."""
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


def passed(plugin, pythons, project, jobs):
    """Whether all combinations of a plug-in pass; shown and recorded, also if it is interrupted: it takes long."""
    console, rows = Console(width=160), []  # wide enough for the table, whatever the terminal says
    try:
        with ThreadPoolExecutor(jobs) as pool:
            combinations = [(plugin, one, python, project) for python, one in product(pythons, plugin.combinations)]
            for row in pool.map(tried, *zip(*combinations, strict=True)):
                rows.append(row)
                console.print(row)
    finally:
        console.print(table(plugin, rows))
        record("versions", {"runs": rows}, variant=plugin.name)
    return all(row["passed"] and not row["failed"] for row in rows)


def works(python):
    """Whether a program is there and runs; a version manager has programs that only say that they do not."""
    return shutil.which(python) is not None and not run([python, "--version"]).returncode


def table(plugin, rows):
    """What came out, to look at."""
    columns = ("python", "set", *plugin.shown, "passed", "failed", "skipped")
    shown = Table(*columns)
    for row in rows:
        cells = row | row["versions"]
        shown.add_row(*(str(cells.get(column, "")) for column in columns))
    return shown


def tried(plugin, combination, python, project):
    """One combination on one Python in an environment of its own: its versions, and what passed and failed."""
    row = {"python": "", "set": combination.name, "versions": {}, "passed": 0, "failed": 0, "skipped": 0}
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "bin" / "python")
        packages = [*combination.packages, *plugin.testing, *ours()]
        for command in ([python, "-m", "venv", folder], [program, "-m", "pip", "install", "--quiet", *packages]):
            done = run(command)
            if done.returncode:
                return row | {"python": python_of(python), "failed": 1, "problem": ending(done)}
        listed = run([program, "-m", "pip", "list", "--format=freeze"]).stdout
        versions = dict(line.split("==") for line in listed.splitlines() if "==" in line)
        missing = {name for name in plugin.optional if name not in versions}
        left_out = [path.relative_to(project).as_posix() for path in needing(missing, project, plugin.folder)]
        options = ["-q", "-p", "no:cacheprovider", *combination.options, *(f"--ignore={path}" for path in left_out)]
        done = run([program, "-m", "pytest", f"tests/{plugin.folder}", *options], project)
        row |= {
            "python": python_of(program),
            "versions": {package: versions[package] for package in plugin.shown if package in versions},
            "left_out": left_out,
            "passed": counted("passed", done.stdout),
            "failed": counted("failed", done.stdout) + counted("errors?", done.stdout),
            "skipped": counted("skipped", done.stdout),
            "not_passed": NOT_PASSED.findall(done.stdout),
        }
        if done.returncode and not row["failed"]:
            row |= {"failed": 1, "problem": ending(done)}
        return row


def needing(modules, project, folder):
    """The test files of a folder that import one of these modules, by way of other files of the tests or not."""
    if not modules:
        return []
    files = sorted((project / "tests" / folder).rglob("test_*.py"))
    return [path for path in files if modules & {*roots(path, project, set())}]


def roots(path, project, seen):
    """The first parts of the names of all modules that a file of the tests imports, itself or through other ones."""
    seen.add(path)
    for module in IMPORTED.findall(path.read_text("utf-8")):
        yield module.split(".")[0]
        inner = project.joinpath(*module.split(".")).with_suffix(".py")
        if module.startswith("tests.") and inner.is_file() and inner not in seen:
            yield from roots(inner, project, seen)


def ours():
    """What the library itself depends on, with the bundled model."""
    stated = [line.split(";") for line in requires("streetai")]
    return [name.strip() for name, *marker in stated if not marker or OFFLINE in marker[0].replace("'", '"')]


def python_of(program):
    """The version of a Python."""
    return run([program, "-c", "import platform; print(platform.python_version())"]).stdout.strip()


def counted(what, output):
    """A number of pytest's last line."""
    found = re.search(rf"(\d+) {what}\b", "".join(output.splitlines()[-1:]))
    return int(found[1]) if found else 0


def ending(done):
    """The last lines that a program said, without the folders of the machine."""
    lines = f"{done.stdout}\n{done.stderr}".strip().splitlines()[-LAST_LINES:]
    return [line.replace(tempfile.gettempdir(), "").replace(str(Path.home()), "~") for line in lines]


def run(command, folder=None):
    """Run a program in a folder; what it printed and whether it went well."""
    return subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True)


if __name__ == "__main__":
    main()
