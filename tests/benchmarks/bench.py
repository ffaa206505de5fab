"""Keeps what `streetai bench absence` or `learning` found: `python -m tests.benchmarks.bench KIND FOLDER VARIANT`.

KIND is the command, FOLDER is what it wrote (its `--out`), VARIANT names the results. Kept are the figures and what
made them, not the rows of single questions.
"""

import json
import sys
from pathlib import Path

from tests.benchmarks.recording import record

KEPT = ("command", "data", "encoder", "git", "turns", "all", "credit", "drift")
"""What of a report is kept, where it is there."""


def main(kind, folder, variant):
    """Read and record."""
    found = json.loads((Path(folder) / f"{kind}.json").read_text(encoding="utf-8"))
    record("bench", {key: found[key] for key in KEPT if key in found}, f"{kind}_{variant}")


if __name__ == "__main__":
    main(*sys.argv[1:])
