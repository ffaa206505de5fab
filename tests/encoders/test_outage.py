"""The log is told once that the encoder fails, and once that it works again."""

import logging
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders.cache import CachedEncoder
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.encoders.outage import Outage
from streetai_core.errors import EncoderError
from streetai_core.stores.reference import ReferenceStore
from tests.encoders.failing import Unsteady

SO = "this question is answered by words alone"


def failure(cause):
    """What an encoder raises for a failing model."""
    with pytest.raises(EncoderError) as caught:
        raise EncoderError("the model could not embed 1 texts") from cause
    return caught.value


def told(caplog, level=logging.WARNING):
    """What the log says at a level, with whether there is a traceback."""
    return [(record.getMessage(), bool(record.exc_info)) for record in caplog.records if record.levelno == level]


@pytest.fixture(autouse=True)
def everything(caplog):
    """Short lines are looked at too."""
    caplog.set_level(logging.DEBUG, logger="streetai_core")


@pytest.fixture
def encoder():
    """One that works, with a cache."""
    return CachedEncoder(HashingEncoder())


def test_ten_turns_of_an_outage_are_told_in_two_lines(caplog):
    """Each asks for a question, a cue and what is stored: thirty tracebacks told nothing that the first did not."""
    encoder = Unsteady()
    registry = MemoryRegistry(ReferenceStore(), encoder=encoder)
    memory, other = registry.get("m"), registry.get("other")
    memory.add_message("The Kestrel lies at berth 31.", "user")
    other.add_message("The Heron leaks.", "user")
    encoder.broken = True
    for number in range(10):
        question = f"Where does the Kestrel lie on day {number}?"
        prompt = memory.build_prompt(question, conversation_id="new")
        turn = [NewMessage(content=question, role="user"), NewMessage(content="At berth 31.", role="assistant")]
        memory.record_turn(f"t{number}", turn, retrieved=prompt.retrieved, reply="At berth 31.")
    other.retrieve("Does the Heron leak?")
    (((text, traceback),),) = [told(caplog)]
    assert "the encoder failed" in text
    assert traceback
    assert len(told(caplog, logging.DEBUG)) >= 20
    assert not any(traceback for _, traceback in told(caplog, logging.DEBUG))
    caplog.clear()
    encoder.broken = False
    memory.retrieve("Is all well again?")
    memory.add_message("All is well again.", "user")
    (((text, traceback),),) = [told(caplog)]
    assert "works again; 20 messages" in text
    assert not traceback


def test_another_kind_of_failure_is_told_and_each_once(encoder, caplog):
    """A timeout in turn with a refusal, as a provider in trouble gives, would be news for ever."""
    outage = Outage(encoder)
    for cause in (OSError("gone"), OSError("still gone"), TimeoutError("late"), OSError("gone"), TimeoutError("late")):
        outage.failed(failure(cause), SO)
    assert [traceback for _, traceback in told(caplog)] == [True, True]


def test_errors_that_cause_each_other_are_a_kind_too(encoder, caplog):
    """Foreign libraries make such rings."""
    one, two = OSError("one"), OSError("two")
    one.__cause__, two.__cause__ = two, one
    error = EncoderError("failed")
    error.__cause__ = one
    Outage(encoder).failed(error, SO)
    assert len(told(caplog)) == 1


def test_what_the_cache_still_has_does_not_end_an_outage(encoder, caplog):
    """Else each question that was asked before would end it, and the next one begin another."""
    outage = Outage(encoder)
    encoder.encode(["ship"])
    outage.failed(failure(OSError("gone")), SO)
    encoder.encode(["ship"])
    outage.answered()
    assert outage.lasts
    encoder.encode(["lamp"])
    outage.answered()
    outage.answered()
    assert not outage.lasts
    assert ["the encoder works again" in text for text, _ in told(caplog)] == [False, True]


def test_the_next_outage_is_told_again(encoder, caplog):
    """It has a cause of its own."""
    outage = Outage(encoder)
    for number in range(2):
        outage.failed(failure(OSError("gone")), SO)
        encoder.encode([f"ship {number}"])
        outage.answered()
    assert len(told(caplog)) == 4


def test_an_encoder_that_works_tells_nothing(encoder, caplog):
    """There is nothing to tell."""
    encoder.encode(["ship"])
    Outage(encoder).answered()
    assert caplog.records == []


def test_threads_tell_it_once(encoder, caplog):
    """All requests of a server fail at the same time."""
    outage, together = Outage(encoder), Barrier(8)

    def fail_and_work(number):
        together.wait()
        outage.failed(failure(OSError("gone")), SO, stored=1)
        together.wait()
        encoder.encode([f"ship {number}"])
        together.wait()
        outage.answered()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(fail_and_work, range(8)))
    first, last = told(caplog)
    assert "the encoder failed" in first[0]
    assert "works again; 8 messages" in last[0]
