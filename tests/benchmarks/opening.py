"""What opening a memory and its first answer cost, from its image and from its rows, and the RAM that it takes.

`python -m tests.benchmarks.opening [SIZE ...]`. Memories of 10,000 and 100,000 made-up messages, or of the sizes given,
with vectors made of each text by a formula; each opening is a process of its own, with a copy of the file. CPU and RAM
begin when everything is imported and the questions have their vectors. An opening from rows makes an image for the next
one, which is part of what it costs. `turn` is a prompt, and both messages of the turn stored with what was learned.
Set OMP_NUM_THREADS and OPENBLAS_NUM_THREADS to 1.
"""

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.evaluation.speed_texts import MadeUpTexts
from streetai_core.evaluation.speed_vectors import TopicEncoder
from tests.benchmarks.recording import record

SIZES = (10_000, 100_000)
TIMES = 5
QUESTIONS = 100
BATCH = 2_000
VERBS = ("retrieve", "build_prompt", "turn")


def megabytes():
    """RAM of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


def child(path, size, verb):
    """Open, answer, and print what it took."""
    encoder = TopicEncoder(int(size))
    questions = MadeUpTexts().fresh(QUESTIONS + 1, f"opening {size}")
    with MemoryRegistry(path, encoder=encoder) as registry:
        registry.encoder.encode(questions, "query")
        before, start = megabytes(), time.process_time()
        memory = registry.get("opening")
        if verb == "turn":
            turn(memory, questions[0])
        else:
            getattr(memory, verb)(questions[0])
        took = {"cpu_ms": 1e3 * (time.process_time() - start), "ram_mb": megabytes() - before}
        for question in questions[1:]:
            memory.retrieve(question)
        sys.stdout.write(json.dumps(took | {"ram_after_100_questions_mb": megabytes() - before}))


def turn(memory, question):
    """A prompt, and both messages stored, with what was learned."""
    retrieved = memory.build_prompt(question).retrieved
    reply = retrieved[0].signal.content
    messages = [NewMessage(content=question, role="user"), NewMessage(content=reply, role="assistant")]
    memory.record_turn("turn", messages, retrieved=retrieved, reply=reply)


def measured(path, size, verb, *, by_image):
    """The medians of what several processes print; each has a copy of the file."""
    runs = []
    for _ in range(TIMES):
        with tempfile.TemporaryDirectory() as folder:
            copy = shutil.copy(path, folder)
            if by_image:
                shutil.copy(image_of(path), folder)
            command = [sys.executable, "-m", "tests.benchmarks.opening", "child", str(copy), str(size), verb]
            runs.append(json.loads(subprocess.run(command, check=True, capture_output=True).stdout))
    return {name: round(statistics.median(run[name] for run in runs), 1) for name in runs[0]}


def image_of(path):
    """Where the image of the only memory is."""
    return path.with_name(f"{path.name}-image-1")


def main(*sizes):
    """Fill, measure and record."""
    figures = {}
    for size in map(int, sizes or SIZES):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "memory.db"
            texts = MadeUpTexts().stored(size)
            with MemoryRegistry(path, encoder=TopicEncoder(size), durability="fast") as registry:
                memory = registry.get("opening")
                for start in range(0, size, BATCH):
                    memory.add_messages(
                        [NewMessage(content=text, role="user") for text in texts[start : start + BATCH]]
                    )
            figures[str(size)] = {
                "database_mb": round(path.stat().st_size / 2**20, 1),
                "image_mb": round(image_of(path).stat().st_size / 2**20, 1),
                "by_image": {verb: measured(path, size, verb, by_image=True) for verb in VERBS},
                "by_rows": {verb: measured(path, size, verb, by_image=False) for verb in VERBS},
            }
    record("opening", figures)


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        child(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
