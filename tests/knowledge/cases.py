"""Written conversations in which a fact changes, and what the rules make of them."""

import json
import random
from dataclasses import dataclass
from pathlib import Path

from streetai_core import NewMessage
from streetai_core.knowledge.changes import link
from streetai_core.knowledge.referring import corrected
from streetai_core.knowledge.statements import Statement

DATA = Path(__file__).parent / "data"
MOST_CANDIDATES = 20


@dataclass(frozen=True)
class Outcome:
    """What was linked in one conversation."""

    case: dict
    found: bool
    """Whether every old value is linked from the current one, directly or through the values between."""
    wrong: list[tuple[str, str]]
    """Links that are none: (newer text, older text)."""


def load(name):
    """The cases of a file."""
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def of_kind(name, kind):
    """The cases of a file whose ids begin so."""
    return [case for case in load(name) if case["id"].startswith(kind)]


def tell(memory, case):
    """Tell a memory the conversation of a case."""
    memory.add_messages(
        [
            NewMessage(content=one["text"], role=one["role"], name=one["author"], message_id=str(place))
            for place, one in enumerate(case["messages"])
        ]
    )


def recalled(memory, case):
    """The places of the messages of a case that a memory, which was told them, recalls for its question, best first."""
    hits = memory.retrieve(case["question"], limit=50)
    return list(dict.fromkeys(int(hit.signal.parent_turn_id) for hit in hits))


def stands_above(case, order):
    """Whether the current value is recalled, above every old one that is."""
    return case["current"] in order and not set(order[: order.index(case["current"])]) & set(case["old"])


def amid_small_talk(cases):
    """The cases with each of the user's statements between two sentences about something else."""
    talk = (DATA / "small_talk.txt").read_text(encoding="utf-8").splitlines()
    chosen = random.Random(7)

    def longer(message):
        if message["role"] != "user":
            return message
        before, after = chosen.sample(talk, 2)
        return {**message, "text": f"{before} {message['text'].rstrip()} {after}"}

    return [{**case, "messages": [longer(message) for message in case["messages"]]} for case in cases]


ASKED = (
    ", can you help me with that?",
    ", what should I do next?",
    ", so how do I tell them?",
    ", any ideas?",
    " and which one would you take?",
)


def asking(cases):
    """The cases with a question at the end of each of the user's statements, in the same sentence."""

    def longer(number, message):
        text = message["text"].rstrip()
        if message["role"] != "user" or text.endswith(("?", "!")):
            return message
        return {**message, "text": text.removesuffix(".") + ASKED[number % len(ASKED)]}

    return [
        {**case, "messages": [longer(start + place, message) for place, message in enumerate(case["messages"])]}
        for start, case in enumerate(cases)
    ]


def vectors(encoder, cases):
    """Text -> unit vector, of everything said in the cases; short texts first, as batches are padded."""
    texts = sorted({message["text"] for case in cases for message in case["messages"]}, key=len)
    return dict(zip(texts, encoder.encode(texts), strict=True))


def replay(case, vector_of):
    """Tell the conversation message by message, linking each with those before it, as a memory does at write time."""
    messages = case["messages"]
    statements = [Statement(message["text"], message["role"], message["author"]) for message in messages]
    edges = set()
    for newer, message in enumerate(messages):
        similarity = {
            older: float(vector_of[message["text"]] @ vector_of[messages[older]["text"]]) for older in range(newer)
        }
        nearest = sorted(similarity, key=lambda older: -similarity[older])[:MOST_CANDIDATES]
        candidates = [(statements[older], similarity[older]) for older in nearest]
        links = link(statements[newer], candidates) or corrected(statements[newer], candidates)
        edges |= {(newer, nearest[index]) for index, _ in links}
    chain = [*case["old"], case["current"]]
    right = {(later, before) for place, later in enumerate(chain) for before in (*chain[:place], *case["kept"])}
    reached, frontier = set(), {case["current"]}
    while frontier:
        frontier = {older for newer, older in edges if newer in frontier} - reached
        reached |= frontier
    return Outcome(
        case=case,
        found=reached >= set(case["old"]),
        wrong=[(messages[newer]["text"], messages[older]["text"]) for newer, older in sorted(edges - right)],
    )
