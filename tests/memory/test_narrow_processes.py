"""What all vectors have in common counts or not by what a memory has, whatever its process has read or asked before."""

from dataclasses import dataclass, field

import pytest

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders import HashingEncoder
from streetai_core.encoders.common import TEXTS
from streetai_core.stores.reference import ReferenceStore
from tests.encoders.narrow import Narrow

PLACES = ["Lyon", "Marstal", "Rome", "Oslo", "Bath", "Nice"]
PAST = [
    "My boat is by the crane.",
    "The boat is at berth 31.",
    "I prefer the rent over the bus when in Nice.",
    *(f"We moved to {place} yesterday." for place in PLACES),
    *TEXTS,
]
NEWS = "My oven is now Nice."
"""By plain cosines it replaces what it has nothing to do with."""
QUESTION = "Where is my boat?"


@dataclass
class Processes:
    """Processes on one file: what each has seen it does not know of the others."""

    share: float = 0.7
    store: ReferenceStore = field(default_factory=ReferenceStore)

    def fresh(self, **options):
        """The memory in a process that has read nothing yet."""
        encoder = Narrow(HashingEncoder(256), self.share)
        return MemoryRegistry(self.store, encoder=encoder, config=Config(**options)).get("m")


@pytest.fixture
def processes():
    """Processes on a memory that looks narrow."""
    made = Processes()
    made.fresh().add_messages(said(PAST))
    return made


def said(texts):
    """What a user says, with ids by place."""
    return [NewMessage(content=text, role="user", message_id=str(place)) for place, text in enumerate(texts)]


def found(memory, question=QUESTION):
    """What a question finds, with all its scores."""
    return [(hit.signal.content, hit.score, dict(hit.parts)) for hit in memory.retrieve(question)]


def replaced(memory):
    """The texts that the news has replaced, and itself."""
    (news,) = [one.message_id for one in memory.messages() if one.content == NEWS]
    return [one.content for one in memory.revisions(news)]


def asked(memory):
    """One that has asked something before."""
    memory.retrieve(QUESTION)
    return memory


def seen_small(processes):
    """One that has last read the memory when it had few signals."""
    small = Processes()
    small.fresh().add_messages(said(PAST[:3]))
    memory = asked(small.fresh())
    small.fresh().add_messages(said(PAST))
    processes.store = small.store
    return memory


@pytest.mark.parametrize(
    "begun", [lambda one: one.fresh(), lambda one: asked(one.fresh()), seen_small], ids=["fresh", "asked", "seen small"]
)
def test_the_first_message_of_a_process_replaces_what_it_would_in_any_other(processes, begun):
    """Wrong links would be stored for good."""
    begun(processes).add_message(NEWS, "user")
    assert replaced(processes.fresh()) == [NEWS]


def test_so_does_an_edit(processes):
    """Which stores links, too."""
    asked(processes.fresh()).add_message("Good evening, everybody.", "user", message_id="edited")
    processes.fresh().update_message("edited", NEWS)
    assert replaced(processes.fresh()) == [NEWS]


def test_so_does_what_is_embedded_late(processes):
    """By a process that does nothing else."""
    processes.fresh().record_turn("t", said([*PAST, NEWS])[-1:], embed_later=True)
    assert processes.fresh().reencode(only_missing=True) == 1
    assert replaced(processes.fresh()) == [NEWS]


def test_a_memory_that_looks_narrow_no_more_is_read_so_by_who_has_seen_it_before(processes):
    """It has too few signals then for anybody to tell, and other scores and hits for one who knows."""
    memory = asked(processes.fresh())
    memory.delete_messages([str(place) for place in range(3, len(PAST))])
    assert found(memory) == found(processes.fresh())
    memory.add_message(NEWS, "user")
    links = replaced(memory)
    memory.delete_message(memory.messages()[-1].message_id)
    processes.fresh().add_message(NEWS, "user")
    assert replaced(memory) == links


def test_repetitions_are_told_alike_where_words_alone_decide():
    """Texts that differ in a number are nearly one vector, and are none if that is what all have in common."""
    processes = Processes(share=0.9)
    invoices = [f"The invoice {n * 7919} of the harbour office is due on day {n * 31} of the year." for n in range(12)]
    processes.fresh().add_messages(said([*PAST, *invoices]))
    memory = processes.fresh(strategy="keyword")
    before = found(memory, "invoice of the harbour office")
    memory.retrieve(QUESTION, strategy="hybrid")
    assert found(memory, "invoice of the harbour office") == before
    assert {text for text, *_ in before} >= set(invoices)


def test_an_encoder_that_fails_is_not_asked_again_for_one_question(processes):
    """It may take long to fail; the next question asks again, and by words it is answered all the same."""
    encoder = Narrow(HashingEncoder(256))
    encoder.down = True
    memory = MemoryRegistry(processes.store, encoder=encoder).get("m")
    assert memory.retrieve(QUESTION)
    assert [texts for _, texts in encoder.calls] == [(QUESTION,)]
    assert memory.retrieve(QUESTION, strategy="keyword")
    assert [texts for _, texts in encoder.calls] == [(QUESTION,), TEXTS]
