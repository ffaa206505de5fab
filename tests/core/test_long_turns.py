"""A turn that takes the model long is stored at once and embedded afterwards: nobody waits for the reply meanwhile."""

import logging

import pytest

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.recording import _AT_ONCE, record, store
from tests.slow import LOG, Slow

QUESTION = "What did the keeper write of the lamp?"


@pytest.fixture
def encoder():
    """One that is slow."""
    return Slow()


@pytest.fixture
def open_registry(tmp_path, encoder):
    """Opens the same file, each time it is called."""
    return lambda **options: MemoryRegistry(tmp_path / "m.db", encoder=encoder, durability="fast", **options)


def turn(text):
    """A question about a text, and its answer."""
    return [NewMessage(content=text, role="user"), NewMessage(content="It burned all night.", role="assistant")]


def lacking(memory):
    """How many signals of a memory have no vector."""
    return memory.stats()["without_vector"]


def test_a_long_turn_is_found_by_its_words_at_once_and_has_its_vectors_later(encoder, open_registry):
    """Closing the registry waits for them."""
    with open_registry() as registry:
        memory = registry.get("mara")
        recorded = record(memory, "turn", turn(LOG))
        assert recorded.failure is None
        assert lacking(memory) == len(memory.signals) > 1
        assert any("lighthouse" in hit.signal.content for hit in memory.retrieve(QUESTION))
        encoder.may.set()
    with open_registry() as registry:
        assert lacking(registry.get("mara")) == 0


def test_long_messages_that_teach_nothing_have_their_vectors_later(encoder, open_registry):
    """So a question is stored before its reply is asked for, and a transcript."""
    with open_registry() as registry:
        memory = registry.get("mara")
        store(memory, turn(LOG))
        assert lacking(memory) == len(memory.signals) > 1
        store(memory, turn("It rained."))
        encoder.may.set()
    with open_registry() as registry:
        assert lacking(registry.get("mara")) == 0


def test_a_short_turn_has_its_vectors_at_once(encoder, open_registry):
    """Nobody waits long for these."""
    encoder.may.set()
    with open_registry() as registry:
        record(registry.get("mara"), "turn", turn(LOG[: _AT_ONCE // 2]))
        assert lacking(registry.get("mara")) == 0


@pytest.mark.parametrize("config", [Config.classic(), Config(strategy="vector")])
def test_where_meaning_alone_decides_it_is_embedded_at_once(encoder, open_registry, config):
    """It would not be found before."""
    encoder.may.set()
    with open_registry(config=config) as registry:
        record(registry.get("mara"), "turn", turn(LOG))
        assert lacking(registry.get("mara")) == 0


@pytest.mark.parametrize("erase", [MemoryRegistry.reset, MemoryRegistry.forget])
def test_a_memory_that_is_erased_meanwhile_stays_so(encoder, open_registry, erase, caplog):
    """Its vectors are nobody's, and nothing is reported."""
    with open_registry() as registry, caplog.at_level(logging.WARNING):
        record(registry.get("mara"), "turn", turn(LOG))
        erase(registry, "mara")
        encoder.may.set()
    with open_registry() as registry:
        assert registry.get("mara").messages() == []
    assert caplog.records == []


def test_an_encoder_that_fails_then_costs_nothing(open_registry, encoder, caplog):
    """It is logged; the next messages bring the vectors."""
    encoder.fails = True
    with open_registry() as registry:
        record(registry.get("mara"), "turn", turn(LOG))
        encoder.may.set()
    assert any("found by its words" in one.getMessage() for one in caplog.records)
    encoder.fails = False
    with open_registry() as registry:
        memory = registry.get("mara")
        waiting = lacking(memory)
        memory.add_message("The sea was calm.", "user")
        assert lacking(memory) < waiting
