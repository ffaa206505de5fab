"""Keeps what `streetai bench recall` found: `python -m tests.benchmarks.recall FOLDER VARIANT`.

FOLDER is what the bench wrote (its `--out`), VARIANT names the results. Kept are the means of each system,
and the differences with their intervals, not the rows of single questions.
"""

import json
import sys
from pathlib import Path

from tests.benchmarks.recording import record

KEPT = ("command", "data", "encoder", "tokens", "git", "missing")


def summary(system):
    """What is kept of one system."""
    return {key: system[key] for key in ("name", "all", "conversations")}


def main(folder, variant):
    """Read and record."""
    found = json.loads((Path(folder) / "recall.json").read_text(encoding="utf-8"))
    figures = {key: found[key] for key in KEPT}
    figures["systems"] = [summary(system) for system in found["systems"]]
    figures["paired"] = found["paired"]
    record("recall", figures, variant)


if __name__ == "__main__":
    main(*sys.argv[1:])
