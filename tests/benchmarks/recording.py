"""Where figures go: one JSON file a benchmark, with the command that made it."""

import json
import platform
import subprocess
import sys
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("numpy", "faiss-cpu", "fastembed", "sqlite-utils", "langchain-core")


def record(name, figures, variant=""):
    """Write the figures of one run, and print them; `variant` keeps runs on other data apart."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],  # noqa: S607 - whichever git the developer uses
        capture_output=True,
        text=True,
        check=False,
        cwd=RESULTS,
    ).stdout.strip()
    text = json.dumps(
        {
            "command": f"python -m tests.benchmarks.{name} " + " ".join(map(_public, sys.argv[1:])),
            "after_commit": commit,
            "date": datetime.now(timezone.utc).date().isoformat(),
            "python": platform.python_version(),
            "machine": platform.machine(),
            "versions": {package: version(package) for package in PACKAGES},
            "figures": figures,
        },
        indent=2,
    )
    (RESULTS / f"{name}{variant and '_' + variant}.json").write_text(text + "\n", encoding="utf-8")
    print(text)  # noqa: T201 - a benchmark reports


def _public(argument):
    """An argument without the folders of the machine."""
    return Path(argument).name if "/" in argument else argument
