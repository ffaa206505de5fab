"""Nobody waits for a memory while a framework's model embeds something to say how long its vectors are."""

from threading import Thread

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder

FACT = "My boat lies in the old harbour of Marstal."


class Model:
    """A framework's embedding model; each time that it is asked, somebody else wants to know what is in the memory."""

    def __init__(self):
        self._encoder = HashingEncoder(64)
        self.memory = None
        self.fails = False
        self.held_up = []

    def embed_documents(self, texts):
        """One vector a text."""
        if self.fails:
            raise ConnectionError("no route")
        if self.memory is not None:
            other = Thread(target=self.memory.stats)
            other.start()
            other.join(timeout=5)
            self.held_up.append(other.is_alive())
        return self._encoder.embed(texts, "document").tolist()

    def embed_query(self, text):
        """The vector of a question."""
        return self.embed_documents([text])[0]


def learn(memory):
    """From a reply to nobody knows what, which needs no vector."""
    (signal,) = memory.signals
    return memory.post_process([signal.signal_id], "It lies in Marstal.")


def complete(memory):
    """Embed what was stored while the model failed, and nothing else."""
    return memory.reencode(only_missing=True)


@pytest.mark.parametrize(("verb", "lacking"), [(learn, False), (complete, True)])
def test_nobody_waits_for_the_length_of_a_vector(tmp_path, verb, lacking):
    """If it fails, a provider that hangs holds up all chats of a memory, of a write all of the file."""
    model = Model()
    with MemoryRegistry(tmp_path / "memory.db", encoder=model) as registry:
        memory = registry.get("m")
        memory.add_message(FACT, role="user")
        if lacking:
            model.fails = True
            memory.add_message("And the keel is long.", role="user")
    begun = Model()
    with MemoryRegistry(tmp_path / "memory.db", encoder=begun) as registry:
        begun.memory = registry.get("m")
        assert verb(begun.memory)
    assert begun.held_up
    assert not any(begun.held_up)
