"""Many chats on one event loop: `python -m tests.benchmarks.concurrent_chats [RUNS]`.

Each chat has a memory of its own and takes turns: a prompt is built, a reply comes, both are stored and learned from.
All texts are new to the encoder, as in life. The encoder's own limit is the same texts through the same encoder on the
same number of threads, with nothing else; throughput is given as its share. A watcher on the loop measures how late it
is woken: the longest time for which the loop was blocked, whoever blocked it. Of several runs, the encoder alone and
all together in turn, the median counts. On a machine that does other things too, look at the shares by CPU time: they
are what throughput would be if nothing ever waited.

All chats begin in the same step of the loop, which is busy with that alone for some milliseconds; so the longest block
after the first fifth of a second is given too. Python's collector holds up every thread while it looks at all objects
of a process, most of which are modules: its longest pause is given beside the blocks, and the second run of each is
with `gc.freeze()`, as a server calls it when all is loaded.
"""

import asyncio
import gc
import random
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders import default_encoder
from streetai_core.workers import usable_processors
from tests.benchmarks.recording import record

RUNS = 3
CHATS = 200
TURNS = 3
BEGINNING = 0.2
"""Seconds in which all chats have begun."""
WATCH = 0.004
"""Seconds between two looks of the watcher, each of which takes some of the time that is measured."""
WORDS = "boat berth harbour tide mast rope sail anchor keel cabin lamp chart pilot crew storm quay ferry island".split()  # noqa: SIM905 - reads better


def said(chat, turn, side):
    """A text that no other turn has."""
    chosen = random.Random(f"{chat} {turn} {side}")
    return " ".join(chosen.choices(WORDS, k=15)) + f" {chat} {turn}"


def question(chat, turn):
    """What a user asks."""
    return f"What about the {said(chat, turn, 'question')}?"


def texts():
    """All texts of all chats, each chat's turn together."""
    return [[question(chat, turn), said(chat, turn, "reply")] for turn in range(TURNS) for chat in range(CHATS)]


def clocks():
    """Wall and CPU time of the process, in seconds, shape (2,)."""
    return np.array([time.perf_counter(), time.process_time()])


def alone(encoder):
    """What the encoder takes for all texts, one at a time on each processor."""
    with ThreadPoolExecutor(usable_processors()) as pool:
        start = clocks()
        list(pool.map(lambda pair: [encoder.encode([text], "query") for text in pair], texts()))
        return clocks() - start


async def one_chat(memory, chat):
    """One user's turns."""
    for turn in range(TURNS):
        prompt = await memory.abuild_prompt(question(chat, turn), token_budget=800)
        reply = said(chat, turn, "reply")
        await memory.arecord_turn(
            f"{chat}/{turn}",
            [NewMessage(content=question(chat, turn), role="user"), NewMessage(content=reply, role="assistant")],
            retrieved=prompt.retrieved,
            reply=reply,
        )


async def watched(done):
    """The longest that the loop was late, in seconds: from the beginning on, and after it; shape (2,)."""
    longest, began = np.zeros(2), time.perf_counter()
    while not done.is_set():
        start = time.perf_counter()
        await asyncio.sleep(WATCH)
        late = time.perf_counter() - start - WATCH
        longest = np.maximum(longest, [late, late * (start - began > BEGINNING)])
    return longest


@contextmanager
def pauses():
    """How long each collection of Python's took, in seconds; filled while the context is open."""
    found, began = [], [0.0]

    def note(phase, _):
        if phase == "start":
            began[0] = time.perf_counter()
        else:
            found.append(time.perf_counter() - began[0])

    gc.callbacks.append(note)
    try:
        yield found
    finally:
        gc.callbacks.remove(note)


async def together(registry):
    """What all chats take at the same time, and the longest blocks of the loop."""
    done = asyncio.Event()
    watching = asyncio.create_task(watched(done))
    start = clocks()
    await asyncio.gather(*(one_chat(registry.get(f"chat {chat}"), chat) for chat in range(CHATS)))
    took = clocks() - start
    done.set()
    return took, await watching


def chats(encoder):
    """Times of all chats together, and the longest blocks of the loop."""
    with (
        tempfile.TemporaryDirectory() as folder,
        MemoryRegistry(Path(folder) / "memory.db", encoder=encoder) as registry,
    ):
        return asyncio.run(together(registry))


def run(encoder):
    """One run: times of the encoder alone, of all chats, the longest blocks of the loop and the longest collection.

    Last, the longest blocks with a frozen heap.
    """
    limit = alone(encoder)
    with pauses() as collections:
        took, block = chats(encoder)
    gc.collect()
    gc.freeze()
    _, frozen_block = chats(encoder)
    gc.unfreeze()
    return limit, took, block, max(collections, default=0.0), frozen_block


def main(runs=RUNS):
    """Measure and record."""
    encoder = default_encoder()
    encoder.encode(["warm up"], "query")
    measured = zip(*(run(encoder) for _ in range(int(runs))), strict=True)
    limits, took, blocks, collections, frozen_blocks = map(np.array, measured)
    walls, cpus = (limits / took).T
    record(
        "concurrent_chats",
        {
            "chats": CHATS,
            "turns_each": TURNS,
            "turns_a_second": round(CHATS * TURNS / took[:, 0].min(), 1),
            "share_of_encoder_limit": round(float(np.median(walls)), 2),
            "share_by_cpu": round(float(np.median(cpus)), 2),
            "shares_of_runs": walls.round(2).tolist(),
            "shares_of_runs_by_cpu": cpus.round(2).tolist(),
            "longest_loop_block_ms": (1e3 * blocks[:, 0]).round(1).tolist(),
            "longest_loop_block_after_the_beginning_ms": (1e3 * blocks[:, 1]).round(1).tolist(),
            "longest_collection_ms": (1e3 * collections).round(1).tolist(),
            "frozen_longest_loop_block_ms": (1e3 * frozen_blocks[:, 0]).round(1).tolist(),
            "frozen_longest_loop_block_after_the_beginning_ms": (1e3 * frozen_blocks[:, 1]).round(1).tolist(),
        },
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
