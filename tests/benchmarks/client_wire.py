"""What a wrapped client sends over the wire: `python -m tests.benchmarks.client_wire FILE NUMBER --provider openai`.

FILE is as for `tests.benchmarks.replay`. The first 60 turns of a conversation go through the provider's SDK to a server
on this machine that gives the recorded replies and counts what it receives, three times: through a client with a memory
that is given the new message only; through one that is given the whole history each time; and through the SDK's own
client with the whole history, which is what an app without a memory does. Tokens are estimated from the texts.
"""

import argparse
import json
import tempfile
from contextlib import closing
from pathlib import Path
from statistics import mean

from streetai_core import EstimatedTokens, MemoryRegistry
from tests.adapters.conformance.driving import Sync
from tests.adapters.conformance.matrix import ROWS
from tests.adapters.wire.answers import Answer
from tests.adapters.wire.server import served
from tests.benchmarks.recording import record

TURNS = 60

EVERY = 5
"""Turns from one point of the curve to the next."""

MESSAGE_TOKENS = 4
"""What a chat API adds to each message for its role and borders."""


def turns_of(messages):
    """The turns of a conversation: (what was said since the last reply as one text, the reply)."""
    turns, said = [], []
    for message in messages:
        if message["role"] == "assistant" and said:
            turns.append(("\n\n".join(said), message["text"]))
            said = []
        else:
            said.append(message["text"])
    return turns


def play(row, wire, client, turns, *, whole):
    """The turns through a client; returns the tokens of each request."""
    driver, counter, history, tokens = Sync(), EstimatedTokens(), [], []
    for asked, reply in turns:
        wire.answers.append(Answer(reply))
        items = [*(history if whole else []), ("user", asked)]
        heard = row.say(driver, client, "plain", items)
        if heard.text != reply:
            raise SystemExit(f"a turn went wrong: {heard.text!r}")
        history += [("user", asked), ("assistant", reply)]
        tokens.append(sum(counter.count(text) + MESSAGE_TOKENS for text in wire.last.texts if text))
    return tokens


def figures(ours, resending, without):
    """The curves, and what they come to."""
    quarters = {
        name: [round(mean(one[n * len(one) // 4 : (n + 1) * len(one) // 4])) for n in range(4)]
        for name, one in (("new_message", ours), ("history_resent", resending), ("without_memory", without))
    }
    points = range(EVERY, len(ours) + 1, EVERY)
    return {
        "turns": len(ours),
        "curve": [[number, ours[number - 1], resending[number - 1], without[number - 1]] for number in points],
        "mean_tokens_by_quarter": quarters,
        "last_quarter_over_second": {name: round(means[3] / means[1], 3) for name, means in quarters.items()},
        "tokens_of_all_requests": {
            "new_message": sum(ours),
            "history_resent": sum(resending),
            "without_memory": sum(without),
        },
        "tokens_saved_percent": round(100 * (1 - sum(ours) / sum(without)), 1),
        "requests_above_whole_history": sum(one > other for one, other in zip(ours, without, strict=True)),
    }


def main():
    """Play the conversation, compare."""
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("number", type=int)
    parser.add_argument("--provider", default="openai-chat", help="a row of tests/adapters/conformance/matrix.py")
    given = parser.parse_args()
    row = next((row for row in ROWS if row.name.startswith(given.provider)), None)
    if row is None:
        raise SystemExit(f"there is no row {given.provider}; there are {', '.join(row.name for row in ROWS)}")
    conversation = json.loads(given.file.read_text(encoding="utf-8"))["conversations"][given.number]
    turns = turns_of([one for one in conversation["messages"] if one["text"].strip()])[:TURNS]
    failures = []
    with tempfile.TemporaryDirectory() as folder, served(row.api) as wire:
        with MemoryRegistry(Path(folder) / "memory.db") as registry:
            options = {"asynchronous": False, "registry": registry, "on_error": failures.append}
            with closing(row.client(wire.url, memory_id="new", **options)) as client:
                ours = play(row, wire, client, turns, whole=False)
            with closing(row.client(wire.url, memory_id="resent", **options)) as client:
                resending = play(row, wire, client, turns, whole=True)
            stored = [[one.content for one in registry.get(name).messages()] for name in ("new", "resent")]
        with closing(row.plain_client(wire.url, asynchronous=False)) as client:
            without = play(row, wire, client, turns, whole=True)
    if failures:
        raise SystemExit(f"the memory failed {len(failures)} times, first with {failures[0]!r}")
    said = [text for turn in turns for text in turn]
    record(
        "client_wire",
        {
            "provider": row.name,
            "conversation": conversation["id"],
            "byte_equal": [texts == said for texts in stored],
            **figures(ours, resending, without),
        },
        variant=f"{row.name}_{conversation['id']}",
    )


if __name__ == "__main__":
    main()
