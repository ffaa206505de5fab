"""What the wrapper of a client costs beside the engine: `python -m tests.benchmarks.client_cost --provider openai`.

A call goes to a server on this machine that answers at once. Compared in one run, call by call in turn: the SDK's own
client; a client with a memory; and the engine alone, asked for the same prompt and given the same turn to store. What
the wrapper costs is what the client with a memory takes more than the other two together. And the time to the first
event of a stream, with and without a memory, against the time to the same event when the engine's recall is added.
Every client and the engine have a memory of their own, all with the same messages. Wall-clock time, the median.
"""

import argparse
import statistics
import tempfile
import time
from contextlib import closing
from pathlib import Path
from uuid import uuid4

from streetai_core import MemoryRegistry, NewMessage
from tests.adapters.conformance.driving import Sync
from tests.adapters.conformance.matrix import ROWS
from tests.adapters.wire.answers import Answer
from tests.adapters.wire.server import served
from tests.benchmarks.recording import record

MESSAGES = 500
ROUNDS = 60
WARM_UP = 5

REPLY = "It lies at berth thirty-one, as you told me in spring. " * 4


def milliseconds(call):
    """How long a call takes."""
    start = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - start)


def engine(memory, question):
    """What the wrapper asks of the engine, without the wrapper."""
    prompt = memory.build_prompt(question)
    said = [NewMessage(content=question, role="user"), NewMessage(content=REPLY, role="assistant")]
    memory.record_turn(uuid4().hex, said, retrieved=prompt.retrieved, reply=REPLY)


def first_event(row, driver, client, question):
    """The time to the first event of a stream, which is then read to its end."""
    start = time.perf_counter()
    events = driver.each(row.open_stream(driver, client, [("user", question)]))
    next(events)
    elapsed = 1000 * (time.perf_counter() - start)
    for _ in events:
        pass
    return elapsed


def main():
    """Measure, compare."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--provider", default="openai-chat", help="a row of tests/adapters/conformance/matrix.py")
    row = next(row for row in ROWS if row.name.startswith(parser.parse_args().provider))
    driver, times = (
        Sync(),
        {name: [] for name in ("plain", "memory", "engine", "first_plain", "first_memory", "recall")},
    )
    with tempfile.TemporaryDirectory() as folder, served(row.api) as wire:
        wire.otherwise = lambda _: Answer(REPLY)
        with MemoryRegistry(Path(folder) / "memory.db") as registry:
            for name in ("client", "engine"):
                registry.get(name).add_messages(
                    NewMessage(content=f"Entry {number}: boat {number} lies at berth {number % 40}.", role="user")
                    for number in range(MESSAGES)
                )
            with (
                closing(row.client(wire.url, asynchronous=False, memory_id="client", registry=registry)) as ours,
                closing(row.plain_client(wire.url, asynchronous=False)) as plain,
            ):
                alone = registry.get("engine")
                for number in range(ROUNDS + WARM_UP):
                    # Each asks something that nobody has embedded yet.
                    questions = [f"At which berth does boat {number} lie, since {who}?" for who in ("May", "June")]
                    items = [("user", questions[0])]
                    times["plain"].append(milliseconds(lambda: row.say(driver, plain, "plain", items)))  # noqa: B023 - called at once
                    times["memory"].append(milliseconds(lambda: row.say(driver, ours, "plain", items)))  # noqa: B023 - as above
                    times["engine"].append(milliseconds(lambda: engine(alone, questions[1])))  # noqa: B023 - as above
                    others = [f"And which boat lies beside boat {number}, {who}?" for who in ("Mara", "Jonas", "Ida")]
                    times["first_plain"].append(first_event(row, driver, plain, others[0]))
                    times["recall"].append(milliseconds(lambda: alone.build_prompt(others[1])))  # noqa: B023 - as above
                    times["first_memory"].append(first_event(row, driver, ours, others[2]))
    median = {name: statistics.median(values[WARM_UP:]) for name, values in times.items()}
    record(
        "client_cost",
        {
            "provider": row.name,
            "messages": MESSAGES,
            "rounds": ROUNDS,
            "median_ms": {name: round(value, 2) for name, value in median.items()},
            "wrapper_ms": round(median["memory"] - median["plain"] - median["engine"], 2),
            "wrapper_over_engine": round((median["memory"] - median["plain"] - median["engine"]) / median["engine"], 3),
            "first_event_with_over_without": round(median["first_memory"] / median["first_plain"], 3),
            "first_event_beyond_recall": round(median["first_memory"] / (median["first_plain"] + median["recall"]), 3),
        },
        variant=row.name,
    )


if __name__ == "__main__":
    main()
