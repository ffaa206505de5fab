"""Questions about the kinds of talk as an agent puts them to a search tool, or a person into a search box.

`python -m tests.benchmarks.queries agents|typed FILE` writes FILE, recorded conversations for `streetai bench recall
--data FILE`; `python -m tests.benchmarks.recall` keeps what that found. Each query stands for a question of the
conversation, and has the evidence of that.
"""

import json
import sys
from pathlib import Path

DATA = Path(__file__).parent / "data"


def joined(kind):
    """The conversations of which some questions are there as queries of a kind, with these alone."""
    rewritten = json.loads((DATA / "queries.json").read_text(encoding="utf-8"))
    conversations = []
    for name, queries in rewritten["queries"][kind].items():
        talk = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
        for one in talk["conversations"]:
            asked = queries.get(one["id"], {})
            # Two files may have a conversation of the same id.
            named = {**one, "id": f"{name}-{one['id']}"}
            conversations += [
                {**named, "qa": [{**one["qa"][int(number)], "q": query} for number, query in asked.items()]}
            ] * bool(asked)
    return {key: rewritten[key] for key in ("name", "source", "licence")} | {"conversations": conversations}


def main(kind, path):
    """Write them."""
    Path(path).write_text(json.dumps(joined(kind), ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
