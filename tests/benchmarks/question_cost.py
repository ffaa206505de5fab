"""What a question costs beside the encoder's own time for it.

`python -m tests.benchmarks.question_cost FILE [SIZE ...]`. FILE has recorded conversations (the shape of
`streetai bench`). Their messages, shuffled word by word where more are needed, fill memories of 1,000 and 10,000
messages, or of the sizes given; vectors come from hashed words, so that filling takes seconds. The encoder's time is
that of the real model for the same questions. CPU time of one process. `dense` is the search by meaning alone, a part
of the others. `retrieve_after_an_add` is a question after each new message, as in a chat; adding it is not counted.

`with_encoder_over_encoder` compares questions one after the other with encoder calls one after the other. In
`right_after_encoding` each question follows the encoder's call for it, as in an app: the weights of the model have just
taken the place of the memory in the processor's caches. Both times are of the same calls then, so that a machine that
is slow for a while is so for both.
"""

import json
import random
import statistics
import sys
import tempfile
import time
from datetime import datetime, timedelta, timezone
from pathlib import Path

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders import default_encoder
from streetai_core.encoders.hashing import HashingEncoder
from tests.benchmarks.recording import record

SIZES = (1_000, 10_000)
QUESTIONS = 100
PER_CONVERSATION = 25
BATCH = 5_000
"""Messages stored at a time."""
START = datetime(2024, 1, 1, tzinfo=timezone.utc)


def messages(conversations, number):
    """So many messages, in conversations of 25."""
    chosen = random.Random(5)
    said = [one for conversation in conversations for one in conversation["messages"] if one["text"].strip()]
    for index in range(number):
        one = said[index % len(said)]
        words = one["text"].split()
        if index >= len(said):
            chosen.shuffle(words)
        yield NewMessage(
            content=" ".join(words),
            role=one["role"],
            name=one["speaker"],
            conversation_id=str(index // PER_CONVERSATION),
            created_at=START + timedelta(minutes=10 * index),
        )


def nothing(_):
    """Done before a question that stands alone."""


def milliseconds(call, questions, before=nothing):
    """Median CPU time of a call; what is called `before` each is not counted."""
    call(questions[0])
    times = []
    for question in questions:
        before(question)
        start = time.process_time()
        call(question)
        times.append(1e3 * (time.process_time() - start))
    return statistics.median(times)


def beside_encoding(call, encode, questions, before=nothing):
    """Median CPU time of a call right after the encoder's for the same question, by that of the encoder."""
    encoding, calling = [], []
    for question in questions:
        before(question)
        times = [time.process_time()]
        for one in (encode, call):
            one(question)
            times.append(time.process_time())
        encoding.append(times[1] - times[0])
        calling.append(times[2] - times[1])
    return statistics.median(calling) / statistics.median(encoding)


def dense(memory):
    """The cosine of a question with every signal, estimated where there are many."""
    columns = memory._coherent.known.columns
    return lambda question: columns.estimates(memory._around.encoder.encode([question], "query")[0])


def main(path, *sizes):
    """Measure and record."""
    conversations = json.loads(Path(path).read_text(encoding="utf-8"))["conversations"]
    asked = [one["q"] for conversation in conversations for one in conversation["qa"]]
    questions = random.Random(6).sample(asked, QUESTIONS)
    encoder = default_encoder()

    def encode(question):
        encoder.encode([question], "query")

    encoding = milliseconds(encode, questions)
    figures = {"encoder_ms": round(encoding, 2)}
    for size in map(int, sizes or SIZES):
        with (
            tempfile.TemporaryDirectory() as folder,
            MemoryRegistry(
                Path(folder) / "memory.db", config=Config(), encoder=HashingEncoder(dim=encoder.dim), durability="fast"
            ) as registry,
        ):
            memory = registry.get("cost")
            every = list(messages(conversations, size + 2 * QUESTIONS))
            for start in range(0, size, BATCH):
                memory.add_messages(every[start : min(start + BATCH, size)])
            more = iter(every[size:])

            def add(_, of=memory, more=more):
                of.add_messages([next(more)])

            # What is embedded of a question is not always the question itself: both are to be known.
            registry.encoder.encode(questions, "query")
            for question in questions:
                memory.retrieve(question, limit=0)
            calls = {
                "dense": (dense(memory), nothing),
                "retrieve": (memory.retrieve, nothing),
                "build_prompt": (memory.build_prompt, nothing),
                "build_prompt_1500": (
                    lambda question, of=memory: of.build_prompt(question, token_budget=1500),
                    nothing,
                ),
                "retrieve_after_an_add": (memory.retrieve, add),
            }
            for name, (call, before) in calls.items():
                cost = milliseconds(call, questions, before)
                figures[f"{name}_{size}"] = {
                    "ms": round(cost, 2),
                    "with_encoder_over_encoder": round((cost + encoding) / encoding, 2),
                    "right_after_encoding": round(1 + beside_encoding(call, encode, questions, before), 2),
                }
    record("question_cost", figures)


if __name__ == "__main__":
    main(*sys.argv[1:])
