"""What may be recalled is, however much of something else stands before it."""

import json
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import numpy as np
import pytest

from streetai_core import Config, MemoryRegistry, NewMessage, PostProcessor, RecallFilter
from streetai_core.encoders import HashingEncoder
from streetai_core.errors import InputError
from streetai_core.index.cues import CueIndex
from streetai_core.recall.processing import rescored
from streetai_core.recall.processors import RecentFirst

NOON = datetime(2026, 3, 2, 12, tzinfo=timezone.utc)
HARBOUR = "the harbour of Marstal"


@pytest.fixture
def memory_of(tmp_path):
    """A memory with some settings."""
    opened = []

    def memory_with(**settings):
        registry = MemoryRegistry(
            tmp_path / "m.db",
            config=Config(history_ceiling=False, **settings),
            encoder=HashingEncoder(256),
            clock=lambda: NOON,
            durability="fast",
        )
        opened.append(registry)
        return registry.get("mara")

    yield memory_with
    for registry in opened:
        registry.close()


def contents(hits):
    """What hits say."""
    return [hit.signal.content for hit in hits]


@pytest.mark.parametrize("copies", [100, 400, 1500])
def test_what_was_said_over_and_over_hides_nothing(memory_of, copies):
    """As a bot's status does, which is as trusted as all else: each text counts once, in `why` and in prompts too."""
    memory = memory_of()
    rare = {
        "The report on the pump in the harbour is in Ana's drawer.",
        "The harbour pump was mended in May by Tom.",
    }
    status = "Status report: the pump in the harbour is running."
    memory.add_messages([NewMessage(content=text, role="user") for text in sorted(rare)])
    memory.add_messages([NewMessage(content=status, role="assistant")] * copies)
    question = "Is there a status report on the pump in the harbour?"
    assert {status, *rare} == set(contents(memory.retrieve(question)))
    assert len(memory.retrieve(question, limit=2)) == 2
    assert {status, *rare} == set(contents(memory.why(question).hits))
    prompt = memory.build_prompt(question, token_budget=1500, conversation_id="now")
    assert {status, *rare} == set(contents(prompt.retrieved))


def test_what_is_dead_for_good_hides_nothing(memory_of):
    """Where nothing is revived, what has faded takes no place, though it be nearer."""
    memory = memory_of(revival_similarity=0.0, decay_rate=0.05)
    old = [f"The boat lies at berth {number} of the harbour." for number in range(1000)]
    memory.add_messages([NewMessage(content=text, role="user") for text in old])
    memory.add_messages([NewMessage(content=f"Pies with leek, {number}.", role="user") for number in range(70)])
    memory.add_message("We took the boat out of the water, it stands in the yard now.", role="user")
    hits = memory.retrieve("At which berth of which harbour does the boat lie?")
    assert "We took the boat out of the water, it stands in the yard now." in contents(hits)
    assert not set(old) & set(contents(hits))


@pytest.mark.parametrize("strategy", ["keyword", "hybrid"])
def test_code_is_found_by_its_words_where_only_code_is_wanted(memory_of, strategy):
    """They stand with the prose before it where that may be found too."""
    memory = memory_of(strategy=strategy)
    prose = "Here is what we talked about on Monday, when Anna said that the old way was far too slow for us. " * 3
    code = "```python\ndef reticulate_splines(tide):\n    return [berth * tide for berth in load_berths()]\n```"
    memory.add_message(f"{prose}\n\n{code}\n", role="assistant")
    memory.add_messages([NewMessage(content=f"Leek pie number {one} needs eggs.", role="user") for one in range(30)])
    for kind in ("code", "chunk"):
        best = memory.retrieve("reticulate_splines", wanted=RecallFilter(kinds=[kind]))[0]
        assert best.signal.kind == kind
        assert best.parts["words"] > 0


def test_what_a_message_said_before_it_was_edited_is_forgotten(memory_of):
    """An agent still shows the old text: that is no reason to leave out the new one."""
    memory = memory_of()
    memory.add_message("My boat lies at berth 31.", role="user", message_id="boat", conversation_id="old")
    for number in range(20):
        memory.add_message(f"Filler number {number} about pies.", role="user", conversation_id="old")
    memory.update_message("boat", "My boat lies at berth 77 in Marstal.")
    prompt = memory.build_prompt("Where does my boat lie?", conversation_id="new", shown=["My boat lies at berth 31."])
    assert contents(prompt.retrieved)[0] == "My boat lies at berth 77 in Marstal."


def documents(memory, *, each):
    """A memory told documents and talk about a harbour."""
    for number in range(each):
        memory.add_message(f"Chart {number * 37}: {HARBOUR} has {number} metres.", role="user", source="document")
        memory.add_message(
            f"I walked to {HARBOUR} with friend {number * 7} and {number} apples.",
            role="user",
            created_at=NOON - timedelta(days=200),
        )


def test_why_keeps_the_share_of_what_is_not_trusted(memory_of):
    """Also where a processor lifts it above the rest: `why` tells what `retrieve` finds."""
    memory = memory_of()
    documents(memory, each=40)
    for processors in ((), (RecentFirst(half_life=10, lift=0.5),)):
        found = memory.retrieve(HARBOUR, processors=processors)
        told = memory.why(HARBOUR, processors=processors).hits
        assert contents(found) == contents(told)
        assert sum(hit.signal.source == "document" for hit in told) == 5


def test_what_is_below_the_least_score_takes_no_place(memory_of):
    """What is not trusted has the places that nothing trusted fills."""
    memory = memory_of()
    documents(memory, each=20)
    hits = memory.retrieve(f"How many metres has {HARBOUR} on the chart?", limit=10)
    trusted = max(hit.score for hit in hits if hit.signal.source == "user")
    least = trusted + 0.001
    above = memory.retrieve(f"How many metres has {HARBOUR} on the chart?", limit=10, min_score=least)
    assert sum(hit.score >= least for hit in hits) < len(above) == 10


class Given(PostProcessor):
    """Makes something of every hit."""

    def __init__(self, make):
        self._make = make

    def process(self, found):
        """The hits, each made anew."""
        return [self._make(hit) for hit in found.hits]


def test_parts_of_a_processors_own_are_explained(memory_of):
    """The gate is told by what was found."""
    memory = memory_of()
    documents(memory, each=3)
    judged = Given(lambda hit: replace(hit, parts={"judged": hit.score}))
    assert memory.why(HARBOUR, processors=[judged]).gates == memory.why(HARBOUR, processors=()).gates


def test_numbers_of_a_processors_are_plain_ones(memory_of):
    """The inspector is JSON whatever scores come back as."""
    memory = memory_of()
    documents(memory, each=3)
    single = Given(lambda hit: replace(hit, score=np.float32(1), parts={"judged": np.float32(1)}))
    prompt = memory.build_prompt(f"What of {HARBOUR}?", conversation_id="now", processors=[single])
    assert json.loads(json.dumps(prompt.inspector))
    assert {type(hit.score) for hit in prompt.retrieved} == {float}


@pytest.mark.parametrize(
    "make",
    [
        lambda hit: replace(hit, signal=replace(hit.signal, parent_turn_id="another")),
        lambda hit: replace(hit, score=1 + 1j, parts={"judged": 1 + 1j}),
        lambda hit: replace(hit, score=10**400, parts={"judged": 10**400}),
    ],
    ids=["another message", "complex", "huge"],
)
def test_what_is_no_hit_of_the_question_is_refused(memory_of, make):
    """By the name of the processor, on every path."""
    memory = memory_of()
    documents(memory, each=3)
    for ask in (memory.retrieve, memory.why, memory.build_prompt):
        with pytest.raises(InputError, match=r"Given\.process"):
            ask(HARBOUR, processors=[Given(make)])


class Writing(PostProcessor):
    """Stores something while it works."""

    def __init__(self, memory, texts):
        self._memory, self._texts, self._calls = memory, texts, 0

    def process(self, found):
        """All hits."""
        self._calls += 1
        if text := self._texts.get(self._calls):
            self._memory.add_message(text, role="user", conversation_id=f"elsewhere {self._calls}")
        return [rescored(hit, "seen", 0.0) for hit in found.hits]


def test_what_is_stored_while_processors_work_costs_a_question_nothing(memory_of):
    """A question that leans on the one before it has two lots of hits: each goes on with its own."""
    memory = memory_of()
    memory.add_message("The dentist said the tooth needs a crown.", role="user", conversation_id="old")
    memory.add_message("How much it was: the bill was 300 euros.", role="user", conversation_id="bill")
    for number in range(20):
        memory.add_message(f"The garden needs new soil, {number}.", role="assistant", conversation_id="old")
    memory.add_message("What did the dentist say about my tooth?", role="user", conversation_id="now")
    memory.add_message("A crown is needed.", role="assistant", conversation_id="now")
    texts = {2: "My dentist looked at the tooth, tooth by tooth.", 3: "And how much was it? It was how much it was."}
    prompt = memory.build_prompt("And how much was it?", conversation_id="now", processors=[Writing(memory, texts)])
    assert "How much it was: the bill was 300 euros." in contents(prompt.retrieved)


def test_cosines_of_cues_do_not_depend_on_where_they_stand():
    """A memory that was opened anew has them in another order, and the same scores to the last bit."""
    chosen = np.random.default_rng(5)
    vectors = chosen.normal(size=(7, 384)).astype(np.float32)
    question = chosen.normal(size=384).astype(np.float32)
    orders = [list(range(7)), [3, 0, 6, 1, 5, 2, 4], [2]]
    told = []
    for order in orders:
        cues = CueIndex(384)
        for one in order:
            cues.put((one, one), 1, vectors[one])
        _, cosines = cues.near(question)
        told.append(dict(zip(order, cosines.tolist(), strict=True)))
    assert all(some.items() <= told[0].items() for some in told)
