"""What fills the room of a prompt that is left when all that is relevant enough stands in it."""

from dataclasses import replace
from datetime import datetime, timezone

import pytest

from streetai_core import Config, MemoryRegistry, NewMessage, PostProcessor, RecallFilter
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.stores.reference import ReferenceStore
from streetai_core.tokens import EstimatedTokens, count_messages

QUESTION = "Where does my boat Kestrel lie?"
NOT_ASKED = "My boat Kestrel does lie where."
"""The same words, which ask for nothing."""
RELEVANT = [
    "My boat Kestrel lies at berth 31.",
    "A boat needs paint.",
    "Potatoes, peas and salt.",
    "The cat sleeps in the boat.",
    "Nobody sang on Friday.",
]
"""By words, or as what stands right beside such."""
FILLING = [
    "He paints doors red.",
    "Green apples taste sour.",
    "Her violin was stolen.",
    "Seven ducks crossed our road.",
]
UNLIKE = ["Glaciers melt each summer.", "Tax forms arrive late."]
SAID = [
    RELEVANT[0],
    RELEVANT[2],
    RELEVANT[4],
    RELEVANT[1],
    FILLING[1],
    FILLING[3],
    FILLING[2],
    UNLIKE[1],
    RELEVANT[3],
    UNLIKE[0],
    FILLING[0],
]
CONFIG = Config(history_ceiling=False, recency_turns=0, min_relevance=0.2)
AMPLE = 1000


class Everything(PostProcessor):
    """Leaves the hits as they are."""

    def process(self, found):
        """All of them."""
        return found.hits


def user(text, **more):
    """A message of a user."""
    return NewMessage(content=text, role="user", **more)


def memory_of(messages, config=CONFIG):
    """A memory with these messages."""
    memory = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder(), config=config).get("m")
    memory.add_messages(messages)
    return memory


def memory_with(texts=SAID, config=CONFIG):
    """A memory in which a user has said these texts."""
    return memory_of(map(user, texts), config)


def sent(memory, question=QUESTION, budget=AMPLE, **wanted):
    """What a prompt recalls."""
    return {hit.signal.content for hit in memory.build_prompt(question, token_budget=budget, **wanted).retrieved}


def test_with_a_budget_the_room_is_filled():
    """With what is a third as relevant as it must be, and with nothing else; `retrieve` gives none of it."""
    memory = memory_with()
    assert sent(memory) == {*RELEVANT, *FILLING}
    assert {hit.signal.content for hit in memory.retrieve(QUESTION)} == set(RELEVANT)


def test_nothing_fills_room_before_all_that_is_relevant_stands_in_it():
    """In any budget, and what is nearest to being relevant comes first."""
    memory = memory_with()
    filled = set()
    for budget in range(20, 300):
        found = sent(memory, budget=budget)
        assert found <= set(RELEVANT) or found >= set(RELEVANT)
        filled.add(len(found - set(RELEVANT)))
    assert filled == {0, 1, 2, 3, 4}


def test_a_large_budget_is_filled_as_far_as_3000_tokens():
    """A history that goes on would be sent nearly whole to a model that reads much."""
    tasks = [f"Task {number} is about {number * 7} doors and their paint." for number in range(1000)]
    memory = memory_with([*SAID, *tasks])
    before = 0
    for budget in (1000, 2000, 3000, 3050, 4000, 8000, 100_000):
        prompt = memory.build_prompt(QUESTION, token_budget=budget)
        tokens = count_messages(prompt.messages, EstimatedTokens())
        assert 0.98 * min(budget, 3000) < tokens <= min(budget, 3100)
        assert len(prompt.retrieved) >= before
        before = len(prompt.retrieved)


@pytest.mark.parametrize(
    "changes",
    [
        {"budget_decides": False},
        {"strategy": "vector"},
        {"min_relevance": 0.0},
        {"min_relevance": 0.61},
    ],
    ids=["no budget decides", "meaning alone decides", "all is relevant", "little is known"],
)
def test_where_nothing_fills_room(changes):
    """A prompt has what `retrieve` has."""
    memory = memory_with(config=replace(CONFIG, **changes))
    found = {hit.signal.content for hit in memory.retrieve(NOT_ASKED)}
    assert found
    assert sent(memory, NOT_ASKED) == found


def test_for_a_question_about_what_was_told_little_has_to_be_known():
    """It is enough that something is relevant; in other words it fills nothing."""
    memory = memory_with(config=replace(CONFIG, min_relevance=0.61))
    found = {hit.signal.content for hit in memory.retrieve(QUESTION)}
    assert sent(memory, NOT_ASKED) == found == {hit.signal.content for hit in memory.retrieve(NOT_ASKED)}
    assert sent(memory) > found


def test_what_nothing_is_said_of_fills_no_room():
    """Whoever asks for what was told hears that there is nothing."""
    assert sent(memory_with(config=replace(CONFIG, min_relevance=9.0))) == set()


def test_what_was_said_at_a_time_tells_nothing_of_what_is_known():
    """It is recalled whatever it says; where nothing is relevant nothing fills room beside it."""
    said = [NewMessage(content=FILLING[0], role="user", created_at=datetime(2026, 3, 2, 12, tzinfo=timezone.utc))]
    memory = memory_of([*said, *map(user, SAID)], replace(CONFIG, min_relevance=2.0))
    assert sent(memory, "What did my boat Kestrel do on 2 March 2026?") == {FILLING[0]}


def test_without_a_budget_nothing_fills_room():
    """Nobody has said then how much may be sent."""
    assert {hit.signal.content for hit in memory_with().build_prompt(QUESTION).retrieved} == set(RELEVANT)


@pytest.mark.parametrize("asked", [{"min_score": -100.0}, {"processors": [Everything()]}])
def test_who_decides_what_is_sent_gets_nothing_else(asked):
    """A post-processor would not have seen it, and a least score says what is too little."""
    assert sent(memory_with(), **asked) == set(RELEVANT)


def test_what_is_not_trusted_fills_no_room():
    """Whoever plants a text needs nothing but room otherwise."""
    planted = [user(text, source="import" if text == FILLING[0] else "user") for text in SAID]
    assert sent(memory_of(planted)) == {*RELEVANT, *FILLING[1:]}


def test_what_the_caller_does_not_want_fills_no_room():
    """A filter is for all that is recalled."""
    said = [user(text, name="Ben" if text == FILLING[0] else "Mara") for text in SAID]
    assert FILLING[0] not in sent(memory_of(said), wanted=RecallFilter(names=["Mara"]))


@pytest.mark.parametrize(("revival", "fills"), [(0.45, True), (0.0, False)])
def test_what_is_dead_fills_room_unless_nothing_revives(revival, fills):
    """Every message is a turn, and after three of them a signal is dead here."""
    config = replace(CONFIG, decay_rate=1.0, revival_similarity=revival, min_relevance=0.5)
    found = sent(memory_with([RELEVANT[1], *FILLING[1:], *UNLIKE, RELEVANT[0]], config))
    assert RELEVANT[0] in found
    assert (RELEVANT[1] in found) == fills


def test_what_cannot_come_back_does_not_tell_what_is_known():
    """The answer is dead for good; what is left hardly bears on the question."""
    said = [RELEVANT[0], *UNLIKE, FILLING[3], RELEVANT[3], FILLING[1]]
    for revival, known in ((0.45, True), (0.0, False)):
        memory = memory_with(said, replace(CONFIG, decay_rate=1.0, revival_similarity=revival))
        assert (FILLING[1] in sent(memory, NOT_ASKED)) == known


def test_what_is_sent_already_fills_no_room():
    """Of what says the same as a hit, or as other filling, only one is sent."""
    memory = memory_with([*SAID, FILLING[0].upper()])
    prompt = memory.build_prompt(QUESTION, token_budget=AMPLE)
    assert len(prompt.retrieved) == len(sent(memory)) == len(RELEVANT) + len(FILLING)
