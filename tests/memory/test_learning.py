"""What a reply teaches: the message that gave it its words is boosted, and no other."""

from datetime import datetime, timezone

import numpy as np
import pytest

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.errors import ConfigError, EncoderError, InputError
from streetai_core.stores.reference import ReferenceStore
from tests.encoders.failing import Breakable

PAST = (
    "The draught of my boat is one metre forty.",
    "My boat lies in Marstal, in the old harbour.",
    "The draught of a boat is what it needs under the water.",
    "My sister comes to the harbour with a boat every summer.",
)
QUESTION = "In which harbour does my boat lie?"
REPLY = "It lies in Marstal."
NOW = datetime(2026, 4, 1, 12, tzinfo=timezone.utc)


@pytest.fixture
def registry():
    """A registry on the store in RAM."""
    return MemoryRegistry(ReferenceStore(), encoder=Breakable(), clock=lambda: NOW)


def told(registry, memory_id="m"):
    """A memory that knows the past, and all of it as hits for the question."""
    memory = registry.get(memory_id)
    memory.add_messages([NewMessage(content=text, role="user") for text in PAST])
    hits = memory.retrieve(QUESTION)
    assert len(hits) >= 3
    return memory, hits


def by_text(updates):
    """The updates by the text of their signal."""
    return {update["content"]: update for update in updates}


def test_the_message_that_gave_the_reply_its_words_is_boosted(registry):
    """If it fails, learning moves weights at random."""
    memory, hits = told(registry)
    updates = by_text(memory.post_process(hits, REPLY))
    assert "boost" == updates.pop(PAST[1])["action"]
    assert "boost" not in {update["action"] for update in updates.values()}


def test_a_reply_that_only_repeats_the_question_boosts_nothing(registry):
    """If it fails, "I don't know in which harbour your boat lies" praises what did not help."""
    memory, hits = told(registry)
    for reply in ("I do not know in which harbour your boat does lie.", "Your boat? The harbour it lies in?"):
        assert "boost" not in {update["action"] for update in memory.post_process(hits, reply)}


def test_a_prompt_carries_question_and_scores(registry):
    """If it fails, the documented three lines learn less than they could."""
    memory, hits = told(registry)
    prompt = memory.build_prompt(QUESTION, conversation_id="another")
    assert {QUESTION} == {hit.question for hit in (*hits, *prompt.retrieved, *memory.why(QUESTION).hits)}
    upside_down = [(hit.signal, -hit.score) for hit in hits]
    right = [update["contribution"] for update in memory.post_process(hits, REPLY)]
    wrong = [update["contribution"] for update in memory.post_process(upside_down, REPLY, question=QUESTION)]
    pairs = [(hit.signal, hit.score) for hit in hits]
    assert right == [update["contribution"] for update in memory.post_process(pairs, REPLY, question=QUESTION)]
    assert right[0] > wrong[0]
    assert right[-1] < wrong[-1]


@pytest.mark.parametrize("number", ["9" * 5000, "9" * 20, "9" * 19, "9" * 18, "00", "0{}", "+{}", "{}_0", "\u0661", ""])
def test_an_id_that_no_signal_has_is_ignored(registry, number):
    """Python refuses to read a number of 5,000 digits; and an id written in two ways would be learned from twice."""
    memory, hits = told(registry)
    token, _, key = hits[0].signal.signal_id.rpartition(".")
    assert memory.post_process([f"{token}.{number.format(key)}"], REPLY) == []
    assert memory.history(f"{token}.{number.format(key)}") == []


def test_the_question_makes_its_words_old_news(registry):
    """If it fails, ids alone and ids with their question teach the same."""
    memory, hits = told(registry)
    ids = [hit.signal.signal_id for hit in hits]
    repeated = "The harbour."
    known = by_text(memory.post_process(ids, repeated, question="Which harbour?"))
    unknown = by_text(memory.post_process(ids, repeated))
    assert unknown[PAST[3]]["contribution"] > unknown[PAST[0]]["contribution"]
    assert "boost" not in {update["action"] for update in known.values()}
    assert memory.post_process(ids, repeated, question="  ")[0] is not None


def test_a_date_in_the_reply_finds_who_said_yesterday(registry):
    """If it fails, the answers to "when" teach nothing, since nobody says the date of the day."""
    memory = registry.get("m")
    march = datetime(2026, 3, 3, 12, tzinfo=timezone.utc)
    for day, text in ((3, "I sold the old sails yesterday."), (20, "Next year I want to sell the sails again.")):
        memory.add_message(text, "user", created_at=march.replace(day=day))
    hits = memory.retrieve("When was it that I sold the old sails?")
    updates = by_text(memory.post_process(hits, "On 2 March 2026."))
    assert "boost" == updates["I sold the old sails yesterday."]["action"]
    assert "boost" != updates["Next year I want to sell the sails again."]["action"]


def test_a_rare_word_earns_more_than_a_common_one(registry):
    """If it fails, long replies boost everything."""
    memory, hits = told(registry)
    rare = by_text(memory.post_process(hits, "Marstal", question="Where?"))[PAST[1]]["contribution"]
    common = by_text(memory.post_process(hits, "Boat", question="Where?"))[PAST[1]]["contribution"]
    assert rare > common


def test_storing_the_reply_first_makes_no_difference(registry):
    """If it fails, what is learned depends on the order of two lines in an app."""
    one, hits = told(registry, "one")
    two, others = told(registry, "two")
    first = by_text(one.post_process(hits, REPLY))
    two.add_message(REPLY, "assistant")
    second = by_text(two.post_process(others, REPLY))
    assert {text: one["contribution"] for text, one in first.items()} == pytest.approx(
        {text: one["contribution"] for text, one in second.items()}
    )


def test_a_turn_brings_its_question(registry):
    """If it fails, plugins that keep ids alone learn from the question's own words."""
    one, hits = told(registry, "one")
    two, others = told(registry, "two")
    turn = [NewMessage(content=QUESTION, role="user"), NewMessage(content=REPLY, role="assistant")]
    recorded = one.record_turn("t", turn, retrieved=[hit.signal.signal_id for hit in hits], reply=REPLY)
    two.add_messages(turn)
    processed = two.post_process([hit.signal.signal_id for hit in others], REPLY, question=QUESTION)
    assert [update["contribution"] for update in recorded] == [update["contribution"] for update in processed]


def test_credit_needs_no_model():
    """If it fails, each reply costs an embedding, and a broken model ends learning; the published credit needs it."""
    encoder = Breakable()
    memory, hits = told(MemoryRegistry(ReferenceStore(), encoder=encoder, clock=lambda: NOW))
    encoder.broken = True
    assert "boost" == by_text(memory.post_process(hits, REPLY))[PAST[1]]["action"]
    # A question that nobody has embedded yet is no cue then, and all else is learned.
    assert "boost" == by_text(memory.post_process(hits, REPLY, question="Which harbour?"))[PAST[1]]["action"]
    encoder = Breakable()
    classic = MemoryRegistry(ReferenceStore(), encoder=encoder, config=Config.classic()).get("m")
    (signal,) = classic.add_message(PAST[0], "user")
    encoder.broken = True
    with pytest.raises(EncoderError):
        classic.post_process([signal], REPLY)


def test_a_reply_in_a_memory_of_one_message(registry):
    """If it fails, a new memory demotes what was right, because no word is rare yet."""
    memory = registry.get("m")
    memory.add_message(PAST[1], "user")
    (update,) = memory.post_process(memory.retrieve("Where is my boat?"), "In Marstal, in the old harbour.")
    assert "boost" == update["action"]


@pytest.mark.parametrize("score", [float("nan"), float("inf"), 10**400, "0.7", None])
def test_a_pair_with_a_score_that_is_none_teaches_by_words(registry, score):
    """If it fails, one odd score spoils the credit of all."""
    memory, hits = told(registry)
    odd = memory.post_process([(hit.signal, score) for hit in hits], REPLY)
    plain = memory.post_process([hit.signal for hit in hits], REPLY)
    assert [update["contribution"] for update in odd] == [update["contribution"] for update in plain]


def test_a_score_from_an_array_counts(registry):
    """If it fails, callers that keep scores in arrays learn by words alone."""
    memory, hits = told(registry)
    single = memory.post_process([(hit.signal, np.float32(hit.score)) for hit in hits], REPLY)
    double = memory.post_process([(hit.signal, hit.score) for hit in hits], REPLY)
    assert [update["contribution"] for update in single] == [update["contribution"] for update in double]
    assert [update["contribution"] for update in single] != [
        update["contribution"] for update in memory.post_process([hit.signal for hit in hits], REPLY)
    ]


def test_a_question_that_is_no_text_is_refused(registry):
    """If it fails, a wrong argument passes silently."""
    memory, hits = told(registry)
    with pytest.raises(InputError, match="question"):
        memory.post_process(hits, REPLY, question=7)
    with pytest.raises(ConfigError, match="credit"):
        Config(credit="sentences")


def test_praise_pins_nothing_on_top_of_other_questions(registry):
    """If it fails, the answer to a popular question is sent for every other one."""
    memory, _ = told(registry)
    other = "How much water does the draught of my boat need?"
    before = memory.retrieve(other)[0].signal.content
    for _ in range(40):
        memory.post_process(memory.retrieve(QUESTION), REPLY)
    assert 8.0 == max(signal.base_weight for signal in memory.signals)
    assert before == memory.retrieve(other)[0].signal.content


KEYS = (
    "The spare key of the boat hangs behind the stove.",
    "The keel of the boat was painted red last spring.",
    "The spare key of the boat is kept by the harbour master.",
)


def test_what_replies_used_leads_when_it_is_asked_again_in_other_words(registry):
    """If it fails, learning moves numbers that nobody sees."""
    memory = registry.get("keys")
    memory.add_messages([NewMessage(content=text, role="user") for text in KEYS])
    again, other = "Remind me of our boat: the spare key?", "Which colour was the keel of the boat painted?"

    def found(question):
        return [hit.signal.content for hit in memory.retrieve(question)]

    others = found(other)
    assert found(again)[0] == KEYS[0]
    for _ in range(2):
        memory.post_process(memory.retrieve("Where is the spare key of the boat?"), "The harbour master has it.")
    assert found(again)[0] == KEYS[2]
    assert found(other)[0] == others[0] == KEYS[1]


def test_what_was_sent_in_vain_falls_behind_nothing(registry):
    """Evidence is sent for many questions that it does not answer; that must not hide it from its own."""
    memory = registry.get("keys")
    memory.add_messages([NewMessage(content=text, role="user") for text in KEYS])
    keel = next(hit for hit in memory.retrieve("keel of the boat") if hit.signal.content == KEYS[1])
    for _ in range(60):
        memory.post_process([keel.signal.signal_id], "Rain.", question="Will it rain tomorrow?")
    (weight,) = {signal.base_weight for signal in memory.signals if signal.content == KEYS[1]}
    assert weight == pytest.approx(Config().min_base_weight)
    after = next(hit for hit in memory.retrieve("keel of the boat") if hit.signal.content == KEYS[1])
    assert after.parts["learning"] == 0.0
    assert after.score >= keel.score
