"""A memory of a million messages: `python -m tests.benchmarks.million FOLDER [SIZE]`.

It is filled in FOLDER, if it is not there yet, which takes most of an hour, with made-up messages whose vectors are
made of each text by a formula; their stacks are fewer than those of real talk. Then it is opened in a process of its
own, from its image, on a copy of the file. Times are CPU time of that process without the encoder, medians of 30 calls
but for the opening, which is the first question with all that it reads. `dense` is the search by meaning alone, a part
of the others. Set OMP_NUM_THREADS and OPENBLAS_NUM_THREADS to 1.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from streetai_core import Config, MemoryRegistry
from streetai_core.evaluation.speed_ours import OurMemory
from streetai_core.evaluation.speed_texts import MadeUpTexts
from streetai_core.evaluation.speed_vectors import TopicEncoder
from tests.benchmarks.opening import image_of, megabytes
from tests.benchmarks.question_cost import dense, milliseconds
from tests.benchmarks.recording import record

SIZE = 1_000_000
CALLS = 30
QUESTIONS = 100
"""Asked before RAM is looked at again."""


def fill(folder, size):
    """Store all messages."""
    memory = OurMemory(folder, TopicEncoder(size), Config())
    memory.fill(MadeUpTexts().stored(size))
    memory.close()


def child(path, size):
    """Open, ask, add, and print what it took."""
    size = int(size)
    questions = MadeUpTexts().fresh(QUESTIONS + 1, "million")
    replies = MadeUpTexts().fresh(CALLS + 1, "replies")
    with MemoryRegistry(path, encoder=TopicEncoder(size)) as registry:
        registry.encoder.encode(questions, "query")
        registry.encoder.encode(replies, "document")
        before, start = megabytes(), time.process_time()
        memory = registry.get("speed")
        memory.retrieve(questions[0])
        took = {"open_ms": 1e3 * (time.process_time() - start)}
        took["ram_bytes_a_message"] = (megabytes() - before) * 2**20 / size
        for question in questions[1:]:
            memory.retrieve(question)
        took["ram_bytes_a_message_after_100_questions"] = (megabytes() - before) * 2**20 / size
        calls = {
            "dense_ms": dense(memory),
            "retrieve_ms": memory.retrieve,
            "build_prompt_ms": memory.build_prompt,
        }
        took |= {name: milliseconds(call, questions[:CALLS]) for name, call in calls.items()}
        took["add_ms"] = milliseconds(lambda text: memory.add_message(text, role="user"), replies)
    sys.stdout.write(json.dumps(took))


def main(folder, size=SIZE):
    """Fill, measure and record."""
    path, size = Path(folder) / "memory.db", int(size)
    if not path.is_file():
        fill(path.parent, size)
    with tempfile.TemporaryDirectory() as copies:
        copy = shutil.copy(path, copies)
        shutil.copy(image_of(path), copies)
        command = [sys.executable, "-m", "tests.benchmarks.million", "child", str(copy), str(size)]
        took = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    sizes = {"database": path.stat().st_size, "image": image_of(path).stat().st_size}
    record(
        "million",
        {
            "messages": size,
            **{f"{name}_bytes_a_message": round(bytes_ / size) for name, bytes_ in sizes.items()},
            **{name: round(value, 1) for name, value in took.items()},
        },
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        child(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
