"""What an app or a model does for a question is done while nothing of the memory is locked."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from streetai_core import Config, MemoryRegistry, NewMessage, PostProcessor, Strategy
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.recall.processing import rescored

SAID = [NewMessage(content=f"The boat number {n} lies at berth {n * 7}.", role="user") for n in range(8)]
QUESTION = "Where does the boat number 3 lie?"
VERBS = {
    "retrieve": lambda memory: memory.retrieve(QUESTION),
    "build_prompt": lambda memory: memory.build_prompt(QUESTION, conversation_id="today").retrieved,
    "why": lambda memory: memory.why(QUESTION).hits,
}


class Using(PostProcessor):
    """Uses the memory, in a thread of its own as a server would, and turns the order round."""

    def __init__(self, use):
        self.use = use
        self.given = []

    def process(self, found):
        """Each hit with the negative of its score."""
        self.given.append([hit.signal.content for hit in found.hits])
        with ThreadPoolExecutor(1) as pool:
            pool.submit(self.use).result(timeout=30)
        self.use()
        return [rescored(hit, "backwards", -2 * hit.score) for hit in found.hits]


@pytest.fixture
def opened(tmp_path):
    """A function that opens a memory whose hits a processor may have."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as filled:
        filled.get("m").add_messages(SAID)
    registries = []

    def open_with(*processors, encoder=None, config=None):
        encoder = encoder or HashingEncoder()
        registries.append(MemoryRegistry(tmp_path / "m.db", encoder=encoder, processors=processors, config=config))
        return registries[-1].get("m")

    yield open_with
    for registry in registries:
        registry.close()


@pytest.mark.parametrize("verb", VERBS)
def test_a_processor_may_read_the_memory(opened, verb):
    """If it fails, a reranker that takes a second stops every chat of this memory for as long, or the call fails."""
    processor = Using(lambda: memory.messages(last=1))
    memory = opened(processor)
    hits = VERBS[verb](memory)
    assert hits
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all("backwards" in hit.parts for hit in hits)
    assert 1 == len(processor.given)


@pytest.mark.parametrize("verb", VERBS)
def test_a_processor_during_which_somebody_writes(opened, verb):
    """The memory that is always written to is answered too, and what is recalled has been seen by the processor."""
    processor = Using(lambda: memory.add_message("The boat number 3 lies at a berth, somebody says.", "user"))
    memory = opened(processor)
    hits = VERBS[verb](memory)
    assert hits
    seen = {text for texts in processor.given for text in texts}
    assert {hit.signal.content for hit in hits} <= seen
    assert all("backwards" in hit.parts for hit in hits)
    assert len(processor.given) <= 3


def test_what_a_processor_deletes_is_not_recalled(opened):
    """If it fails, a prompt holds what was deleted before it was built."""
    (told,) = opened().messages(last=1)
    memory = opened(Using(lambda: memory.delete_message(told.message_id)))
    prompt = memory.build_prompt(told.content, conversation_id="today")
    assert prompt.retrieved
    assert told.content not in {hit.signal.content for hit in prompt.retrieved}


class Judging(Strategy):
    """Uses the memory, in a thread of its own as a server would, and wants the newest first."""

    def __init__(self, use):
        self.use = use
        self.told = []

    def score(self, known):
        """One more for each message."""
        self.told.append(set(known.signal_ids))
        with ThreadPoolExecutor(1) as pool:
            pool.submit(self.use).result(timeout=30)
        return known.sequence


@pytest.mark.parametrize("verb", VERBS)
def test_a_strategy_may_read_the_memory(opened, verb):
    """If it fails, one that asks a model stops every chat of this memory for as long, or the call fails."""
    strategy = Judging(lambda: memory.messages(last=1))
    memory = opened(config=Config(strategy=strategy))
    assert len(VERBS[verb](memory)) > 1
    assert len(strategy.told) == 1


@pytest.mark.parametrize("verb", VERBS)
def test_a_strategy_may_ask_the_memory(opened, verb):
    """With a built-in one, to go on from there."""
    strategy = Judging(lambda: memory.retrieve(QUESTION, strategy="hybrid"))
    memory = opened(config=Config(strategy=strategy))
    assert len(VERBS[verb](memory)) > 1
    assert len(strategy.told) == 1


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("processes", [False, True])
def test_a_strategy_during_which_somebody_writes(opened, verb, processes):
    """The memory that is always written to is answered too, with what the strategy was told of last."""
    strategy = Judging(lambda: memory.add_message("The boat number 3 lies at a berth, somebody says.", "user"))
    memory = opened(*([Using(lambda: None)] if processes else []), config=Config(strategy=strategy))
    hits = VERBS[verb](memory)
    assert len(strategy.told) == 3
    assert len(hits) > 1
    assert {hit.signal.signal_id for hit in hits} <= strategy.told[-1]


def test_why_of_a_message_that_is_edited_while_a_strategy_is_at_work(opened):
    """It was never told of what the message says now."""
    other = opened()
    edited = other.messages(last=1)[0].message_id
    strategy = Judging(lambda: other.update_message(edited, f"The boat number 7 was moved {len(strategy.told)} times."))
    memory = opened(config=Config(strategy=strategy))
    [one] = memory.why(QUESTION, message=edited).considered
    assert one.hit.signal.content == "The boat number 7 was moved 3 times."
    assert (one.rank, one.recalled) == (None, False)
    assert one.reason == "it was stored while the strategy Judging was at work"


@pytest.mark.parametrize("verb", VERBS)
def test_what_a_strategy_deletes_is_not_recalled(opened, verb):
    """Whatever it scored: each time one less, and the others keep their own scores though rows have moved."""
    other = opened()
    ids = [message.message_id for message in other.messages()]
    strategy = Judging(lambda: other.delete_message(ids.pop(0)))
    hits = VERBS[verb](opened(config=Config(strategy=strategy)))
    assert len(strategy.told) == 3
    assert hits
    assert {hit.signal.parent_turn_id for hit in hits} <= set(ids)
    assert all(f"number {hit.score:.0f} " in hit.signal.content for hit in hits)


def test_what_a_strategy_hides_is_not_recalled(opened):
    """After any number of rounds."""
    other = opened()
    ids = [message.message_id for message in other.messages()]
    strategy = Judging(lambda: other.quarantine(message=ids.pop()))
    found = opened(config=Config(strategy=strategy)).retrieve(QUESTION)
    assert {hit.signal.parent_turn_id for hit in found} == set(ids)
    assert len(strategy.told) == 3


class Reading(HashingEncoder):
    """Reads the memory from another thread while it embeds a question."""

    def __init__(self):
        super().__init__()
        self.memory = None
        self.embedded = []

    def embed(self, texts, kind):
        """Vectors as ever."""
        if self.memory is not None and kind == "query":
            self.embedded += texts
            with ThreadPoolExecutor(1) as pool:
                pool.submit(self.memory.stats).result(timeout=30)
        return super().embed(texts, kind)


@pytest.mark.parametrize("verb", VERBS)
def test_a_speaker_whom_another_process_has_stored_since(opened, verb):
    """A name is not embedded with a question: it is asked again without it, and nobody waits for the encoder."""
    encoder = Reading()
    memory = opened(encoder=encoder)
    memory.retrieve(QUESTION)
    opened().add_message("My boat lies at berth 90.", "user", name="Mara")
    encoder.memory, question = memory, "Where does Mara keep her boat?"
    asked = {
        "retrieve": memory.retrieve,
        "build_prompt": lambda text: memory.build_prompt(text, conversation_id="today").retrieved,
        "why": lambda text: memory.why(text).hits,
    }[verb](question)
    assert 2 == len(encoder.embedded)
    assert question == encoder.embedded[0]
    assert "Mara" not in encoder.embedded[1]
    assert opened().retrieve(question)[0].score == pytest.approx(asked[0].score)
