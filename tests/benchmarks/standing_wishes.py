"""Wishes for all that is to come, told once: `python -m tests.benchmarks.standing_wishes FILE`.

Each of a hundred wishes ("aisle seats, always") has a later request that it bears on and that does not repeat it; 47
of these share no word with it. They are told first, by the user, and 10,000 messages of other people's talk from FILE
follow (the shape of `streetai bench`). Counted is how many are in a prompt of 500 tokens for their request, with the
rule that finds wishes and without it: ten wishes in a memory, and fifty. A language model wrote them that had not seen
the rule. Every other one was seen when its forms were extended; the others, `unseen`, were not.
"""

import json
import sys

from streetai_core import Config
from streetai_core.encoders import default_encoder
from streetai_core.evaluation.embedding_cache import DiskCachedEncoder, default_folder
from streetai_core.recall import evidence
from tests.benchmarks.old_facts import BUDGET, DATA, TALK, found
from tests.benchmarks.recording import record

WISHES = DATA / "standing_wishes.jsonl"
PER_MEMORY = (10, 50)


def wishes():
    """(request, wish), in the order of the file."""
    rows = [json.loads(line) for line in WISHES.read_text(encoding="utf-8").splitlines()]
    return [(row["request"], row["wish"]) for row in rows if row["kind"] == "wish"]


def main(path):
    """Measure and record."""
    local = DiskCachedEncoder(default_encoder(), default_folder())
    variants = {"without": (Config(), {"WISH": 0.0}), "with": (Config(), {"WISH": evidence.WISH})}
    figures = {"messages_of_other_talk": TALK, "token_budget": BUDGET}
    for name, told in (("seen", wishes()[::2]), ("unseen", wishes()[1::2])):
        for number in PER_MEMORY:
            of = found(told, path, local, variants, memories=len(told) // number)
            figures[f"{name}_{number}_a_memory"] = {"wishes": len(told), **of}
    record("standing_wishes", figures)


if __name__ == "__main__":
    main(sys.argv[1])
