"""A host's model that does not answer: nobody waits for it longer than is sensible, and nothing is lost."""

import threading
import time
from contextvars import ContextVar

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders import LangChainEncoder
from streetai_core.encoders.patience import _MOST_WAITING
from streetai_core.errors import EncoderError, InputError
from tests.encoders.test_host import HashingEmbeddings

TENANT = ContextVar("tenant", default="")


class Hanging(HashingEmbeddings):
    """A model that answers nothing for as long as it hangs."""

    def __init__(self):
        super().__init__()
        self.goes_on = threading.Event()
        self.goes_on.set()
        self.tenants = []

    def embed_documents(self, texts):
        """All of them, late."""
        self.tenants.append(TENANT.get())
        self.goes_on.wait()
        return super().embed_documents(texts)

    def embed_query(self, text):
        """One, late."""
        self.tenants.append(TENANT.get())
        self.goes_on.wait()
        return super().embed_query(text)


@pytest.fixture
def hanging():
    """A model, and at the end no thread that waits for it."""
    model = Hanging()
    yield model
    model.goes_on.set()
    for thread in threading.enumerate():
        if thread.name == "streetai-embedding":
            thread.join()


async def test_a_question_is_answered_by_words_and_a_message_is_stored_without_vectors(hanging, tmp_path, caplog):
    """When the model answers again, it gets them; the twins wait as long."""
    encoder = LangChainEncoder(hanging, timeout=0.5)
    with MemoryRegistry(tmp_path / "m.db", encoder=encoder) as registry:
        memory = registry.get("a")
        memory.add_message("My boat lies in Marstal.", "user")
        hanging.goes_on.clear()
        (hit,) = memory.retrieve("Where is my boat?")
        assert hit.signal.content == "My boat lies in Marstal."
        assert [one.signal.content for one in await memory.aretrieve("Where does my boat lie?")] == [hit.signal.content]
        memory.add_message("The parrot is called Rio.", "user")
        assert memory.stats()["without_vector"] == 1
        assert "no answer within 0.5 seconds" in caplog.text
        hanging.goes_on.set()
        memory.add_message("She is green.", "user")
        assert memory.stats()["without_vector"] == 0


def test_where_too_many_calls_hang_it_is_not_asked_any_more(hanging):
    """Each of them has a thread; those that come back make room."""
    encoder = LangChainEncoder(hanging, timeout=0.3)
    encoder.encode(["ship"], "query")
    hanging.goes_on.clear()
    for number in range(_MOST_WAITING):
        with pytest.raises(EncoderError, match="no answer within"):
            encoder.encode([f"ship {number}"], "query")
    asked = len(hanging.tenants)
    with pytest.raises(EncoderError, match="it was not asked"):
        encoder.encode(["lamp"], "query")
    assert len(hanging.tenants) == asked
    hanging.goes_on.set()
    while any(thread.name == "streetai-embedding" for thread in threading.enumerate()):
        time.sleep(0.001)
    encoder.encode(["lamp"], "query")


def test_the_first_call_has_all_the_time_it_needs(hanging):
    """It may have to load the model, or to fetch it."""
    encoder = LangChainEncoder(hanging, timeout=0.001)
    hanging.goes_on.clear()
    threading.Timer(0.1, hanging.goes_on.set).start()
    assert encoder.encode(["ship"], "query").shape == (1, 256)


def test_the_model_is_called_in_the_context_of_the_caller(hanging):
    """Tracing, and keys of tenants, are in it."""
    encoder = LangChainEncoder(hanging)
    TENANT.set("first")
    encoder.encode(["ship"])
    TENANT.set("second")
    encoder.encode(["ship"])
    encoder.encode(["ship"], "query")
    assert hanging.tenants == ["first", "second", "second"]


def test_what_the_model_raises_is_told_as_it_is(hanging, monkeypatch):
    """Its own timeout too, and in time."""
    encoder = LangChainEncoder(hanging, timeout=60)
    encoder.encode(["ship"])
    for error in (TimeoutError("read timed out"), ConnectionError("no line")):

        def fail(texts, error=error):
            raise error

        monkeypatch.setattr(hanging, "embed_documents", fail)
        with pytest.raises(EncoderError, match=str(error)) as told:
            encoder.encode(["ship"])
        assert told.value.__cause__ is error


@pytest.mark.parametrize("wrong", [0, -1, float("nan"), True, "10"])
def test_a_timeout_that_cannot_be_one_is_refused(hanging, wrong):
    """`None` is none."""
    with pytest.raises(InputError, match="timeout must be"):
        LangChainEncoder(hanging, timeout=wrong)
    assert LangChainEncoder(hanging, timeout=None).encode(["ship"]).shape == (1, 256)
