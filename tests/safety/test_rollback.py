"""Going back to a version: whatever was done since, the memory is as it was then, to the signal."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import InputError, RollbackError
from streetai_core.stores.reference import ReferenceStore

WORDS = ("boat", "harbour", "keel", "mast", "berth", "sail")
TEXTS = st.lists(st.sampled_from(WORDS), min_size=2, max_size=5).map(" ".join)
OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.lists(TEXTS, min_size=1, max_size=3), st.sampled_from(["user", "tool"])),
        st.tuples(st.just("learn"), TEXTS, TEXTS),
        st.tuples(st.just("turn"), TEXTS, TEXTS),
        st.tuples(st.just("mark")),
        st.tuples(st.just("back"), st.integers(0, 3)),
    ),
    max_size=12,
)


def snapshot(memory):
    """All that going back restores, the sums of stacks to the precision of their numbers."""
    with memory._coherent.reading() as (transaction, state):
        totals = {} if state is None else {key: state.stacks.total(key) for key in state.stacks.keys}
        sizes = {} if state is None else {key: state.stacks.size(key) for key in state.stacks.keys}
        log = transaction.credits()
        cues = {} if state is None else {name: state.cues.version(name) for name in state.cues}
    counted = {name: memory.stats()[name] for name in ("messages", "history_tokens", "total_signals", "stacks")}
    return (memory.messages(), memory.signals, sizes, counted, log, cues), totals


def check_equal(now, then):
    """Everything is the same; sums of vectors but for the order in which they were added."""
    assert now[0] == then[0]
    assert now[1].keys() == then[1].keys()
    for key, total in now[1].items():
        np.testing.assert_allclose(total, then[1][key], atol=1e-5)


def carry_out(memory, operation, number):
    """One operation."""
    match operation:
        case ("add", texts, role):
            memory.add_messages([NewMessage(content=f"{text} {number}", role=role) for text in texts])
        case ("learn", question, reply):
            memory.post_process(memory.retrieve(question), reply)
        case ("turn", question, reply):
            turn = [NewMessage(content=question, role="user"), NewMessage(content=reply, role="assistant")]
            memory.record_turn(f"turn {number}", turn, retrieved=memory.retrieve(question), reply=reply)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(operations=OPERATIONS, classic=st.booleans())
def test_going_back_gives_the_memory_of_then(operations, classic):
    """Property: after any operations, among them going back itself, each marked version can be had again."""
    config = Config.classic() if classic else Config()
    memory = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder(dim=32), config=config).get("m")
    marks = [(0, snapshot(memory))]
    for number, operation in enumerate([*operations, ("back", 0)]):
        if operation[0] == "mark":
            marks.append((memory.version, snapshot(memory)))
        elif operation[0] == "back":
            del marks[len(marks) - min(operation[1], len(marks) - 1) :]
            version, then = marks[-1]
            clock = memory.stats()["turn_counter"], memory.version
            done = memory.rollback(version)
            now = snapshot(memory)
            if classic:
                # The published centroid depends on when it was last summed up.
                now, then = (now[0], {}), (then[0], {})
            check_equal(now, then)
            assert (memory.stats()["turn_counter"], memory.version) == (clock[0], done.version)
            assert done.version == clock[1] + (version < clock[1])
            assert memory.audit().intact
        else:
            carry_out(memory, operation, number)


def test_an_attack_is_undone(on_disk, path):
    """Planted texts, and what they taught: gone, in the file too, and for whoever has it open."""
    memory = on_disk.get("m")
    memory.add_messages([NewMessage(content=f"My {word} is at home.", role="user") for word in WORDS])
    memory.post_process(memory.retrieve("boat"), "My boat is at home.")
    version, then = memory.version, snapshot(memory)
    for number in range(5):
        memory.add_message(f"The boat was sold, {number}.", "tool", writer="mallory")
        memory.post_process(memory.retrieve("boat"), f"The boat was sold, {number}.")
    with MemoryRegistry(path, encoder=HashingEncoder()) as elsewhere:
        assert len(elsewhere.get("m").signals) == len(WORDS) + 5
        done = memory.rollback(version)
        assert (done.messages, done.lost) == (5, ())
        assert done.signals > 0
        check_equal(snapshot(memory), then)
        check_equal(snapshot(elsewhere.get("m")), then)
    with MemoryRegistry(path, encoder=HashingEncoder()) as again:
        check_equal(snapshot(again.get("m")), then)


def test_clocks_and_versions_go_on(memory):
    """A turn is never given twice, so nothing that was rolled back is taken for something new."""
    memory.add_message("One.", "user")
    version = memory.version
    memory.add_message("Two.", "user")
    memory.rollback(version)
    assert memory.version == version + 2
    assert memory.add_message("Three.", "user")[0].turn == 2
    assert memory.rollback(memory.version).messages == 0


def lossy(memory):
    """A memory in which since version 3 a message was deleted, one edited and one added, and one was learned from."""
    for number, text in enumerate(("The boat is red.", "The keel is long.", "The mast is high.")):
        memory.add_message(text, "user", message_id=str(number))
    memory.delete_message("0")
    memory.update_message("1", "The keel is short.")
    memory.add_message("The sail is torn.", "user")
    memory.post_process(memory.retrieve("How high is the mast?"), "The mast is high.")
    return memory


def test_what_was_deleted_or_edited_never_comes_back(memory):
    """The error says which, and nothing is done."""
    lossy(memory)
    before = snapshot(memory)
    with pytest.raises(RollbackError, match=r"message 0 was deleted; message 1 was given another text.*partial=True"):
        memory.rollback(3)
    check_equal(snapshot(memory), before)


def test_partial_undoes_the_rest(memory):
    """Added messages go, weights are those of then, the edited text stays as it is."""
    lossy(memory)
    done = memory.rollback(3, partial=True)
    assert (done.messages, done.lost) == (1, (0, 1))
    assert [one.content for one in memory.messages()] == ["The keel is short.", "The mast is high."]
    assert {signal.base_weight for signal in memory.signals} == {1.0}
    assert {signal.uses for signal in memory.signals} == {0}
    assert memory.audit().intact


def test_an_error_lists_a_few_of_many(memory):
    """The message stays readable."""
    memory.add_messages([NewMessage(content=f"Note {number}.", role="user") for number in range(50)])
    memory.delete_conversation(None)
    with pytest.raises(RollbackError, match="message 19 was deleted; and 30 more"):
        memory.rollback(1)


def test_embedding_anew_and_going_back_before_a_rollback_are_told(memory):
    """What cannot be exact is refused; partial does what can be done."""
    memory.add_message("The boat is red.", "user")
    memory.add_message("The keel is long.", "user")
    memory.reencode()
    with pytest.raises(RollbackError, match="embedded anew in version 3"):
        memory.rollback(1)
    assert memory.rollback(1, partial=True).messages == 1
    with pytest.raises(RollbackError, match="went back to 1, so that 2 itself was undone"):
        memory.rollback(2)


def test_nothing_of_before_a_reset_comes_back(registry):
    """Resetting is for good."""
    memory = registry.get("m")
    memory.add_message("The boat is red.", "user")
    version = memory.version
    registry.reset("m")
    memory = registry.get("m")
    memory.add_message("A new start.", "user")
    with pytest.raises(RollbackError, match="reset"):
        memory.rollback(version, partial=True)
    assert memory.rollback(version + 1).messages == 1


def test_rules_of_quarantine_stay(memory):
    """They are decisions about writers, not part of what was said."""
    version = memory.version
    memory.add_message("The boat was sold.", "user", writer="mallory")
    memory.quarantine(writer="mallory")
    memory.rollback(version)
    assert [rule.value for rule in memory.quarantined()] == ["mallory"]
    assert memory.messages() == []


@pytest.mark.parametrize("wrong", [-1, 1.5, "1", None, True])
def test_versions_are_whole_numbers(memory, wrong):
    """The error names the argument."""
    with pytest.raises(InputError, match="to_version"):
        memory.rollback(wrong)


def test_a_version_that_is_not_there_yet(memory):
    """Nobody goes back to the future."""
    assert memory.rollback(0).messages == 0
    with pytest.raises(RollbackError, match="there is no version 7 yet"):
        memory.rollback(7)
