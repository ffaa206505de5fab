"""A question that was answered is a cue of what helped to answer it, and of nothing else."""

from contextlib import closing

import numpy as np
import pytest

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.dynamics.activation import LEARNED
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import DamagedFileError
from streetai_core.stores import _sqlite
from streetai_core.stores.reference import ReferenceStore
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.upkeep.doctor import examine
from streetai_core.upkeep.salvage import salvage
from tests.core.test_ram_equals_disk import dump
from tests.encoders.failing import Breakable
from tests.memory.test_learning import PAST, QUESTION, REPLY

AGAIN = "Which harbour does my boat lie in now, please?"
OTHER = "What is the draught of a boat?"


@pytest.fixture
def model():
    """An encoder that can be broken."""
    return Breakable()


@pytest.fixture(params=["sqlite", "reference"])
def registry(request, model, tmp_path):
    """Both stores."""
    store = SqliteStore(tmp_path / "m.db", durability="fast") if request.param == "sqlite" else ReferenceStore()
    with MemoryRegistry(store, encoder=model) as made:
        yield made


def told(registry, memory_id="m", **fields):
    """A memory that knows the past."""
    memory = registry.get(memory_id)
    memory.add_messages([NewMessage(content=text, role="user", **fields) for text in PAST])
    return memory


def taught(registry, question=QUESTION, **fields):
    """A memory that knows the past, and has learned from a reply."""
    memory = told(registry, **fields)
    memory.post_process(memory.retrieve(question), REPLY)
    return memory


def learning(memory, question):
    """What signals score for what was learned, by text; what is less than a general lesson is left out."""
    found = {hit.signal.content: hit.parts["learning"] for hit in memory.retrieve(question)}
    return {text: part for text, part in found.items() if part > Config().activation_share * LEARNED}


def cues(memory):
    """Texts of signals that have cues."""
    keys = {int(one.signal_id.rpartition(".")[2]): one.content for one in memory.signals}
    with memory._coherent.reading() as (_, state):
        return sorted(keys[key] for key, _ in state.cues)


def test_the_same_matter_asked_again_finds_what_helped(registry):
    """If it fails, learning helps nobody who asks again."""
    memory = taught(registry)
    assert list(learning(memory, QUESTION)) == [PAST[1]]
    # What the question is nearer to itself than .6, and a tie-breaker.
    assert learning(memory, QUESTION)[PAST[1]] == pytest.approx(0.4, abs=0.0026)
    assert list(learning(memory, AGAIN)) == [PAST[1]]
    assert 0 < learning(memory, AGAIN)[PAST[1]] < learning(memory, QUESTION)[PAST[1]]


def test_another_question_is_left_alone(registry):
    """If it fails, what was once of use comes up with everything."""
    memory = taught(registry)
    assert learning(memory, OTHER) == {}
    untaught = [hit.signal.content for hit in told(registry, "untaught").retrieve(OTHER)]
    assert [hit.signal.content for hit in memory.retrieve(OTHER)] == untaught


def test_a_turn_teaches_what_both_steps_do(registry):
    """If it fails, `record_turn` and `post_process` are two kinds of learning."""
    one, two = told(registry, "one"), told(registry, "two")
    turn = [NewMessage(content=QUESTION, role="user"), NewMessage(content=REPLY, role="assistant")]
    one.record_turn("t", turn, retrieved=one.retrieve(QUESTION), reply=REPLY)
    hits = two.retrieve(QUESTION)
    two.add_messages(turn)
    two.post_process(hits, REPLY)
    assert cues(one) == cues(two) == [PAST[1]]
    assert learning(one, AGAIN).keys() == learning(two, AGAIN).keys() == {PAST[1]}


@pytest.mark.parametrize("reply", ["I do not know.", QUESTION, "In which harbour? Ask your sister."])
def test_what_has_nothing_new_in_common_with_the_reply_gets_no_cue(registry, reply):
    """If it fails, what recall puts first for a question is put there the more, whatever was answered."""
    memory = told(registry)
    memory.post_process(memory.retrieve(QUESTION), reply)
    assert PAST[1] not in cues(memory)


def test_an_echo_lifts_nothing_twice(registry):
    """What the assistant said is a cue of one question in a conversation, as it is boosted once."""
    memory = told(registry)
    memory.add_message("Marstal has room for boats with a deep keel.", "assistant")
    for question in ("Which harbour has room for boats?", "Is there room for a deep keel in Marstal?"):
        memory.post_process(memory.retrieve(question), "Marstal has room for boats with a deep keel.")
    assert cues(memory).count("Marstal has room for boats with a deep keel.") == 1


def test_without_a_question_nothing_is_its_cue(registry):
    """Ids alone do not say what was asked."""
    memory = told(registry)
    updates = memory.post_process([signal.signal_id for signal in memory.signals], REPLY)
    assert "boost" in {update["action"] for update in updates}
    assert cues(memory) == []


def test_a_broken_model_ends_no_learning(registry, model, caplog):
    """Weights need no model. The log says what is missing."""
    memory = told(registry)
    hits = memory.retrieve(QUESTION)
    registry.encoder.forget([QUESTION])
    model.broken = True
    assert "boost" in {update["action"] for update in memory.post_process(hits, REPLY)}
    assert cues(memory) == []
    assert "the encoder failed" in caplog.text


def test_the_published_pipeline_has_no_cues(tmp_path):
    """It asks the encoder for nothing that the published product does not."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(), config=Config.classic()) as registry:
        assert cues(taught(registry)) == []


def test_what_is_not_trusted_gets_none(registry):
    """If it fails, whoever plants a text and has it repeated puts it in front of every question like this."""
    assert cues(taught(registry, trust=0.2)) == []


def test_what_is_trusted_no_more_gains_nothing(registry):
    """A setting may ask for more than was asked for when it was learned."""
    memory = taught(registry, trust=0.8)
    assert cues(memory) == [PAST[1]]
    strict = MemoryRegistry(registry.store, encoder=HashingEncoder(), config=Config(trusted_from=0.9)).get("m")
    assert learning(strict, QUESTION) == {}


def test_a_question_that_is_deleted_is_no_cue_any_more(registry):
    """If it fails, what somebody asked stays as a vector when the message is gone."""
    memory = taught(registry)
    asked = memory.add_message(QUESTION.lower(), "user")[0].parent_turn_id
    assert cues(memory) == [PAST[1]]
    memory.delete_message(asked)
    assert cues(memory) == []


def test_a_question_that_is_edited_is_no_cue_any_more(registry):
    """Neither in its old words, nor because of what was said in its place."""
    memory = taught(registry)
    asked = memory.add_message(QUESTION, "user")[0].parent_turn_id
    memory.update_message(asked, OTHER)
    assert cues(memory) == []


def test_a_question_in_quarantine_is_no_cue_until_it_is_released(registry):
    """If it fails, a conversation that is hidden goes on lifting what it was made to teach; in every process."""
    memory, others = taught(registry), MemoryRegistry(registry.store, encoder=HashingEncoder())
    before = learning(memory, QUESTION)
    assert learning(others.get("m"), QUESTION) == before
    memory.add_message(QUESTION.upper(), "user", conversation_id="evil", message_id="asked")
    memory.quarantine(conversation="evil")
    assert learning(memory, QUESTION) == learning(others.get("m"), QUESTION) == {}
    assert cues(memory) == [PAST[1]]
    memory.add_message(QUESTION, "user", conversation_id="good", message_id="also")
    assert learning(memory, QUESTION).keys() == learning(others.get("m"), QUESTION).keys() == before.keys()
    memory.update_message("also", OTHER)
    memory.release(conversation="evil")
    assert cues(memory) == []


def test_what_is_asked_in_hiding_later_is_no_cue(registry):
    """Neither for who stored it nor for who follows or opens the memory; when it is gone, nobody has asked it."""
    memory, follows = told(registry), MemoryRegistry(registry.store, encoder=HashingEncoder()).get("m")
    memory.quarantine(conversation="evil")
    assert learning(follows, QUESTION) == {}
    turn = [NewMessage(content=QUESTION, role="user", conversation_id="evil", message_id="asked")]
    memory.record_turn("t", turn, retrieved=memory.retrieve(QUESTION), reply=REPLY)
    opens = MemoryRegistry(registry.store, encoder=HashingEncoder()).get("m")
    for one in (memory, follows, opens):
        assert cues(one) == [PAST[1]]
        assert learning(one, QUESTION) == {}
    memory.delete_message("asked")
    memory.post_process(memory.retrieve(QUESTION), REPLY)
    for one in (memory, follows, opens):
        assert list(learning(one, QUESTION)) == [PAST[1]]


@pytest.mark.parametrize("way", ["delete", "edit"])
def test_a_cue_goes_with_what_helped(registry, way):
    """If it fails, the vector of a question stays beside nothing, or speaks for another text."""
    memory = taught(registry)
    message = next(one.parent_turn_id for one in memory.signals if one.content == PAST[1])
    if way == "delete":
        memory.delete_message(message)
    else:
        memory.update_message(message, "My boat lies in Svendborg now.")
    assert cues(memory) == []


def test_forgetting_counts_cues_and_leaves_no_byte(tmp_path):
    """By the message that helped, by the question, and by all of it."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as registry:
        memory = taught(registry)
        asked = memory.add_message(QUESTION, "user")[0].parent_turn_id
        receipt = memory.forget(message=asked)
        assert (receipt.rows["cues"], receipt.complete) == (1, True)
        memory.post_process(memory.retrieve(QUESTION), REPLY)
        helped = next(one.parent_turn_id for one in memory.signals if one.content == PAST[1])
        receipt = memory.forget(message=helped)
        assert (receipt.rows["cues"], receipt.complete) == (1, True)
        memory.add_message(PAST[1], "user")
        memory.post_process(memory.retrieve(QUESTION), REPLY)
        receipt = memory.forget(everything=True)
        assert (receipt.rows["cues"], receipt.complete) == (1, True)


def test_a_damaged_cue_is_named_and_the_rest_saved(tmp_path):
    """By the doctor, by whoever opens the memory, and by the salvage, which saves all other cues."""
    path = tmp_path / "m.db"
    with MemoryRegistry(path, encoder=HashingEncoder()) as registry:
        memory = taught(registry)
        memory.post_process(memory.retrieve(OTHER), "The draught is what it needs under the water.")
        before = cues(memory)
    with closing(_sqlite.connect(path.as_uri(), timeout=5)) as connection:
        connection.execute("UPDATE cues SET crc = crc + 1 WHERE signal_key = (SELECT min(signal_key) FROM cues)")
    found = [one.what for one in examine(path).findings if one.severity == "damage"]
    assert found == ["cues of memory 'm': 1 rows are damaged or missing"]
    with MemoryRegistry(path, encoder=HashingEncoder()) as registry, pytest.raises(DamagedFileError, match="cue of"):
        registry.get("m").retrieve(QUESTION)
    saved = salvage(path, tmp_path / "saved.db")
    assert dict(saved.memories[0].lost) == {"cues": 1}
    with MemoryRegistry(tmp_path / "saved.db", encoder=HashingEncoder()) as registry:
        assert len(cues(registry.get("m"))) == len(before) - 1


def test_going_back_takes_cues_back(registry):
    """Those of later replies go, those of before stay."""
    memory = taught(registry)
    before = memory.stats()["version"]
    memory.post_process(memory.retrieve(OTHER), "The draught is what it needs under the water.")
    assert len(cues(memory)) > 1
    memory.rollback(before)
    assert cues(memory) == [PAST[1]]
    memory.post_process(memory.retrieve(QUESTION), REPLY)
    memory.rollback(before)
    assert cues(memory) == [PAST[1]]
    memory.rollback(1)
    assert cues(memory) == []


def test_another_encoder_begins_without_cues(tmp_path):
    """The texts of questions are not kept, so they cannot be embedded anew."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as registry:
        taught(registry)
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(32)) as registry:
        memory = registry.get("m")
        memory.reencode()
        assert cues(memory) == []
        memory.post_process(memory.retrieve(QUESTION), REPLY)
        assert cues(memory) == [PAST[1]]


@pytest.mark.parametrize("precision", ["single", "half"])
def test_other_processes_see_cues(tmp_path, precision):
    """One that was there, by what changed since; one that comes later, by all rows; to the bit."""
    config = Config(vector_precision=precision)
    with (
        MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(), config=config) as one,
        MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(), config=config) as two,
    ):
        told(one)
        assert learning(two.get("m"), AGAIN) == {}
        one.get("m").post_process(one.get("m").retrieve(QUESTION), REPLY)
        assert list(learning(two.get("m"), AGAIN)) == [PAST[1]]
        with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(), config=config) as three:
            states = []
            for memory in (one.get("m"), two.get("m"), three.get("m")):
                with memory._coherent.reading() as (_, state):
                    states.append(dump(state))
        assert states[0] == states[1] == states[2]


def test_a_correction_stands_above_what_helped_before(registry):
    """If it fails, learning keeps answers alive that are wrong by now."""
    memory = taught(registry)
    memory.add_message("My boat no longer lies in Marstal, it moved to the harbour of Svendborg.", "user")
    found = [hit.signal.content for hit in memory.retrieve(QUESTION)]
    assert "Svendborg" in found[0]
    assert PAST[1] in found


def test_without_a_share_nothing_that_was_learned_counts(registry):
    """`activation_share=0` ends all of it."""
    memory = taught(registry)
    with_nothing = MemoryRegistry(registry.store, encoder=HashingEncoder(), config=Config(activation_share=0.0))
    assert {hit.parts["learning"] for hit in with_nothing.get("m").retrieve(QUESTION)} == {0.0}
    assert learning(memory, QUESTION)


@pytest.mark.parametrize("strategy", ["hybrid", "vector", "keyword"])
def test_parts_sum_to_the_score(registry, strategy):
    """With every strategy. Without meaning it is not known how like two questions are."""
    hits = taught(registry).retrieve(QUESTION, strategy=strategy)
    assert [sum(hit.parts.values()) for hit in hits] == pytest.approx([hit.score for hit in hits])
    assert (max(hit.parts["learning"] for hit in hits) > 0.1) is (strategy != "keyword")


def test_the_vector_of_a_cue_is_that_of_the_question(registry):
    """Not of the reply, and not of the message."""
    memory = taught(registry)
    with memory._coherent.reading() as (_, state):
        (vector,) = state.cues.vectors_of(state.cues)
    np.testing.assert_array_equal(vector, registry.encoder.encode([QUESTION], "query")[0])
