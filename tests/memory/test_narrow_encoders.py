"""Encoders whose vectors have much in common find the same as one whose vectors have nothing in common."""

import logging

import numpy as np
import pytest

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders import CachedEncoder, HashingEncoder, OfflineMiniLM
from streetai_core.encoders.common import QUESTIONS as QUESTIONS_ASKED
from streetai_core.encoders.common import TEXTS, common_cosine
from streetai_core.errors import EncoderError
from streetai_core.index.columns import SignalColumns
from streetai_core.index.cone import LEAST, beyond, cosine_of
from streetai_core.stores.reference import ReferenceStore
from tests.core.test_arithmetic import PLACE
from tests.encoders.narrow import Narrow

MANY = LEAST + 8


def filled(encoder, **options):
    """A memory of boats and berths."""
    memory = MemoryRegistry(ReferenceStore(), encoder=encoder, config=Config(**options)).get("m")
    words = ["cutter", "barge", "ketch", "yawl", "sloop", "dinghy", "tug", "punt", "canoe", "launch"]
    texts = [
        f"The {words[n % 10]} came in at {n} with {words[n // 4 % 10]}s and left pier {n * 7}." for n in range(MANY)
    ]
    memory.add_messages(
        [NewMessage(content=text, role="user", conversation_id=str(n // 9)) for n, text in enumerate(texts)]
    )
    return memory


@pytest.fixture(scope="module")
def model():
    """The real one."""
    return CachedEncoder(OfflineMiniLM())


QUESTIONS = ["Which pier did the yawl leave?", "When did the tug come in?", "What do you know of canoes?"]


@pytest.mark.parametrize("share", [0.4, 0.7, 0.9])
@pytest.mark.parametrize("strategy", ["hybrid", "vector"])
def test_a_narrow_encoder_finds_the_same(model, share, strategy):
    """In nearly the same order, with scores that are near: what is common is told from other texts than these."""
    wide, narrow = filled(model, strategy=strategy), filled(Narrow(model, share), strategy=strategy)
    for question in QUESTIONS:
        plain, other = ({hit.signal.content: hit for hit in memory.retrieve(question)} for memory in (wide, narrow))
        assert len(plain.keys() & other.keys()) >= 0.9 * len(plain)
        assert next(iter(plain)) == next(iter(other))
        for text in plain.keys() & other.keys():
            assert other[text].parts["meaning"] == pytest.approx(plain[text].parts["meaning"], abs=0.03)
            assert other[text].similarity == pytest.approx(share + (1 - share) * plain[text].similarity, abs=1e-5)


def test_nothing_is_found_for_a_question_about_something_else(model):
    """All cosines are above the gate, and none of them tells anything."""
    memory = filled(Narrow(model))
    assert memory.retrieve("Who composed the opera?") == []
    why = memory.why("Who composed the opera?")
    assert why.near_misses
    assert all(miss.hit.similarity > 0.6 for miss in why.near_misses)


def test_why_gives_the_meaning_that_the_gate_saw(model):
    """Not the cosine, which is beside the point."""
    memory = filled(Narrow(model), strategy="vector")
    why = memory.why(QUESTIONS[0])
    assert why.hits
    for text, hit in zip(why.gates, why.hits, strict=True):
        assert f"meaning {hit.parts['meaning']:.3f} reaches min_similarity" in text


def test_texts_that_differ_in_a_number_are_no_repetitions(model):
    """Their cosine is above .98 where nine tenths of it are common to all."""
    memory = filled(Narrow(model, 0.9))
    memory.add_messages([NewMessage(content=f"My boat lies at berth {n}.", role="user") for n in (12, 47)])
    found = [hit.signal.content for hit in memory.retrieve("Which berth is my boat at?")]
    assert {"My boat lies at berth 12.", "My boat lies at berth 47."} <= set(found)


NEWS = ["I live in Porto, by the river.", "I don't live in Porto any more, I moved to Lisbon.",
        "I work from home now, four days a week.", "I am not on the night shift any more.",
        "I got promoted, I lead a team of five now."]  # fmt: skip


def test_a_change_is_told_from_other_news(model):
    """The nearness of two statements decides whether one replaces the other, also of a message that comes alone."""
    for encoder in (model, Narrow(model)):
        memory = filled(encoder)
        for text in NEWS:
            memory.add_message(text, "user")
        rows = memory._coherent.known.words.replacements()
        assert (rows - MANY).tolist() == [[1, 0]]


@pytest.mark.parametrize("share", [0.0, 0.7])
def test_so_it_is_when_it_comes_out_of_quarantine(model, share):
    """Also in a process that has asked nothing yet."""
    memory = filled(Narrow(model, share))
    memory.quarantine(writer="mallory")
    memory.add_messages([NewMessage(content=text, role="user", writer="mallory") for text in NEWS])
    other = MemoryRegistry(memory._around.store, encoder=Narrow(model, share)).get("m")
    assert other.release(writer="mallory") is True
    with other._coherent.reading() as (_, state):
        links = state.words.column("sequence")[state.words.replacements()]
    assert (links - MANY).tolist() == [[1, 0]]


def test_the_first_messages_are_told_from_each_other_if_they_are_many(model):
    """An import stores thousands at once, and what it takes for changed facts stays."""
    plain = ["My sister plays the cello in a string quartet", "I baked bread with walnuts for the fair",
             "The landlord showed the attic to a couple", "We walked along the canal and counted herons",
             "I got my results, all of them fine", "The choir rehearses on Tuesdays in the old hall"]  # fmt: skip
    news = ["I work from home now, four days a week.", "We cancelled the trip, it was too dear.",
            "I am not on the night shift any more.", "I don't eat meat any more.", "Actually I prefer tea.",
            "I got promoted, I lead a team of five now."]  # fmt: skip
    said = [*news, *(f"{text} with {name}." for text in plain for name in ("Lea", "Ben", "Tom", "Ida", "Max"))]
    links = []
    for encoder in (model, Narrow(model)):
        memory = MemoryRegistry(ReferenceStore(), encoder=encoder).get("m")
        memory.add_messages([NewMessage(content=text, role="user") for text in said])
        links.append(memory._coherent.known.words.replacements().tolist())
    assert links == [[], []]


def test_an_encoder_is_asked_once_and_only_if_it_may_be_narrow(model):
    """A paid one is asked nothing that need not be known, and few questions, which come one by one."""
    narrow = Narrow(model, symmetric=False)
    memory = filled(narrow)
    for question in QUESTIONS:
        memory.retrieve(question)
    assert narrow.asked == ["document", "query"]
    assert next(texts for kind, texts in narrow.calls if kind == "query" and len(texts) > 1) == QUESTIONS_ASKED
    filled(narrow).retrieve(QUESTIONS[0])
    assert narrow.asked == ["document", "query"]

    one_kind, wide = Narrow(model), Narrow(model, 0.0)
    for encoder in (one_kind, wide):
        filled(encoder).retrieve(QUESTIONS[0])
    assert one_kind.asked == ["document"]

    small = MemoryRegistry(ReferenceStore(), encoder=(few := Narrow(model))).get("m")
    small.add_messages([NewMessage(content=f"berth {n}", role="user") for n in range(LEAST - 1)])
    assert small.retrieve("Which berth?")
    assert few.asked == []


def test_the_published_pipeline_asks_nothing(model):
    """It compares plain cosines."""
    encoder = Narrow(model)
    memory = MemoryRegistry(ReferenceStore(), encoder=encoder, config=Config.classic()).get("m")
    memory.add_messages([NewMessage(content=f"the berth of boat {n}", role="user") for n in range(MANY)])
    assert memory.retrieve("the berth of boat 7")
    assert encoder.asked == []


def test_words_decide_alone_where_the_encoder_fails(model):
    """No vector is no cosine, and not the farthest of all."""
    encoder = Narrow(model)
    memory = filled(encoder)
    plain = [hit.signal.content for hit in memory.retrieve("Which pier did the yawl leave?")]
    by_words = [hit.signal.content for hit in memory.retrieve("Did the yawl leave?", strategy="keyword")]
    encoder.down = True
    hits = memory.retrieve("Did the yawl leave?")
    assert plain
    assert by_words
    assert [hit.signal.content for hit in hits] == by_words
    assert all(hit.parts["meaning"] == 0.0 for hit in hits)


def test_a_text_without_a_vector_is_found_by_its_words(model):
    """Its cosine with everything is 0, which is far below that of any two texts."""
    memory = filled(Narrow(model))
    memory.add_message("Qwrtz is moored by the old crane.", "user")
    why = memory.why("Where is Qwrtz moored?", misses=100)
    (hit,) = [hit for hit in why.hits if "Qwrtz" in hit.signal.content]
    assert hit.similarity == 0.0
    others = [one.parts["meaning"] for one in (*why.hits, *(miss.hit for miss in why.near_misses)) if one != hit]
    assert len(others) == len(memory.signals) - 1
    assert hit.parts["meaning"] == pytest.approx(sum(others) / len(others))


def test_a_text_without_a_vector_is_as_near_to_the_bit_whatever_order_the_rows_are_in(model, tmp_path):
    """After a deletion they stand in RAM in another order than in the file, and another process would rank anew."""

    def nearness(memory):
        every = [memory.why(question, misses=200) for question in QUESTIONS]
        hits = [hit for why in every for hit in (*why.hits, *(miss.hit for miss in why.near_misses))]
        return [hit.parts["meaning"] for hit in hits if "Qwrtz" in hit.signal.content]

    path, encoder = tmp_path / "memory.db", Narrow(model)
    with MemoryRegistry(path, encoder=encoder) as registry:
        memory = registry.get("m")
        texts = [f"{text} {number}." for text in [*TEXTS, *QUESTIONS_ASKED] for number in range(3)]
        memory.add_messages(NewMessage(content=text, role="user") for text in [*texts, "Qwrtz yawl."])
        for message in memory.messages()[:9:2]:
            memory.delete_message(message.message_id)
        in_ram, keys = nearness(memory), memory._coherent.known.columns.keys.tolist()
    assert keys != sorted(keys)
    with MemoryRegistry(path, encoder=encoder) as registry:
        assert nearness(registry.get("m")) == in_ram
    assert len(in_ram) == len(QUESTIONS)


def test_a_memory_of_one_subject_is_not_taken_for_a_narrow_encoder():
    """All its texts are near each other, and the encoder tells them from others as ever."""
    memory = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder()).get("m")
    memory.add_messages([NewMessage(content=f"the berth of boat {n} is {n * 7}", role="user") for n in range(MANY)])
    assert memory._coherent.known.columns.look_narrow
    assert len(memory.retrieve("the berth of the boat is", strategy="vector")) == 25


class Constant(HashingEncoder):
    """Gives all texts one vector, as LlamaIndex's mock does."""

    def embed(self, texts, kind):
        """The same for each."""
        return np.full((len(texts), self.dim), 0.5)


@pytest.mark.parametrize("strategy", ["hybrid", "vector"])
def test_an_encoder_with_one_vector_finds_what_words_find(strategy):
    """Nothing is divided by nothing."""
    memory = filled(Constant(), strategy=strategy)
    hits = memory.retrieve("Which pier did the yawl leave?")
    assert hits
    assert all(np.isfinite([hit.score, *hit.parts.values()]).all() for hit in hits)
    assert memory.build_prompt("Which pier did the yawl leave?", token_budget=300).messages


def test_an_encoder_that_cannot_tell_is_asked_again(model, caplog):
    """What is common is only a help: the question is answered without it, and the log says so."""
    encoder = Narrow(model)
    encoder.fails = True
    memory = filled(encoder)
    with caplog.at_level(logging.WARNING):
        assert memory.retrieve(QUESTIONS[0])
    assert "what its vectors have in common is not known yet" in caplog.text
    encoder.fails = False
    assert memory.retrieve("Who composed the opera?") == []
    with pytest.raises(EncoderError):
        Narrow.common(Failing())


class Failing(Narrow):
    """Never says anything."""

    def __init__(self):
        super().__init__(HashingEncoder())
        self.fails = True


def test_the_real_model_and_hashed_words_have_nothing_in_common(model):
    """So nothing is taken off their cosines."""
    assert model.common() == HashingEncoder().common() == 0.0
    assert CachedEncoder(Narrow(model, 0.4)).common() == pytest.approx(0.4, abs=0.02)


def test_what_is_common_is_measured_between_questions_and_messages():
    """With an encoder that tells them apart, these may be farther from each other than messages are."""
    messages = np.eye(len(TEXTS), len(TEXTS) + 2) * np.sqrt(0.2)
    questions = messages.copy()
    messages[:, -1], questions[:, -2] = np.sqrt(0.8), np.sqrt(0.8)
    assert common_cosine(messages, messages) > 0.7
    assert common_cosine(questions, messages) == 0.0


def test_meaning_and_cosine_are_each_others_inverse():
    """And where nothing is common the one is the other."""
    assert beyond(0.85, 0.7) == pytest.approx(0.5)
    assert cosine_of(beyond(0.3, 0.7), 0.7) == pytest.approx(0.3)
    assert beyond(0.3, 0.0) == cosine_of(0.3, 0.0) == 0.3
    assert beyond(0.0, 0.7) == 0.0
    np.testing.assert_allclose(beyond(np.array([0.7, 1.0]), 0.7), [0.0, 1.0])


def test_signals_look_narrow_whatever_was_deleted_before():
    """It depends on those that are there, in the order they came, and is looked at anew when they have doubled."""
    rng = np.random.default_rng(1)

    def vectors(count, share):
        rows = rng.normal(size=(count, 64))
        rows = np.sqrt(1 - share) * rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return np.column_stack([rows, np.full(count, np.sqrt(share))]).astype(np.float32)

    columns, near, far = SignalColumns(65), vectors(200, 0.6), vectors(200, 0.0)
    for key, vector in enumerate(far[:40]):
        columns.put(key, vector, PLACE)
    assert not columns.look_narrow
    for key, vector in enumerate(near, 100):
        columns.put(key, vector, PLACE)
    columns.remove(range(40))
    assert columns.look_narrow
    columns.remove(range(110, 300))
    assert not columns.look_narrow


@pytest.mark.parametrize("without", [8, 4 * MANY])
def test_signals_without_a_vector_do_not_make_a_memory_look_wide(without):
    """After an outage cosines would count as they are, and everything would be relevant to every question."""
    columns = SignalColumns(8)
    near = np.full(8, 8**-0.5, dtype=np.float32)
    for key in range(MANY + without):
        columns.put(key, np.zeros_like(near) if key < without else near, PLACE)
    assert len(columns.without_vector) == without
    assert columns.look_narrow
