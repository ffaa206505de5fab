"""Filters by metadata: what an app has noted of messages."""

import subprocess
import sys

import pytest

from streetai_core import MemoryRegistry, NewMessage, RecallFilter
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import InputError
from streetai_core.stores.reference import ReferenceStore
from streetai_core.stores.sqlite import SqliteStore

NOTES = {
    "harbour": {"topic": "boats", "tags": ["sea", "work"], "stars": 4, "done": True},
    "shed": {"topic": "tools", "tags": [], "stars": 1, "done": False},
    "attic": {"topic": None, "nested": {"topic": "boats"}},
    "lane": {},
}
"""By the place that was walked to."""


@pytest.fixture(params=["sqlite", "reference"])
def memory(request, tmp_path):
    """A walk with each note, in either store."""
    store = SqliteStore(tmp_path / "m.db") if request.param == "sqlite" else ReferenceStore()
    with MemoryRegistry(store, encoder=HashingEncoder()) as registry:
        memory = registry.get("m")
        memory.add_messages(
            [
                NewMessage(content=f"I took a walk to the {place}.", role="user", message_id=place, metadata=noted)
                for place, noted in NOTES.items()
            ]
        )
        yield memory


def found(memory, **metadata):
    """Where the walks went that are recalled under a filter."""
    hits = memory.retrieve("walk", wanted=RecallFilter(metadata=metadata))
    return {hit.signal.parent_turn_id for hit in hits}


@pytest.mark.parametrize(
    ("metadata", "places"),
    [
        ({"topic": "boats"}, {"harbour"}),
        ({"topic": ["boats", "tools"]}, {"harbour", "shed"}),
        ({"topic": None}, {"attic"}),
        ({"tags": "sea"}, {"harbour"}),
        ({"tags": {"work", "home"}}, {"harbour"}),
        ({"tags": ()}, set()),
        ({"stars": 4.0}, {"harbour"}),
        ({"stars": True}, set()),
        ({"done": True}, {"harbour"}),
        ({"done": 0}, set()),
        ({"topic": "boats", "stars": 1}, set()),
        ({"nested": "boats"}, set()),
        ({"absent": None}, set()),
        ({}, set(NOTES)),
    ],
)
def test_values_are_compared_as_in_json(memory, metadata, places):
    """One of several, one of a list; true is not 1, and what is not there is not null."""
    assert found(memory, **metadata) == places


def test_it_holds_on_every_path(memory):
    """A prompt, its twins and the reasons are filtered as hits are."""
    wanted = RecallFilter(metadata={"topic": "boats"})
    assert "harbour" in memory.build_prompt("Which walk?", wanted=wanted, conversation_id="new").recalled_text
    assert "shed" not in memory.build_prompt("Which walk?", wanted=wanted, conversation_id="new").recalled_text
    assert [hit.signal.parent_turn_id for hit in memory.why("walk", wanted=wanted).hits] == ["harbour"]
    assert {hit.signal.parent_turn_id for hit in memory.retrieve("walk", wanted=wanted, strategy="keyword")} == {
        "harbour"
    }


def test_with_other_conditions(memory):
    """All of them have to hold."""
    assert memory.retrieve("walk", wanted=RecallFilter(metadata={"topic": "boats"}, roles=["assistant"])) == []


def test_a_score_does_not_depend_on_it(memory):
    """As with every filter: the same hit has the same score."""
    scores = {hit.signal.parent_turn_id: hit.score for hit in memory.retrieve("walk")}
    (hit,) = memory.retrieve("walk", wanted=RecallFilter(metadata={"topic": "boats"}))
    assert hit.score == scores["harbour"]


def test_what_comes_later_and_what_goes(memory):
    """They are read once and kept: additions, edits and deletions must show all the same."""
    assert found(memory, topic="boats") == {"harbour"}
    memory.add_message("I took a walk to the pier.", "user", message_id="pier", metadata={"topic": "boats"})
    memory.update_message("harbour", "I took a long walk to the old harbour.")
    assert found(memory, topic="boats") == {"harbour", "pier"}
    memory.delete_message("harbour")
    assert found(memory, topic="boats") == {"pier"}


def test_what_another_process_adds_and_deletes(tmp_path):
    """It is seen by the next question."""
    path = tmp_path / "m.db"
    program = (
        "import sys\n"
        "from streetai_core import MemoryRegistry\n"
        "from streetai_core.encoders.hashing import HashingEncoder\n"
        "with MemoryRegistry(sys.argv[1], encoder=HashingEncoder()) as registry:\n"
        "    memory = registry.get('m')\n"
        "    memory.delete_message('one')\n"
        "    memory.add_message('A walk by the sea.', 'user', message_id='two', metadata={'topic': 'boats'})\n"
    )
    with MemoryRegistry(path, encoder=HashingEncoder()) as registry:
        memory = registry.get("m")
        memory.add_message("A walk in the wood.", "user", message_id="one", metadata={"topic": "boats"})
        assert found(memory, topic="boats") == {"one"}
        subprocess.run([sys.executable, "-c", program, str(path)], check=True)
        assert found(memory, topic="boats") == {"two"}


@pytest.mark.parametrize(
    "wrong", ["topic", [("topic", "boats")], {1: "boats"}, {"topic": {"is": "boats"}}, {"topic": [["a"]]}]
)
def test_what_is_no_condition_is_refused(wrong):
    """It would let everything through, or nothing."""
    with pytest.raises(InputError, match="metadata"):
        RecallFilter(metadata=wrong)
