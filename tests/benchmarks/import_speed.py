"""How many messages a second an import stores, without embedding: `python -m tests.benchmarks.import_speed`.

Seconds are those of the processor, so that other work on the machine does not count; waiting for the disk does neither.
"""

import json
import random
import sys
import tempfile
import time
from pathlib import Path

from streetai_core import MemoryRegistry
from streetai_core.encoders.base import Encoder
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.transfer import export_memory, import_file
from tests.benchmarks.recording import record

WORDS = [
    "boat",
    "berth",
    "harbour",
    "sail",
    "water",
    "wind",
    "mast",
    "rope",
    "cook",
    "garden",
    "house",
    "city",
    "train",
    "party",
    "plan",
    "trip",
    "book",
    "film",
    "music",
    "guitar",
    "school",
    "teacher",
    "doctor",
    "coffee",
    "bread",
    "kitchen",
    "window",
    "paint",
    "colour",
    "paper",
    "letter",
    "answer",
    "question",
    "number",
    "price",
    "contract",
    "meeting",
    "report",
    "server",
    "error",
    "file",
    "function",
    "table",
    "query",
    "change",
    "build",
    "test",
    "version",
    "release",
    "customer",
    "order",
    "delivery",
    "we",
    "you",
    "they",
    "it",
    "is",
    "was",
    "will",
    "should",
    "could",
    "has",
    "and",
    "or",
    "but",
    "with",
    "without",
    "for",
    "from",
    "near",
    "before",
    "after",
    "about",
    "because",
]
LONGEST = 60
"""Words of a message; the shortest has 5."""


class Timed(Encoder):
    """Hashed words for vectors, and how long they took, which is left out of the figures."""

    def __init__(self):
        self.seconds = 0.0
        self._inner = HashingEncoder(384)

    @property
    def fingerprint(self):
        """Of what makes the vectors."""
        return self._inner.fingerprint

    @property
    def dim(self):
        """Length of a vector."""
        return self._inner.dim

    def embed(self, texts, kind):
        """Vectors of texts."""
        start = time.process_time()
        vectors = self._inner.embed(texts, kind)
        self.seconds += time.process_time() - start
        return vectors


def chatgpt(count, chance):
    """An export of conversations of twenty messages each, a message a minute."""
    conversations = []
    for first in range(0, count, 20):
        mapping = {}
        for number in range(first, first + 20):
            text = " ".join(chance.choice(WORDS) for _ in range(chance.randint(5, LONGEST))).capitalize() + "."
            mapping[f"n{number}"] = {
                "parent": f"n{number - 1}" if number > first else None,
                "message": {
                    "id": f"n{number}",
                    "author": {"role": "assistant" if number % 2 else "user"},
                    "create_time": 1.7e9 + 60 * number,
                    "content": {"content_type": "text", "parts": [text]},
                },
            }
        conversations.append({"id": f"c{first}", "current_node": f"n{first + 19}", "mapping": mapping})
    return conversations


def measured(registry, encoder, path, memory_id):
    """Seconds of an import but for the encoder's, and what it did."""
    encoder.seconds = 0.0
    start = time.process_time()
    done = import_file(registry, path, memory_id=memory_id)
    return time.process_time() - start - encoder.seconds, done


def main(count=10_000):
    """Import an export of ChatGPT, import it again, export the memory, restore it."""
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        folder, encoder = Path(name), Timed()
        (folder / "conversations.json").write_text(json.dumps(chatgpt(count, chance)), encoding="utf-8")
        with MemoryRegistry(folder / "m.db", encoder=encoder) as registry:
            first, done = measured(registry, encoder, folder / "conversations.json", "a")
            again, known = measured(registry, encoder, folder / "conversations.json", "a")
            start = time.process_time()
            export_memory(registry, "a", folder / "a.jsonl")
            exported = time.process_time() - start
            characters = sum(len(one.content) for one in registry.get("a").messages())
            restored, _ = measured(registry, encoder, folder / "a.jsonl", "b")
    assert (count, count) == (done.added, known.known)
    record(
        "import_speed",
        {
            "messages": count,
            "characters_a_message": round(characters / count),
            "import_per_second": round(count / first),
            "import_again_per_second": round(count / again),
            "export_per_second": round(count / exported),
            "restore_per_second": round(count / restored),
        },
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
