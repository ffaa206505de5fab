"""Questions that ask for an overview, joined with the kinds of talk they are about.

`python -m tests.benchmarks.overviews FILE` writes FILE, recorded conversations for `streetai bench recall --data FILE`;
`python -m tests.benchmarks.recall` keeps what that found. The evidence of each question stands in many places, and more
of them than a small prompt holds.
"""

import json
import sys
from pathlib import Path

DATA = Path(__file__).parent / "data"


def joined():
    """The conversations of all kinds of talk, each with questions for an overview in place of its own."""
    overviews = json.loads((DATA / "overviews.json").read_text(encoding="utf-8"))
    conversations = []
    for name, questions in overviews["questions"].items():
        kinds = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
        conversations += [{**one, "qa": questions[one["id"]]} for one in kinds["conversations"]]
    return {key: overviews[key] for key in ("name", "source", "licence")} | {"conversations": conversations}


def main(path):
    """Write them."""
    Path(path).write_text(json.dumps(joined(), ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
