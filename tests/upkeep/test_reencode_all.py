"""Embedding all memories anew: each whole or not at all, and on from where it was interrupted."""

import subprocess
import sys
from collections import Counter
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Thread

import pytest

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders import CachedEncoder, HashingEncoder
from streetai_core.errors import DamagedFileError, EncoderError, EncoderMismatchError, RefusedTextsError
from streetai_core.stores import _sqlite
from streetai_core.stores.types import MessageQuery
from streetai_core.upkeep.doctor import examine
from tests.encoders.failing import Unsteady

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


class Asked(HashingEncoder):
    """One whose fingerprint takes long, as that of a framework's model that has to embed something to tell."""

    def __init__(self):
        super().__init__(64)
        self.memory = None
        self.waited = []

    @property
    def fingerprint(self):
        """The same as always; meanwhile somebody else looks into the memory."""
        if self.memory is not None:
            other = Thread(target=self.memory.stats)
            other.start()
            other.join(timeout=5)
            self.waited.append(other.is_alive())
        return super().fingerprint


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


def test_what_an_outage_left_is_embedded_too(path):
    """A memory of the same encoder was passed over, however much of it no meaning could find."""
    encoder = Unsteady()
    with MemoryRegistry(path, encoder=encoder) as registry:
        for name in NAMES[:3]:
            registry.get(name).add_message("The Kestrel lies at berth 31.", "user")
        left = registry.get(NAMES[1])
        left.post_process(left.retrieve("Where does the Kestrel lie?"), "At berth 31.")
        encoder.broken = True
        left.add_messages([NewMessage(content=f"Line {number} of a log.", role="user") for number in range(70)])
        with pytest.raises(EncoderError):
            registry.reencode_all()
        encoder.broken = False
        before, steps = [tuple(row) for row in cues(path)], []
        assert registry.reencode_all() == NAMES[1:2]
        assert left.stats()["without_vector"] == 0
        assert [tuple(row) for row in cues(path)] == before != []
        assert encoder.embedded["Line 0 of a log."] == encoder.embedded["Line 69 of a log."] == 1
        assert encoder.embedded["The Kestrel lies at berth 31."] == 1
        assert registry.reencode_all() == []
        encoder.broken = True
        left.add_messages([NewMessage(content=f"Line {number} of a book.", role="user") for number in range(40)])
        encoder.broken = False
        assert left.reencode(only_missing=True, progress=lambda *step: steps.append(step)) == 40
        assert steps[-1] == (40, 40)


def test_texts_that_the_model_refuses_are_told_and_hold_up_nothing_else(path):
    """Passed over without a word, nobody would know what meaning does not find; raised at once, the others waited."""
    encoder = Unsteady()
    with MemoryRegistry(path, encoder=encoder) as registry:
        memory, other = (registry.get(name) for name in NAMES[:2])
        for one in (memory, other):
            one.add_message("The Kestrel lies at berth 31.", "user")
        encoder.broken = True
        memory.add_messages([NewMessage(content=f"Line {number} of a log.", role="user") for number in range(70)])
        refused = [
            memory.add_message(f"A forbidden text, number {number}.", "user")[0].parent_turn_id for number in range(9)
        ]
        memory.add_messages([NewMessage(content=f"Line {number} of a book.", role="user") for number in range(70)])
        other.add_message("The Heron leaks.", "user")
        encoder.broken = False
        for embedded in (140, 0):
            with pytest.raises(RefusedTextsError, match=r"'user-0'.*found by their words") as raised:
                registry.reencode_all()
            assert raised.value.message_ids == tuple(refused)
            assert raised.value.embedded == embedded
            assert "forbidden" not in str(raised.value)
            assert (memory.stats()["without_vector"], other.stats()["without_vector"]) == (9, 0)
        encoder.forbidden = "no text"
        assert memory.reencode(only_missing=True) == 9
        assert registry.reencode_all() == []


def test_an_encoder_that_does_not_work_is_not_asked_text_by_text(path):
    """A provider that is down would be called for each of them, and each call waits until it gives up."""
    encoder = Unsteady()
    with MemoryRegistry(path, encoder=encoder) as registry:
        memory = registry.get("m")
        memory.add_message("The Kestrel lies at berth 31.", "user")
        encoder.broken = True
        memory.add_messages([NewMessage(content=f"Line {number} of a log.", role="user") for number in range(70)])
        for embed in (memory.reencode, lambda: memory.reencode(only_missing=True)):
            encoder.calls.clear()
            with pytest.raises(EncoderError, match="model is gone"):
                embed()
            assert len(encoder.calls) <= 3


def test_a_text_that_another_encoder_refuses_leaves_its_memory_as_it_was(filled):
    """The others are embedded, and the error names the message."""
    encoder = Unsteady(dim=32)
    encoder.forbidden = "Remark 3 of user-1 "
    with MemoryRegistry(filled, encoder=encoder) as registry:
        with pytest.raises(RefusedTextsError, match="memory is as it was") as raised:
            registry.reencode_all()
        with registry.store.reading("user-1") as transaction:
            (message,) = transaction.messages(MessageQuery(sequences=[3]))
    assert (raised.value.memory_id, raised.value.message_ids) == ("user-1", (message.message_id,))
    assert encoders(filled) == ["hashing/1/32", "hashing/1/64", *["hashing/1/32"] * 4]


def test_what_is_missing_is_of_this_encoder_or_refused(filled):
    """Vectors of two encoders never stand in one memory."""
    with MemoryRegistry(filled, encoder=HashingEncoder(32)) as registry, pytest.raises(EncoderMismatchError):
        registry.get(NAMES[0]).reencode(only_missing=True)


def cues(path):
    """The questions that helped, as they are stored."""
    with closing(_sqlite.connect(path.as_uri(), timeout=5)) as connection:
        return connection.execute("SELECT * FROM cues").fetchall()


class Renamed(HashingEncoder):
    """Other weights under an old name, as a model server may have them after an update."""

    def embed(self, texts, kind):
        """The vectors of the texts read backwards."""
        return super().embed([text[::-1] for text in texts], kind)


def test_nobody_waits_for_what_the_encoder_is_called(filled):
    """If it fails, a model server that hangs holds up everybody who asks the memory."""
    encoder = Asked()
    with MemoryRegistry(filled, encoder=encoder) as registry:
        encoder.memory = registry.get(NAMES[0])
        assert encoder.memory.encoder_agreement() == pytest.approx(1)
    assert encoder.waited
    assert not any(encoder.waited)


class Interrupted(HashingEncoder):
    """One while which embeds, somebody else does something with the memory: each thing once."""

    def __init__(self):
        super().__init__(128)
        self.meanwhile = []
        self.embedded = Counter()

    def embed(self, texts, kind):
        """The vectors, after that."""
        vectors = super().embed(texts, kind)
        self.embedded.update(texts)
        if self.meanwhile:
            self.meanwhile.pop(0)()
        return vectors


def test_what_is_forgotten_while_it_is_embedded_is_in_no_vector(filled):
    """If it fails, the vectors of forgotten texts are found again under the messages that are stored after them."""
    encoder = Interrupted()
    with MemoryRegistry(filled, encoder=encoder) as registry:
        memory = registry.get(NAMES[0])

        def forget():
            assert memory.forget(everything=True).complete
            memory.add_message("The ferry leaves at nine.", "user")

        encoder.meanwhile.append(forget)
        assert memory.reencode() == 1
        assert memory.encoder_agreement() == pytest.approx(1)
        assert [hit.similarity for hit in memory.retrieve("The ferry leaves at nine.")] == [pytest.approx(1)]


def test_what_is_stored_meanwhile_is_embedded_and_nothing_again(filled):
    """If it fails, a memory in which somebody always writes is never embedded anew, however long one waits."""
    encoder, steps = Interrupted(), []
    with MemoryRegistry(filled, encoder=HashingEncoder(64)) as there, MemoryRegistry(filled, encoder=encoder) as here:
        other, memory = there.get(NAMES[0]), here.get(NAMES[0])
        before = len(other.signals)
        for number in range(3):
            encoder.meanwhile.append(partial(other.add_message, f"Remark {number} of the harbour master.", "user"))
        assert memory.reencode(progress=lambda *step: steps.append(step)) == before + 3
        assert set(encoder.embedded.values()) == {1}
        assert steps == [(before + number, before + number) for number in range(4)]
        assert memory.encoder_agreement() == pytest.approx(1)


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
