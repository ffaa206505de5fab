"""A question that leans on the one before finds what that is about, where it finds little by itself."""

from datetime import datetime, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders import OfflineMiniLM, offline_available
from streetai_core.recall.leaning import _together, leaning
from streetai_core.recall.question import LONGEST, read_question

pytestmark = pytest.mark.skipif(not offline_available(), reason="needs the extra `offline`")

TOLD = [
    "I work at the harbour office in Kiel these days, where Nils had put in a word for me.",
    *(f"Walk number {number} went along the canal and back through the park." for number in range(60)),
]
ANSWER = "Nils had put in a word"


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A file in which all that was told."""
    path = tmp_path_factory.mktemp("leaning") / "memory.db"
    with MemoryRegistry(path, encoder=OfflineMiniLM()) as registry:
        said = [NewMessage(content=text, role="user", conversation_id="may") for text in TOLD]
        registry.get("ada").add_messages(said)
    return path


class Counted(OfflineMiniLM):
    """The model, and what it was asked."""

    def __init__(self):
        super().__init__()
        self.asked = []

    def embed(self, texts, kind):
        """Remember them."""
        self.asked.append(list(texts))
        return super().embed(texts, kind)


@pytest.fixture
def encoder():
    """The model of the memory."""
    return Counted()


@pytest.fixture
def memory(path, tmp_path, encoder):
    """Its memory, in a file of its own, in which somebody has just been asked for."""
    copy = tmp_path / "memory.db"
    copy.write_bytes(path.read_bytes())
    with MemoryRegistry(copy, encoder=encoder) as registry:
        memory = registry.get("ada")
        memory.add_messages(
            [
                NewMessage(content="Where do I work these days?", role="user", conversation_id="june"),
                NewMessage(content="In Kiel.", role="assistant", conversation_id="june"),
            ]
        )
        yield memory


QUESTION = "And how come?"
ASKED = {"token_budget": 400}


def recalled(memory, question=QUESTION, **options):
    """The recalled text."""
    return memory.build_prompt(question, **{**ASKED, **options}).recalled_text


def test_it_finds_what_the_question_before_is_about(memory):
    """In the conversation that it is asked in, and only there."""
    assert ANSWER in recalled(memory, conversation_id="june")
    assert ANSWER not in recalled(memory)
    assert ANSWER not in recalled(memory, conversation_id="may 2")


def test_what_the_app_sends_along_is_not_recalled(memory):
    """As an agent does that keeps its conversation."""
    assert ANSWER in recalled(memory, conversation_id="june", shown=["In Kiel."])
    assert ANSWER not in recalled(memory, conversation_id="june", shown=["In Kiel.", TOLD[0]])


def test_any_number_of_tools_may_stand_between(memory):
    """An agent looks things up before it answers."""
    calls = [{"name": "look", "args": {}, "id": "1", "type": "tool_call"}]
    memory.add_messages(
        [
            NewMessage(
                content=f"Step {number}.", role=role, conversation_id="june",
                metadata={"tool_calls": calls} if role == "assistant" else {},
            )
            for number in range(12)
            for role in ("assistant", "tool")
        ]
    )  # fmt: skip
    assert ANSWER in recalled(memory, conversation_id="june")


async def test_the_async_twin_finds_the_same(memory):
    """Word for word, but for the mark in the fence."""
    prompt = await memory.abuild_prompt(QUESTION, conversation_id="june", **ASKED)
    assert prompt.recalled_text == recalled(memory, conversation_id="june")


def test_it_asks_the_encoder_once(memory, encoder):
    """What was said before has its vectors."""
    # At its first question a registry finds out what all vectors of its encoder have in common.
    recalled(memory, conversation_id="june")
    encoder.asked.clear()
    recalled(memory, "But how come?", conversation_id="june")
    assert [["But how come?"]] == encoder.asked


def test_a_question_that_stands_alone_is_left_as_it_is(memory):
    """Whatever was asked before it."""
    alone = "Where along the canal and the park did walk number 7 go?"
    assert "Nils" not in recalled(memory, alone, conversation_id="june")


def test_what_was_asked_first_counts_through_several(memory):
    """A follow-up of a follow-up."""
    memory.add_message("And before that?", role="user", conversation_id="june")
    memory.add_message("I do not know.", role="assistant", conversation_id="june")
    assert ANSWER in recalled(memory, conversation_id="june")


def test_a_question_that_is_stored_already_does_not_lean_on_itself(memory):
    """Some apps store it before they ask for a prompt."""
    memory.add_message(QUESTION, role="user", conversation_id="june")
    assert ANSWER in recalled(memory, conversation_id="june")


def test_no_planted_text_is_leant_on(memory):
    """Nor one in quarantine, nor what a document says."""
    planted = NewMessage(content="Walk along the canal.", role="user", conversation_id="june", source="document")
    memory.add_messages([planted])
    assert ANSWER not in recalled(memory, conversation_id="june")
    memory.delete_message(memory.messages(conversation_id="june")[-1].message_id)
    assert ANSWER in recalled(memory, conversation_id="june")
    memory.quarantine(conversation="june")
    assert ANSWER not in recalled(memory, conversation_id="june")


def test_what_is_in_quarantine_hides_no_question_before_it(memory):
    """As if it had been deleted: however much of it stands between."""
    planted = [NewMessage(content=f"Walk {n}.", role="user", conversation_id="june", writer="m") for n in range(9)]
    memory.add_messages(planted)
    assert ANSWER not in recalled(memory, conversation_id="june")
    memory.quarantine(writer="m")
    assert ANSWER in recalled(memory, conversation_id="june")


def test_the_published_pipeline_does_without(tmp_path, path):
    """`Config.classic()` stays what it is."""
    copy = tmp_path / "memory.db"
    copy.write_bytes(path.read_bytes())
    with MemoryRegistry(copy, config=Config.classic(), encoder=OfflineMiniLM()) as registry:
        memory = registry.get("ada")
        memory.add_message("Where do I work these days?", role="user", conversation_id="june")
        with_it = memory.build_prompt(QUESTION, conversation_id="june")
        alone = memory.build_prompt(QUESTION, conversation_id="july")
        assert [hit.signal.content for hit in with_it.retrieved] == [hit.signal.content for hit in alone.retrieved]


NOW = datetime(2026, 6, 1, tzinfo=timezone.utc)


def put_together(memory, question):
    """What is asked where a question leans on what was said before it in July."""
    vector = np.full(384, 384**-0.5, dtype=np.float32)
    with memory._coherent.reading() as (transaction, state):
        alone = read_question(question, vector, turn=0, asked_at=NOW)
        return leaning(alone, transaction, state, Config(), conversation_id="july", asked_at=NOW)


@pytest.mark.parametrize("length", [30, LONGEST - 11, LONGEST - 10, LONGEST, 3 * LONGEST])
def test_its_own_words_count_however_long_what_it_leans_on_is(memory, length):
    """A pasted log took all the room, and the words of the question were not looked for."""
    log = ("The build went wrong. " * length)[:length]
    memory.add_message(log, role="user", conversation_id="july")
    asked = put_together(memory, "And Nils?")
    assert asked.text == f"{log[: LONGEST - 10]}\nAnd Nils?"
    assert set(read_question("Nils", None, turn=0, asked_at=NOW).terms) <= set(asked.terms)


def test_what_was_said_nearest_has_room_first(memory):
    """A follow-up of a follow-up on a pasted log is about both, and the log has the room that is left."""
    log = "The build went wrong. " * 500
    memory.add_messages(
        [NewMessage(content=text, role="user", conversation_id="july") for text in (log, "And before that?")]
    )
    asked = put_together(memory, "And Nils?").text
    assert len(asked) == LONGEST
    assert asked == f"{log[: LONGEST - 27]}\nAnd before that?\nAnd Nils?"


@given(
    st.lists(st.sampled_from([1, 9, 1990, 3989, 3990, 5000]), min_size=1, max_size=3), st.sampled_from([9, 3998, 4000])
)
def test_what_is_asked_ends_with_the_question_and_is_never_too_long(lengths, length):
    """Property: whatever is cut, and whatever has no room at all; what has room for all is left as it is."""
    before, question = [letter * size for letter, size in zip("abc", lengths, strict=False)], "q" * length
    asked, everything = _together(before, question), "\n".join([*before, question])
    assert f"\n{asked}".endswith(f"\n{question}")
    assert len(asked) <= LONGEST
    assert asked == everything or len(asked) >= LONGEST - 1
