"""While the encoder is out of order messages are stored and found by their words; later they get their vectors."""

import logging
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import EncoderError, EncoderMismatchError
from streetai_core.stores.reference import ReferenceStore
from streetai_core.stores.sqlite import SqliteStore
from tests.encoders.failing import Unsteady
from tests.forks import PATIENCE, child_says, forks, held_elsewhere

BEFORE = "The Kestrel lies at berth 31."
MEANWHILE = "Our yawl is called the Heron, and she leaks."
QUESTION = "What is our yawl called?"


class Embeddings:
    """A framework's embedding model: only its vectors tell how long they are."""

    def __init__(self, *, broken=False, dim=32):
        self.broken = broken
        self.dim = dim

    def embed_documents(self, texts):
        """Fail or hash."""
        if self.broken:
            raise OSError("the model is gone")
        return HashingEncoder(dim=self.dim).encode(texts).tolist()

    def embed_query(self, text):
        """Fail or hash."""
        return self.embed_documents([text])[0]


@pytest.fixture(params=["sqlite", "reference"])
def store(request, tmp_path):
    """Either store, closed by the registry."""
    return SqliteStore(tmp_path / "m.db") if request.param == "sqlite" else ReferenceStore()


@pytest.fixture
def encoder():
    """An encoder that works at first."""
    return Unsteady()


@pytest.fixture
def registry(store, encoder):
    """A registry that counts every embedding anew."""
    with MemoryRegistry(store, encoder=encoder) as opened:
        yield opened


def told(memory, *texts):
    """The texts as user messages."""
    return [memory.add_message(text, "user") for text in texts]


def lacking(memory):
    """How many signals have no vector."""
    return memory.stats()["without_vector"]


def vectors(memory):
    """Text by signal, with its vector."""
    with memory._coherent.reading() as (_, state):
        columns = state.columns
        return {int(key): columns.vectors_of(row).tolist() for row, key in enumerate(columns.keys)}


def test_what_is_said_in_an_outage_is_stored_and_found_by_its_words(registry, encoder, caplog):
    """A user's message is lost if whoever stores it cannot try again, as no framework does."""
    memory = registry.get("m")
    told(memory, BEFORE)
    encoder.broken = True
    with caplog.at_level(logging.WARNING, logger="streetai_core"):
        ((signal,),) = told(memory, MEANWHILE)
        assert signal.content == MEANWHILE
        assert memory.retrieve(QUESTION)[0].signal.content == MEANWHILE
        assert MEANWHILE in memory.build_prompt(QUESTION, conversation_id="new").recalled_text
    assert "stored without vectors" in caplog.text
    assert lacking(memory) == 1
    assert memory.stats()["turn_counter"] == 2


@pytest.mark.parametrize("trust", [None, 0.1])
def test_what_is_said_again_and_again_in_an_outage_is_recalled_once(registry, encoder, trust):
    """Whoever gets no answer asks again; without vectors to compare, all of it would fill the prompt."""
    memory = registry.get("m")
    memory.add_message(BEFORE, "user", trust=trust)
    encoder.broken = True
    told(memory, MEANWHILE, MEANWHILE, MEANWHILE)
    for broken in (True, False):
        encoder.broken = broken
        assert [hit.signal.content for hit in memory.retrieve(QUESTION)].count(MEANWHILE) == 1
        copies = [miss.reason for miss in memory.why(QUESTION).near_misses if miss.hit.signal.content == MEANWHILE]
        assert len(copies) == 2
        assert all("word for word" in reason for reason in copies)


def test_the_next_message_that_is_embedded_brings_the_vectors(registry, encoder):
    """Else what was said in an outage could never be found by its meaning."""
    memory = registry.get("m")
    told(memory, BEFORE)
    encoder.broken = True
    ((before,),) = told(memory, MEANWHILE)
    encoder.broken = False
    told(memory, "Fine weather today.")
    assert lacking(memory) == 0
    (hit, *_) = memory.retrieve(QUESTION)
    assert (hit.signal.content, hit.signal.signal_id) == (MEANWHILE, before.signal_id)
    assert hit.parts["meaning"] > 0
    assert (hit.signal.turn, hit.signal.base_weight) == (before.turn, before.base_weight)


def test_the_memory_is_then_what_it_would_have_been(encoder):
    """Vectors, what is found with which scores, and stacks by their members; only stacks have other numbers."""
    texts = [BEFORE, MEANWHILE, "The Heron leaks at the keel.", "The Kestrel lies at berth 12 now.", "It rains."]
    pictures = []
    for breaks in (False, True):
        memory = MemoryRegistry(ReferenceStore(), encoder=encoder).get("m")
        told(memory, texts[0])
        encoder.broken = breaks
        told(memory, *texts[1:4])
        encoder.broken = False
        told(memory, texts[4])
        hits = [(hit.signal.content, hit.score, hit.parts) for hit in memory.retrieve("Where does the Kestrel lie?")]
        texts_of = {signal.signal_id: signal.content for signal in memory.signals}
        stacks = sorted(sorted(texts_of[one] for one in stack.signal_ids) for stack in memory.stacks)
        pictures.append((vectors(memory), hits, stacks, memory.stats()["turn_counter"]))
    assert pictures[0] == pictures[1]
    assert len(pictures[0][1]) > 1


def test_a_turn_is_recorded_in_an_outage_and_learned_from(registry, encoder):
    """The plug-ins store turns, whose messages were lost with `on_error`."""
    memory = registry.get("m")
    told(memory, BEFORE)
    hits = memory.retrieve("Where does the Kestrel lie?")
    encoder.broken = True
    turn = [
        NewMessage(content="Where does the Kestrel lie?", role="user"),
        NewMessage(content="At berth 31.", role="assistant"),
    ]
    assert memory.record_turn("t", turn, retrieved=hits, reply="At berth 31.")
    assert [message.content for message in memory.messages()][1:] == [one.content for one in turn]
    assert lacking(memory) == 2
    encoder.broken = False
    assert memory.record_turn("t", turn, retrieved=hits, reply="At berth 31.") == []
    assert lacking(memory) == 0


@pytest.mark.parametrize("records", [True, False])
def test_where_vectors_tell_what_a_reply_used_words_do_meanwhile(store, encoder, caplog, records):
    """The turn was lost, or nothing learned, because the reply could not be embedded."""
    question, reply = "Where does the Kestrel lie?", "She lies at berth 31."
    turn = [NewMessage(content=question, role="user"), NewMessage(content=reply, role="assistant")]
    with MemoryRegistry(store, encoder=encoder, config=Config(credit="reply")) as registry:
        memory = registry.get("m")
        told(memory, BEFORE)
        hits = memory.retrieve(question)
        encoder.broken = True
        if records:
            updates = memory.record_turn("t", turn, retrieved=hits, reply=reply)
            assert [message.content for message in memory.messages()][1:] == [question, reply]
        else:
            updates = memory.post_process(hits, reply)
        learned = [(one["action"], one["contribution"]) for one in updates]
    with MemoryRegistry(ReferenceStore(), encoder=Unsteady(), config=Config(credit="words")) as registry:
        memory = registry.get("m")
        told(memory, BEFORE)
        hits = memory.retrieve(question)
        by_words = (
            memory.record_turn("t", turn, retrieved=hits, reply=reply) if records else memory.post_process(hits, reply)
        )
        assert learned == [(one["action"], one["contribution"]) for one in by_words]
        assert learned[0][0] == "boost"
    assert caplog.text.count("the encoder failed") == 1


def test_the_published_pipeline_learns_by_vectors_or_not_at_all(store, encoder):
    """Its numbers are those of the published product."""
    with MemoryRegistry(store, encoder=encoder, config=Config.classic()) as registry:
        memory = registry.get("m")
        told(memory, "The Kestrel lies at berth 31, and she will stay there until the end of the month.")
        hits = memory.retrieve("Where does the Kestrel lie?")
        assert hits
        encoder.broken = True
        with pytest.raises(EncoderError):
            memory.post_process(hits, "At berth 31.")


async def test_the_twins_do_the_same(registry, encoder):
    """An outage looks the same from a loop."""
    memory = registry.get("m")
    await memory.aadd_message(BEFORE, "user")
    encoder.broken = True
    await memory.aadd_message(MEANWHILE, "user")
    assert (await memory.astats())["without_vector"] == 1
    encoder.broken = False
    await memory.aadd_message("It rains.", "user")
    assert (await memory.astats())["without_vector"] == 0


def test_many_signals_get_their_vectors_bit_by_bit_the_newest_first(registry, encoder):
    """The message after a long outage would wait for all of them; and what was said last is asked for first."""
    memory = registry.get("m")
    told(memory, BEFORE)
    encoder.broken = True
    memory.add_messages([NewMessage(content=f"Line {number} of a long log.", role="user") for number in range(40)])
    encoder.broken = False
    told(memory, "It rains.")
    assert lacking(memory) == 8
    assert encoder.embedded["Line 39 of a long log."] == 1
    assert encoder.embedded["Line 7 of a long log."] == 0
    told(memory, "It rains again.")
    assert lacking(memory) == 0
    assert max(encoder.calls[-4:]) <= 32


def test_threads_that_store_at_once_embed_them_once(registry, encoder):
    """Each embedded the same texts, which a provider charges for; none of them waits for the one that does it."""
    memory = registry.get("m")
    told(memory, BEFORE)
    encoder.broken = True
    memory.add_messages([NewMessage(content=f"Line {number} of a long log.", role="user") for number in range(60)])
    encoder.broken = False
    embed, catching_up, stored = encoder.embed, Event(), Event()

    def embed_when_others_have_stored(texts, kind):
        if len(texts) > 1:
            catching_up.set()
            assert stored.wait(PATIENCE)
        return embed(texts, kind)

    encoder.embed = embed_when_others_have_stored
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(told, memory, "It rains.")
        assert catching_up.wait(PATIENCE)
        told(memory, *[f"Fine day number {number}." for number in range(4)])
        assert lacking(memory) == 60
        stored.set()
        first.result(PATIENCE)
    assert lacking(memory) == 60 - 32
    assert encoder.embedded["Line 59 of a long log."] == 1
    told(memory, "It snows.")
    assert lacking(memory) == 0
    assert set(encoder.embedded.values()) == {1}


@forks[0]
@forks[1]
def test_a_child_of_a_process_that_is_catching_up_does_so_too(registry, encoder):
    """The thread that had begun is not there, and what it has is its parent's."""
    memory = registry.get("m")
    told(memory, BEFORE)
    encoder.broken = True
    told(memory, MEANWHILE)
    encoder.broken = False
    with held_elsewhere([memory._open.late.lock]):
        told(memory, "It rains.")
        assert lacking(memory) == 1
        assert child_says(lambda: bool(told(memory, "It snows.")) and lacking(memory) == 0)


def test_all_can_be_embedded_at_once(registry, encoder):
    """Who has many, and time."""
    memory = registry.get("m")
    told(memory, BEFORE)
    encoder.broken = True
    lines = [NewMessage(content=f"Line {number} of a long log.", role="user") for number in range(100)]
    steps = []
    memory.add_messages(lines, progress=lambda *step: steps.append(step))
    assert steps[-1] == (100, 100)
    with pytest.raises(EncoderError):
        memory.reencode()
    encoder.broken = False
    memory.reencode()
    assert lacking(memory) == 0


def test_one_text_that_always_fails_holds_up_none_of_the_others(registry, encoder, caplog):
    """A filter of the provider's that refuses one text would keep all that was said in the outage from being found."""
    memory = registry.get("m")
    told(memory, BEFORE)
    encoder.broken = True
    memory.add_messages([NewMessage(content=f"Line {number} of a long log.", role="user") for number in range(10)])
    told(memory, "A forbidden text.")
    memory.add_messages([NewMessage(content=f"Line {number} of another log.", role="user") for number in range(10)])
    encoder.broken = False
    with caplog.at_level(logging.WARNING, logger="streetai_core"):
        for number in range(20):
            told(memory, f"Fine day number {number}.")
    assert lacking(memory) == 1
    assert len([record for record in caplog.records if "have no vectors yet" in record.getMessage()]) < 8
    calls = len(encoder.calls)
    told(memory, "One more fine day.")
    assert len(encoder.calls) == calls + 1
    assert [hit.signal.content for hit in memory.retrieve("the forbidden text?", strategy="keyword")][:1] == [
        "A forbidden text."
    ]


def test_what_failed_alone_is_tried_again_after_a_while(registry, encoder):
    """A limit of calls makes each fail in turn, and none of them is refused for what it says."""
    memory = registry.get("m")
    told(memory, BEFORE)
    encoder.broken = True
    told(memory, MEANWHILE, "The Heron leaks at the keel.")
    encoder.broken = False
    encoder.forbidden = "Heron"
    told(memory, *[f"Fine day number {number}." for number in range(20)])
    assert lacking(memory) == 2
    encoder.forbidden = "forbidden"
    told(memory, *[f"Grey day number {number}." for number in range(100)])
    assert lacking(memory) == 0


def test_a_text_that_means_nothing_is_embedded_once_more_and_not_for_ever(registry, encoder):
    """Each message would pay for it."""
    memory = registry.get("m")
    told(memory, BEFORE, "Hmm, well, hmm.", "It rains.")
    assert lacking(memory) == 1
    calls = len(encoder.calls)
    told(memory, "It snows.", "It hails.")
    assert len(encoder.calls) == calls + 2


def test_what_was_replaced_in_an_outage_is_replaced_when_the_vectors_come(registry, encoder):
    """The old berth would stand above the new one for ever."""
    memory = registry.get("m")
    told(memory, "The Kestrel lies at berth 31.")
    encoder.broken = True
    ((newer,),) = told(memory, "Actually, the Kestrel lies at berth 12 now.")
    encoder.broken = False
    told(memory, "It rains.")
    assert [message.content for message in memory.revisions(newer.parent_turn_id)] == [
        "The Kestrel lies at berth 31.",
        "Actually, the Kestrel lies at berth 12 now.",
    ]


@pytest.mark.parametrize("breaks_at", ["neither", "older", "both"])
def test_it_is_replaced_also_by_what_has_its_vector_before(registry, encoder, breaks_at):
    """The newest get theirs first, so that what replaces something often has one before it."""
    memory = registry.get("m")
    told(memory, "It rains.")
    encoder.broken = breaks_at != "neither"
    told(memory, "The Kestrel lies at berth 31.")
    memory.add_messages([NewMessage(content=f"Line {number} of a long log.", role="user") for number in range(40)])
    encoder.broken = breaks_at == "both"
    ((newer,),) = told(memory, "Actually, the Kestrel lies at berth 12 now.")
    encoder.broken = False
    told(memory, "It snows.", "It hails.")
    assert lacking(memory) == 0
    assert [message.content for message in memory.revisions(newer.parent_turn_id)] == [
        "The Kestrel lies at berth 31.",
        "Actually, the Kestrel lies at berth 12 now.",
    ]


def test_what_comes_after_all_was_forgotten_gets_vectors_too(registry, encoder):
    """A memory that begins anew numbers its signals as before; what meant nothing then is another message now."""
    memory = registry.get("m")
    told(memory, "Hmm.", BEFORE)
    assert lacking(memory) == 1
    memory.forget(everything=True)
    encoder.broken = True
    told(memory, MEANWHILE)
    assert lacking(memory) == 1
    encoder.broken = False
    told(memory, "It rains.")
    assert lacking(memory) == 0


def test_what_is_forgotten_while_its_vector_is_made_leaves_none(registry, encoder):
    """What comes next in the same handle has the same keys, and would get the vectors of what was forgotten."""
    memory = registry.get("m")
    told(memory, BEFORE)
    encoder.broken = True
    told(memory, MEANWHILE)
    encoder.broken = False
    embed = encoder.embed

    def forget_meanwhile(texts, kind):
        if MEANWHILE not in texts:
            return embed(texts, kind)
        del encoder.embed
        rows = embed(texts, kind)
        memory.forget(everything=True)
        encoder.broken = True
        told(memory, "The Swift is new.", "The Swift is fast.")
        encoder.broken = False
        return rows

    encoder.embed = forget_meanwhile
    told(memory, "It rains.")
    assert lacking(memory) == 2


def test_the_encoder_still_agrees_after_an_outage(registry, encoder):
    """The newest text has no vector to compare, and the doctor would say that the model has changed."""
    memory = registry.get("m")
    told(memory, BEFORE)
    encoder.broken = True
    told(memory, MEANWHILE)
    encoder.broken = False
    assert memory.encoder_agreement() == pytest.approx(1.0)


def test_another_process_sees_the_vectors_and_may_be_the_one_that_makes_them(tmp_path, encoder):
    """Workers share a file: each reads what the others have embedded, and nothing is embedded twice."""
    path = tmp_path / "m.db"
    with MemoryRegistry(path, encoder=encoder) as one, MemoryRegistry(path, encoder=Unsteady()) as two:
        first, second = one.get("m"), two.get("m")
        told(first, BEFORE)
        encoder.broken = True
        told(first, MEANWHILE)
        assert lacking(second) == 1
        told(second, "It rains.")
        assert (lacking(first), lacking(second)) == (0, 0)
        assert vectors(first) == vectors(second)
        assert memory_opened_anew(path) == vectors(first)


def memory_opened_anew(path):
    """Its vectors, read from the rows."""
    with MemoryRegistry(path, encoder=Unsteady()) as registry:
        memory = registry.get("m")
        assert lacking(memory) == 0
        return vectors(memory)


def test_it_is_known_after_a_restart(tmp_path, encoder):
    """The process that stored the message is gone when the encoder works again."""
    path = tmp_path / "m.db"
    with MemoryRegistry(path, encoder=encoder) as registry:
        told(registry.get("m"), BEFORE)
        encoder.broken = True
        told(registry.get("m"), MEANWHILE)
    with MemoryRegistry(path, encoder=Unsteady(broken=True)) as registry:
        # An encoder that has never worked here, but whose vectors the memory has.
        told(registry.get("m"), "Still out of order.")
        assert lacking(registry.get("m")) == 2
    with MemoryRegistry(path, encoder=Unsteady()) as registry:
        memory = registry.get("m")
        told(memory, "It works again.")
        assert lacking(memory) == 0


def test_a_framework_s_model_that_fails_from_the_start_of_a_process(tmp_path):
    """It cannot be asked how long its vectors are: a worker that starts in an outage would store and find nothing."""
    path = tmp_path / "m.db"
    with MemoryRegistry(path, encoder=Embeddings()) as registry:
        told(registry.get("m"), BEFORE)
    with MemoryRegistry(path, encoder=Embeddings(broken=True)) as registry:
        memory = registry.get("m")
        assert memory.retrieve("Where does the Kestrel lie?")[0].signal.content == BEFORE
        told(memory, MEANWHILE)
        assert memory.retrieve(QUESTION)[0].signal.content == MEANWHILE
        with pytest.raises(EncoderError):
            # Nothing tells that it was ever set up rightly.
            told(registry.get("another"), BEFORE)
    with MemoryRegistry(path, encoder=Embeddings()) as registry:
        memory = registry.get("m")
        told(memory, "It works again.")
        assert lacking(memory) == 0
        assert memory.retrieve(QUESTION)[0].parts["meaning"] > 0


def test_a_framework_s_model_whose_vectors_have_another_length_after_the_outage(tmp_path):
    """It is another model under the same name, which shows when it works."""
    path = tmp_path / "m.db"
    with MemoryRegistry(path, encoder=Embeddings()) as registry:
        told(registry.get("m"), BEFORE)
    model = Embeddings(broken=True, dim=16)
    with MemoryRegistry(path, encoder=model) as registry:
        told(registry.get("m"), MEANWHILE)
        model.broken = False
        with pytest.raises(EncoderMismatchError):
            told(registry.get("m"), "It works again.")


def test_a_process_that_stores_one_message_and_ends_brings_vectors_too(tmp_path, encoder):
    """So work functions that are started for each message: nobody would ever embed what an outage left."""
    path = tmp_path / "m.db"
    with MemoryRegistry(path, encoder=encoder) as registry:
        told(registry.get("m"), BEFORE)
        encoder.broken = True
        told(registry.get("m"), MEANWHILE)
    with MemoryRegistry(path, encoder=Unsteady()) as registry:
        told(registry.get("m"), "It works again.")
        assert lacking(registry.get("m")) == 0


@pytest.mark.parametrize("precision", ["single", "half"])
def test_a_large_memory_that_comes_from_its_image(tmp_path, encoder, precision):
    """There vectors are not in RAM, only what their codes tell."""
    path, config = tmp_path / "m.db", Config(vector_precision=precision)
    with MemoryRegistry(path, encoder=encoder, config=config) as registry:
        memory = registry.get("m")
        memory.add_messages(
            [
                NewMessage(content=f"Line {number} of the log of ship {number % 97}.", role="assistant")
                for number in range(4200)
            ]
        )
        encoder.broken = True
        told(memory, MEANWHILE)
    with MemoryRegistry(path, encoder=Unsteady(), config=config) as registry:
        memory = registry.get("m")
        assert lacking(memory) == 1
        [late] = [hit for hit in memory.retrieve(QUESTION) if hit.signal.content == MEANWHILE]
        # The mean of the others: no cosine is read for it, which would be 0.
        assert late.parts["meaning"] != 0
        told(memory, "It works again.")
        assert lacking(memory) == 0
        assert memory.retrieve(QUESTION)[0].parts["meaning"] > 0


def test_what_is_deleted_or_edited_meanwhile(registry, encoder):
    """It waits for nothing any more."""
    memory = registry.get("m")
    told(memory, BEFORE)
    encoder.broken = True
    ((gone,), (edited,)) = told(memory, MEANWHILE, "The Heron leaks.")
    memory.delete_message(gone.parent_turn_id)
    assert lacking(memory) == 1
    with pytest.raises(EncoderError):
        # The old text is still there, so nothing would be lost.
        memory.update_message(edited.parent_turn_id, "The Heron is tight again.")
    encoder.broken = False
    memory.update_message(edited.parent_turn_id, "The Heron is tight again.")
    assert lacking(memory) == 0


def test_an_encoder_that_has_never_worked_is_an_error(store):
    """A wrong key or a missing model: told at the first message, and not by a memory that finds little."""
    with MemoryRegistry(store, encoder=Unsteady(broken=True)) as registry:
        memory = registry.get("m")
        with pytest.raises(EncoderError):
            told(memory, BEFORE)
        assert memory.messages() == []


def test_the_first_message_of_a_new_memory(registry, encoder):
    """An encoder that works for others is out of order, and not set up wrong."""
    told(registry.get("another"), BEFORE)
    encoder.broken = True
    memory = registry.get("m")
    told(memory, MEANWHILE)
    assert memory.retrieve(QUESTION)[0].signal.content == MEANWHILE
    encoder.broken = False
    told(memory, "It rains.")
    assert lacking(memory) == 0


@pytest.mark.parametrize("config", [Config(strategy="vector"), Config.classic()])
def test_where_words_find_nothing_a_failing_encoder_is_an_error(store, encoder, config):
    """What could not be found at all must not look stored."""
    with MemoryRegistry(store, encoder=encoder, config=config) as registry:
        memory = registry.get("m")
        told(memory, BEFORE)
        encoder.broken = True
        with pytest.raises(EncoderError):
            told(memory, MEANWHILE)
        assert [message.content for message in memory.messages()] == [BEFORE]


@pytest.mark.parametrize("broken", [False, True])
def test_another_encoder_is_still_refused(store, encoder, broken):
    """Whether it fails or not: its vectors would not fit."""
    other = Unsteady(dim=32)
    other.encode(["works"])
    other.broken = broken
    with MemoryRegistry(store, encoder=encoder) as registry:
        told(registry.get("m"), BEFORE)
        with pytest.raises(EncoderMismatchError):
            told(MemoryRegistry(store, encoder=other).get("m"), MEANWHILE)
        assert [message.content for message in registry.get("m").messages()] == [BEFORE]
