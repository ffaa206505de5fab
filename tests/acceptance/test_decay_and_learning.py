"""Acceptance numbers 1 to 9: decay, revival, learning, stacks and ranking, computed by hand."""

import numpy as np
import pytest

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.dynamics.decay import effective_weights
from streetai_core.testing.planted import PlantedEncoder, at_cosine

QUESTION = "what was it again?"
FACT = "the berth number is thirty one"


def planted(cosine, **more):
    """An encoder that knows the question, the fact at `cosine` to it, and idle talk at a right angle to both."""
    talk = {f"idle talk number {n} about nothing": at_cosine(0.0, axis=2) for n in range(400)}
    return PlantedEncoder({QUESTION: at_cosine(1.0), FACT: at_cosine(cosine), **talk, **more})


@pytest.fixture
def aged(tmp_path):
    """Make a memory in which the fact was said so many turns ago; returns a function."""
    registries = []

    def make(age, cosine, **changes):
        config = Config.classic(recency_turns=0, **changes)
        registry = MemoryRegistry(tmp_path / f"{len(registries)}.db", config=config, encoder=planted(cosine))
        registries.append(registry)
        memory = registry.get("m")
        memory.add_message(FACT, "user")
        # A message's own turn counts: after it the clock stands at 1, so its age is 1.
        memory.add_messages(
            [NewMessage(content=f"idle talk number {n} about nothing", role="user") for n in range(age - 1)]
        )
        return memory

    yield make
    for registry in registries:
        registry.close()


def effective(age):
    """The weight of a signal of base 1 at an age in turns."""
    return float(effective_weights(np.array([1.0]), np.array([0]), age, Config().decay_rate)[0])


def test_number_1_half_life_is_fifty_turns():
    """2 ** (-50/50) = .5 and 2 ** (-100/50) = .25; alive at 216 (.0501), dead at 217 (.0494)."""
    assert effective(50) == pytest.approx(0.5, abs=1e-6)
    assert effective(100) == pytest.approx(0.25, abs=1e-6)
    assert effective(216) >= Config().death_threshold
    assert effective(217) < Config().death_threshold


def test_number_1_living_and_dead_are_counted(aged):
    """At age 216 the fact is the oldest living signal; one turn later it is the first dead one."""
    memory = aged(216, 0.9)
    assert (216, 0) == (memory.stats()["living_signals"], memory.stats()["dead_signals"])
    memory.add_message("idle talk number 399 about nothing", "user")
    assert 1 == memory.stats()["dead_signals"]


@pytest.mark.parametrize(("cosine", "score"), [(0.46, 0.46 / 3), (0.45, 0.15)])
def test_number_2_a_strong_cue_revives_a_dead_signal(aged, cosine, score):
    """Floor .15/.45 = 1/3: .46/3 = .1533 passes .15, and .45/3 = .15 passes it inclusively."""
    (hit,) = aged(250, cosine).retrieve(QUESTION)
    assert FACT == hit.signal.content
    assert hit.score == pytest.approx(score, abs=1e-6)
    assert hit.revived
    assert hit.effective_weight < 0.05


def test_number_2_a_weaker_cue_does_not(aged):
    """.44/3 = .1467 is below .15."""
    assert [] == aged(250, 0.44).retrieve(QUESTION)


def test_number_3_without_revival_the_exact_words_surface_at_136_turns(aged):
    """2 ** (-136/50) = .1518 passes .15."""
    (hit,) = aged(136, 1.0, revival_similarity=0).retrieve(QUESTION)
    assert hit.score == pytest.approx(2 ** (-136 / 50), abs=1e-6)


def test_number_3_and_not_at_137(aged):
    """2 ** (-137/50) = .1497 is below .15."""
    assert [] == aged(137, 1.0, revival_similarity=0).retrieve(QUESTION)


def test_number_4_idle_time_changes_nothing(tmp_path):
    """Ten years on the wall clock and a thousand questions leave weights and clock where they were."""
    from datetime import datetime, timedelta, timezone  # noqa: PLC0415 - only here

    now = [datetime(2026, 1, 1, tzinfo=timezone.utc)]
    with MemoryRegistry(
        tmp_path / "m.db", config=Config.classic(recency_turns=0), encoder=planted(0.5), clock=lambda: now[0]
    ) as registry:
        memory = registry.get("m")
        memory.add_message(FACT, "user")
        before = memory.retrieve(QUESTION)
        now[0] += timedelta(days=3650)
        for _ in range(10):
            memory.build_prompt(QUESTION)
        assert before == memory.retrieve(QUESTION)
        assert 1 == memory.stats()["turn_counter"]


def test_number_5_exactly_the_signals_sent_are_refreshed_and_that_survives_a_restart(tmp_path):
    """Forty signals pass the gate, the cap sends twenty-five: those restart their age, and no other."""
    facts = [f"fact number {n} has enough words and its own place here" for n in range(40)]
    vectors = {fact: at_cosine(0.9 - n * 0.001, axis=1 + n % 7) for n, fact in enumerate(facts)}
    encoder = PlantedEncoder({QUESTION: at_cosine(1.0), "a reply that matters to nobody": at_cosine(0.3), **vectors})
    config = Config.classic(recency_turns=0, stack_threshold=-1.0)
    with MemoryRegistry(tmp_path / "m.db", config=config, encoder=encoder) as registry:
        memory = registry.get("m")
        memory.add_messages([NewMessage(content=fact, role="user") for fact in facts])
        prompt = memory.build_prompt(QUESTION)
        assert 25 == len(prompt.retrieved)
        memory.post_process(prompt.retrieved, "a reply that matters to nobody")
        sent = {hit.signal.signal_id for hit in prompt.retrieved}
    with MemoryRegistry(tmp_path / "m.db", config=config, encoder=encoder) as registry:
        refreshed = {one.signal_id for one in registry.get("m").signals if one.last_used_turn == 40}
        assert sent == refreshed


@pytest.fixture
def learner(tmp_path):
    """A memory with one fact, and replies at chosen cosines to it."""
    replies = {f"reply at {cosine}": at_cosine(cosine) for cosine in (1.0, 0.56, 0.55, 0.54, 0.21, 0.20, 0.0)}
    encoder = PlantedEncoder({FACT: at_cosine(1.0), **replies})
    with MemoryRegistry(tmp_path / "m.db", config=Config.classic(), encoder=encoder) as registry:
        memory = registry.get("m")
        memory.add_message(FACT, "user")
        yield memory


def learn(memory, cosine, times=1):
    """Post-process a reply so many times; returns the last report."""
    signals = [one.signal_id for one in memory.signals]
    for _ in range(times):
        (update,) = memory.post_process(signals, f"reply at {cosine}")
    return update


def test_number_6_boost_grows_by_a_tenth_up_to_eight(learner):
    """1.1 ** 21 = 7.40; the 22nd boost would be 8.14 and is capped at 8.0."""
    assert learn(learner, 1.0)["new_weight"] == pytest.approx(1.10, abs=1e-9)
    assert learn(learner, 1.0, times=20)["new_weight"] == pytest.approx(1.1**21, abs=1e-6)
    assert 8.0 == learn(learner, 1.0)["new_weight"]


def test_number_6_demotion_has_a_floor(learner):
    """.95 once is .95; a thousand times would be 5e-23 and stops at min_base_weight."""
    assert learn(learner, 0.0)["new_weight"] == pytest.approx(0.95, abs=1e-9)
    assert learner.config.min_base_weight == learn(learner, 0.0, times=1000)["new_weight"]


@pytest.mark.parametrize(
    ("cosine", "action"), [(0.56, "boost"), (0.55, "boost"), (0.54, "none"), (0.21, "none"), (0.20, "demote")]
)
def test_number_7_the_bands_are_inclusive(learner, cosine, action):
    """.55 boosts and .20 demotes; between them nothing happens."""
    assert action == learn(learner, cosine)["action"]


@pytest.mark.parametrize(("cosine", "stacks"), [(0.55, 1), (0.549, 2)])
def test_number_8_a_cosine_of_55_joins_a_stack(tmp_path, cosine, stacks):
    """Inclusive at .55, and not below it."""
    near = "something near the fact, said later"
    encoder = PlantedEncoder({FACT: at_cosine(1.0), near: at_cosine(cosine)})
    with MemoryRegistry(tmp_path / "m.db", encoder=encoder) as registry:
        memory = registry.get("m")
        memory.add_message(FACT, "user")
        memory.add_message(near, "user")
        assert stacks == memory.stats()["stacks"]


def test_number_9_exact_facts_come_first_however_old(tmp_path):
    """64 facts, each asked for in its own words: the default ranks every one of them first, as plain cosine does."""
    facts = [f"fact {n}: locker {n * 7} belongs to crew member number {n} of the harbour" for n in range(64)]
    with MemoryRegistry(tmp_path / "m.db", encoder=None) as registry:
        memory = registry.get("m")
        memory.add_messages([NewMessage(content=fact, role="user") for fact in facts])
        assert facts == [memory.retrieve(fact)[0].signal.content for fact in facts]


def test_number_9_loud_chatter_stays_below_the_exact_answer(tmp_path):
    """Chatter boosted to weight 8 at similarity .48 loses to the answer at .72 (as a product: 3.5 against .67)."""
    chatter = "chatter that was praised too often"
    encoder = PlantedEncoder(
        {
            QUESTION: at_cosine(1.0),
            FACT: at_cosine(0.72),
            chatter: at_cosine(0.48, axis=3),
            "praise": at_cosine(0.48, axis=3),
        }
    )
    with MemoryRegistry(tmp_path / "m.db", encoder=encoder) as registry:
        memory = registry.get("m")
        memory.add_message(FACT, "user")
        memory.add_message(chatter, "user")
        loud = memory.signals[1].signal_id
        for _ in range(30):
            memory.post_process([loud], "praise")
        assert 8.0 == memory.signals[1].base_weight
        assert [FACT, chatter] == [hit.signal.content for hit in memory.retrieve(QUESTION)]


def test_number_13_a_centroid_weighs_what_was_sent_as_used_now(tmp_path):
    """One signal was sent after 100 turns (weight .25 by age, 1.0 by use), and boosted: it weighs 1.1, the other .25.

    On three axes they are (.9, .436, 0) and (.6, 0, .8), so that the centroid is the direction of (1.14, .48, .2); its
    cosine to one more of the first is .986, by their ages alone .889: this one joins at .95.
    """
    near, again, other = "the berth number is thirty one", "it is thirty one still", "the berth number was nineteen"
    idle = [f"idle talk number {n} about nothing" for n in range(98)]
    encoder = PlantedEncoder(
        {
            QUESTION: at_cosine(1.0),
            **dict.fromkeys((near, again, "thirty one"), at_cosine(0.9, axis=1)),
            other: at_cosine(0.6, axis=2),
            **dict.fromkeys(idle, at_cosine(0.0, axis=5)),
        }
    )
    with MemoryRegistry(tmp_path / "m.db", config=Config.classic(stack_threshold=0.5), encoder=encoder) as registry:
        memory = registry.get("m")
        memory.add_messages([NewMessage(content=text, role="user") for text in (near, other, *idle)])
        sent = [hit for hit in memory.retrieve(QUESTION) if hit.signal.content == near]
        (update,) = memory.post_process(sent, "thirty one")
        assert "boost" == update["action"]
    with MemoryRegistry(tmp_path / "m.db", config=Config.classic(stack_threshold=0.95), encoder=encoder) as registry:
        (signal,) = registry.get("m").add_message(again, "user")
        assert sent[0].signal.stack_id == signal.stack_id
