"""Questions about the kinds of talk as an agent puts them to a search tool, or a person into a search box.

`python -m tests.benchmarks.queries agents|typed FILE` writes FILE, recorded conversations for `streetai bench recall
--data FILE`; `python -m tests.benchmarks.recall` keeps what that found. Each query stands for a question of the
conversation, and has the evidence of that.
"""

import argparse
import json
from pathlib import Path

DATA = Path(__file__).parent / "data"
KINDS = ("agents", "typed")


def joined(kind):
    """The conversations of which some questions are there as queries of a kind, with these alone."""
    rewritten = json.loads((DATA / "queries.json").read_text(encoding="utf-8"))
    conversations = []
    for name, queries in rewritten["queries"][kind].items():
        talk = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
        for one in talk["conversations"]:
            asked = queries.get(one["id"], {})
            questions = [{**one["qa"][int(number)], "q": query} for number, query in asked.items()]
            if questions:
                # Two files may have a conversation of the same id.
                conversations.append({**one, "id": f"{name}-{one['id']}", "qa": questions})
    return {key: rewritten[key] for key in ("name", "source", "licence")} | {"conversations": conversations}


def main(kind, path):
    """Write them."""
    Path(path).write_text(json.dumps(joined(kind), ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("path", metavar="FILE")
    main(**vars(parser.parse_args()))
