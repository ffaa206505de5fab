"""`why`: the parts of a score, the gate, the near misses, and "why not this one?"."""

import random
import re

import numpy as np
import pytest

from streetai_core import Config, MemoryRegistry, NewMessage, RecallFilter
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import InputError
from streetai_core.recall.evidence import DATE
from streetai_core.recall.processors import MinimumScore
from streetai_core.recall.scoring import least_relevance
from streetai_core.stores.reference import ReferenceStore
from tests.looking.questions import random_questions

TEXTS = (
    "My boat Kestrel lies at berth 31, near the fuel jetty.",
    "She draws one metre forty and needs new antifouling.",
    "For the party we need folding chairs and two gas heaters.",
    "My knee hurts on stairs since the ferry trip in April.",
)


def memory_with(texts, config=None):
    """A memory with these messages of one user; their ids are their places."""
    memory = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder(), config=config).get("m")
    memory.add_messages([NewMessage(content=text, role="user", message_id=str(n)) for n, text in enumerate(texts)])
    return memory


def test_the_parts_of_random_questions_sum_to_the_scores(harbour):
    """Of hits and of near misses, to a millionth, and each hit has its gate. Long form: `benchmarks/why_sums.py`."""
    seed = random.randrange(10**6)
    print(f"seed {seed}")  # noqa: T201 - to repeat a failure
    texts = [message.content for message in harbour.messages()]
    hits = 0
    for question in random_questions(texts, 300, random.Random(seed)):
        why = harbour.why(question)
        assert len(why.gates) == len(why.hits)
        for hit in (*why.hits, *(miss.hit for miss in why.near_misses)):
            assert abs(sum(hit.parts.values()) - hit.score) <= 1e-6, question
        hits += len(why.hits)
    assert hits > 1500


@pytest.mark.parametrize(
    "config",
    [Config(), Config(strategy="vector"), Config(strategy="keyword"), Config.classic()],
    ids=["hybrid", "vector", "keyword", "classic"],
)
def test_every_hit_tells_the_gate_it_passed(config):
    """With the number that decided, which is not below the setting it names."""
    why = memory_with(TEXTS, config).why("Where does my boat Kestrel lie?")
    assert why.hits
    assert len(why.gates) == len(why.hits)
    for gate in why.gates:
        numbers = re.search(r"([\d.]+)\)? reach(?:es)? (?:([\d.]+) \()?(\w+) ([\d.]+)", gate)
        reached, less, name, limit = numbers.groups()
        assert float(limit) == getattr(config, name)
        assert float(reached) >= float(less or limit) - 0.001


@pytest.mark.parametrize(
    ("least", "found", "number"),
    [
        (0.14, 5, "reach min_relevance 0.14"),
        (0.21, 5, "reach 0.140 (min_relevance 0.21, less"),
        (0.22, 4, ""),
    ],
)
def test_beside_what_is_plainly_relevant_less_is_enough(least, found, number):
    """Two thirds of the setting, where the best has three times as much: 1.18 here, and .142 the least."""
    said = [
        "My boat Kestrel lies at berth 31.",
        "A boat needs paint.",
        "The cat sleeps in the boat.",
        "Potatoes, peas and salt.",
        "Which berth is free?",
    ]
    memory = memory_with([said[0], said[2], said[3], said[1], said[4]], Config(min_relevance=least))
    why = memory.why("Where does my boat Kestrel lie?")
    assert [hit.signal.content for hit in why.hits] == said[:found]
    assert number in why.gates[-1]
    if found < len(said):
        assert "are below 0.147 (min_relevance 0.22, less" in why.near_misses[0].reason


@pytest.mark.parametrize(
    ("best", "least", "expected"),
    [
        ([0.6, 0.2], 0.2, 0.2 * 2 / 3),
        ([0.59, 0.5], 0.2, 0.2),
        ([], 0.2, 0.2),
        ([5.0], 0.0, 0.0),
        ([5.0], -5.0, -5.0),
    ],
)
def test_how_relevant_a_hit_must_be(best, least, expected):
    """Less where the best is three times as relevant as it must be; who lets everything pass still does."""
    assert least_relevance(np.array(best), least) == pytest.approx(expected)


def test_what_a_prompt_with_room_takes_says_so():
    """A third of the setting is enough for it, where the best has twice as much; what has less says what it lacks."""
    said = [
        "A boat needs paint.",
        "Green apples taste sour.",
        "Her violin was stolen.",
        "Tax forms arrive late.",
        "Glaciers melt each summer.",
        "My boat Kestrel lies at berth 31.",
    ]
    memory = memory_with(said, Config(min_relevance=0.5))
    why = memory.why("Where does my boat Kestrel lie?")
    assert [hit.signal.content for hit in why.hits] == said[-1:]
    reasons = {miss.hit.signal.content: miss.reason for miss in why.near_misses}
    assert reasons[said[0]].endswith("are below min_relevance 0.5; a prompt with room left takes it")
    assert reasons[said[1]].endswith("are below min_relevance 0.5")
    [about] = memory.why("Where does my boat Kestrel lie?", misses=0, message="0").considered
    assert about.reason == reasons[said[0]]
    strict = memory.why("Where does my boat Kestrel lie?", processors=[MinimumScore(0.1)])
    assert {miss.reason.rpartition(" ")[2] for miss in strict.near_misses} == {"0.5"}


def test_what_is_of_the_time_asked_for_says_so(harbour):
    """It passes whatever it says."""
    gates = harbour.why("What was said on 2 March 2026?").gates
    assert any(gate.startswith("it is of the time that is asked for") for gate in gates)


def test_what_names_some_time_and_is_new_is_of_no_time_that_is_asked_for():
    """Who asks for the latest names no time: what has nothing to do with it must not pass for being of that time."""
    everyday = [
        "My sister called on Sunday.",
        "The car got new tyres on Monday.",
        "I bought new shoes on Saturday.",
        "We planted beans this morning.",
        "We had pizza yesterday.",
        "I watched a film last night.",
    ]
    why = memory_with(everyday).why("When was the latest flight to Peru?")
    assert why.gates
    assert all("reach min_relevance" in gate for gate in why.gates)
    [film] = [miss for miss in why.near_misses if "film" in miss.hit.signal.content]
    assert film.hit.parts["time"] > DATE
    assert "are below min_relevance" in film.reason


def test_a_wish_that_is_new_and_names_some_time_is_found_for_being_one():
    """The reason must not be that it is of a time which nobody named."""
    why = memory_with([*TEXTS, "As I said on Monday, always use metric units."]).why(
        "Tell me when the latest penguin parade was."
    )
    [(hit, gate)] = [pair for pair in zip(why.hits, why.gates, strict=True) if "metric" in pair[0].signal.content]
    assert hit.parts["time"] > DATE
    assert gate == f"it says what the user wants from now on (wishes {hit.parts['wishes']:.3f})"


def test_what_is_wanted_from_now_on_says_so():
    """It passes whatever the request is about."""
    why = memory_with([*TEXTS, "Always answer in Swedish."]).why("Plan a trip for ten penguins.")
    [(hit, gate)] = [pair for pair in zip(why.hits, why.gates, strict=True) if "Swedish" in pair[0].signal.content]
    assert gate == f"it says what the user wants from now on (wishes {hit.parts['wishes']:.3f})"


def test_a_repetition_names_the_hit_that_says_it():
    """The id leads to the hit."""
    why = memory_with([*TEXTS, TEXTS[0]]).why("Where does my boat Kestrel lie?")
    [miss] = [miss for miss in why.near_misses if miss.reason.startswith("says what a better hit says")]
    named = re.search(r"\((\S+), cosine 1\.000\)", miss.reason)[1]
    assert {TEXTS[0]} == {hit.signal.content for hit in why.hits if hit.signal.signal_id == named}
    assert miss.hit.signal.content == TEXTS[0]


def test_what_is_behind_the_thinking_space_says_so():
    """It passed, and there was no room."""
    why = memory_with(TEXTS, Config(max_thinking_space=1, min_relevance=-5)).why("boat")
    assert len(why.hits) == 1
    assert {miss.reason for miss in why.near_misses} == {"ranks behind the thinking space of 1 hits"}


def test_one_message_is_asked_about(harbour):
    """All its signals, in order, with rank, parts that sum, and the reason; hits are told from the others."""
    question = "What is my boat called?"
    hit = harbour.why(question).hits[0]
    every = harbour.why(question, misses=10_000)
    ranked = sorted([*every.hits, *(miss.hit for miss in every.near_misses)], key=lambda one: -one.score)
    for message in harbour.messages():
        found = harbour.why(question, message=message.message_id).considered
        assert found
        assert [one.hit.signal.chunk_index for one in found] == list(range(len(found)))
        assert {one.hit.signal.parent_turn_id for one in found} == {message.message_id}
        for one in found:
            assert ranked[one.rank - 1].score == one.hit.score
            assert abs(sum(one.hit.parts.values()) - one.hit.score) <= 1e-6
            assert one.recalled == (one.hit.signal.signal_id in {two.signal.signal_id for two in every.hits})
            assert one.reason
    [first] = [
        one
        for one in harbour.why(question, message=hit.signal.parent_turn_id).considered
        if one.hit.signal.signal_id == hit.signal.signal_id
    ]
    assert (first.rank, first.recalled) == (1, True)


def test_the_reason_of_one_message_is_that_of_the_near_miss(harbour):
    """Two ways of asking, one answer."""
    why = harbour.why("What is my boat called?", misses=40)
    for miss in why.near_misses:
        found = harbour.why("What is my boat called?", message=miss.hit.signal.parent_turn_id).considered
        [one] = [one for one in found if one.hit.signal.signal_id == miss.hit.signal.signal_id]
        assert (one.reason, one.recalled) == (miss.reason, False)


def test_a_signal_outside_of_the_woken_stacks_has_no_rank():
    """The published pipeline looks into the nearest stacks only; its score is told all the same."""
    config = Config.classic(top_stacks=1, stack_threshold=0.9)
    memory = memory_with(TEXTS, config)
    [one] = memory.why("Where does my boat Kestrel lie?", message="3").considered
    assert (one.rank, one.recalled) == (None, False)
    assert one.reason == "its stack is not among the 1 nearest to the question"
    assert abs(sum(one.hit.parts.values()) - one.hit.score) <= 1e-6


def test_a_message_that_the_filter_leaves_out_says_so():
    """In both rankings; its score is told all the same."""
    wanted = RecallFilter(roles=["assistant"])
    for config in (Config(), Config.classic()):
        memory = memory_with(TEXTS, config)
        [one] = memory.why("Where does my boat Kestrel lie?", message="0", wanted=wanted).considered
        [found] = memory.why("Where does my boat Kestrel lie?", message="0").considered
        assert (one.rank, one.recalled, one.reason) == (None, False, "left out by the filter")
        assert one.hit == found.hit


def test_a_message_without_signals_has_none_to_consider():
    """System text is stored and never recalled."""
    memory = memory_with(TEXTS)
    memory.add_message("You are a harbour clerk.", "system", message_id="system")
    assert memory.why("Where does my boat lie?", message="system").considered == ()


@pytest.mark.parametrize("most", [None, 2**63, 10**30])
async def test_all_near_misses_can_be_had(harbour, most):
    """As the error for other values promises; "more than there can be" is a common way to say "all", too."""
    question = "What is my boat called?"
    every = harbour.why(question, misses=len(harbour.signals))
    assert len(every.near_misses) > 40
    assert harbour.why(question, misses=most) == await harbour.awhy(question, misses=most) == every
    empty = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder()).get("m")
    assert empty.why("boat", misses=most).near_misses == ()


@pytest.mark.parametrize("wrong", [-1, True, 2.0, "all", float("inf")])
async def test_a_number_of_near_misses_that_is_none(wrong):
    """What would do instead is in the message, from the twin too."""
    memory = memory_with(TEXTS)
    with pytest.raises(InputError, match="misses must be None or a whole number from 0"):
        memory.why("boat", misses=wrong)
    with pytest.raises(InputError, match="misses must be None or a whole number from 0"):
        await memory.awhy("boat", misses=wrong)


@pytest.mark.parametrize("wrong", ["nobody", "", "0 ", 5, b"0", ["0"]])
def test_an_unknown_message_is_an_error(wrong):
    """Not an empty answer, which would read as "it was not considered"."""
    with pytest.raises(InputError, match="message"):
        memory_with(TEXTS).why("boat", message=wrong)


async def test_the_async_twin_takes_the_message_too():
    """Same answer."""
    memory = memory_with(TEXTS)
    assert await memory.awhy("boat", message="0") == memory.why("boat", message="0")


def test_an_empty_memory_and_a_blank_question_have_no_answer():
    """No error, no gates."""
    empty = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder()).get("m")
    for why in (empty.why("boat"), memory_with(TEXTS).why("  ")):
        assert (why.hits, why.near_misses, why.gates, why.considered) == ((), (), (), ())
    memory = memory_with(TEXTS)
    assert memory.why("  ").turn == memory.why("boat").turn == memory.stats()["turn_counter"]
