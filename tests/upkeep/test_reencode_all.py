"""Embedding all memories anew: each whole or not at all, and on from where it was interrupted."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders import CachedEncoder, HashingEncoder
from streetai_core.errors import DamagedFileError, EncoderMismatchError
from streetai_core.stores import _sqlite
from streetai_core.upkeep.doctor import examine

ROOT = Path(__file__).parents[2]
NAMES = [f"user-{number}" for number in range(6)]

SCRIPT = """
import sys
from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder

def wait(done, number):
    print(done, flush=True)
    sys.stdin.readline()

with MemoryRegistry(sys.argv[1], encoder=HashingEncoder(32)) as registry:
    registry.reencode_all(progress=wait)
"""


@pytest.fixture
def filled(path):
    """A database with six memories, whose vectors have 64 numbers."""
    with MemoryRegistry(path, encoder=HashingEncoder(64), durability="fast") as registry:
        for name in NAMES:
            registry.get(name).add_messages(
                NewMessage(content=f"Remark {number} of {name} on the berth.", role="user") for number in range(5)
            )
    return path


def encoders(path):
    """Fingerprint of each memory."""
    return [memory.encoder for memory in examine(path).memories]


def test_a_run_that_was_killed_goes_on(filled):
    """What was done is not done again, and no memory is ever half of each."""
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(filled)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    for number in range(1, 4):
        assert process.stdout.readline() == f"{number}\n"
        if number < 3:
            process.stdin.write("go\n")
            process.stdin.flush()
    process.kill()
    process.communicate()
    assert encoders(filled) == ["hashing/1/32"] * 3 + ["hashing/1/64"] * 3
    steps = []
    with MemoryRegistry(filled, encoder=HashingEncoder(32)) as registry:
        with pytest.raises(EncoderMismatchError):
            registry.get(NAMES[5]).retrieve("berth")
        assert registry.reencode_all(progress=lambda done, number: steps.append((done, number))) == NAMES[3:]
        assert steps == [(number, 6) for number in range(1, 7)]
        assert registry.reencode_all() == []
        assert all(len(registry.get(name).retrieve("Remark on the berth", limit=5)) == 5 for name in NAMES)
        assert registry.doctor().healthy


def test_a_memory_that_fails_does_not_keep_the_others(filled):
    """Its error comes at the end."""
    with closing(_sqlite.connect(filled.as_uri(), timeout=5)) as connection, connection:
        connection.execute("UPDATE vectors SET crc = crc + 1 WHERE memory_key = 2 AND signal_key = 3")
    connection.close()
    with (
        MemoryRegistry(filled, encoder=HashingEncoder(32)) as registry,
        pytest.raises(DamagedFileError, match="user-1"),
    ):
        registry.reencode_all()
    assert encoders(filled) == ["hashing/1/32", "hashing/1/64", *["hashing/1/32"] * 4]


async def test_the_twin_does_the_same(filled):
    """On a worker thread."""
    async with MemoryRegistry(filled, encoder=HashingEncoder(32)) as registry:
        assert await registry.areencode_all() == NAMES
        assert await registry.get(NAMES[0]).aencoder_agreement() == pytest.approx(1)


class Renamed(HashingEncoder):
    """Other weights under an old name, as a model server may have them after an update."""

    def embed(self, texts, kind):
        """The vectors of the texts read backwards."""
        return super().embed([text[::-1] for text in texts], kind)


def test_other_weights_of_the_same_name_are_found(filled):
    """The fingerprint is the same; the vector of a text that is stored is not."""
    encoder = CachedEncoder(Renamed(64))
    with MemoryRegistry(filled, encoder=encoder) as registry:
        health = registry.doctor()
        assert health.healthy is False
        assert [one.memory_id for one in health.findings if "other weights" in one.what] == NAMES
        memory = registry.get(NAMES[0])
        assert memory.encoder_agreement() < 0.9
        memory.reencode()
        assert memory.encoder_agreement() == pytest.approx(1)
    with MemoryRegistry(filled, encoder=HashingEncoder(64)) as registry:
        assert registry.get(NAMES[1]).encoder_agreement() == pytest.approx(1)
        assert registry.get("nobody").encoder_agreement() is None
        memory = registry.get("blank")
        memory.add_message("", "user", metadata={"tool_calls": []})
        assert memory.encoder_agreement() is None
