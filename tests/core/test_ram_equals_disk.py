"""What a memory holds in RAM is what the store would load, after any operations by any handle."""

from dataclasses import replace
from datetime import date, datetime, timezone

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import StaleMemoryError
from streetai_core.state import MemoryState
from streetai_core.stores.reference import ReferenceStore
from streetai_core.text.words import hashed, terms

TEXTS = st.lists(
    st.sampled_from(["The boat", "A berth", "Tides turn", "Tea is hot", "Ilse cooks"]),
    min_size=1,
    max_size=4,
)
NAMES = st.sampled_from([None, None, "Ilse", "Tomas Berg", "ilse"])
CONVERSATIONS = st.sampled_from([None, "work", "home"])
NOON = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
QUESTIONS = (
    "Is the tea hot, and the boat?",
    "What did Ilse and Tomas say of the latest tide?",
    "What was at the berth yesterday?",
)
"""Words of some messages; names and the newest; a time."""
SPAN = (date(2026, 2, 28).toordinal(), date(2026, 2, 28).toordinal())
"""What "yesterday" means to whoever says it at `NOON`."""
ENCODER = HashingEncoder(dim=16)
FEW = 5
"""Messages that a reset is worth its step for."""


def dump_words(words):
    """Everything in an index of words that is of a message that is there, by the message's number."""
    sequences = words.column("sequence")
    author_of = {number: name for name, number in words.authors.items()}
    rows = np.flatnonzero(words.alive)
    scores = [words.scores([hashed(term) for term in terms(question)]) for question in QUESTIONS]

    def beside(name):
        found = words.column(name)[rows]
        return [
            None if row < 0 else number for row, number in zip(found.tolist(), sequences[found].tolist(), strict=True)
        ]

    # A column at a time: there are thousands of messages, and many dumps.
    plain = ("length", "characters", "day", "question", "timed")
    columns = {
        "author": [author_of.get(number) for number in words.column("author")[rows].tolist()],
        "beside": [list(pair) for pair in zip(beside("previous"), beside("following"), strict=True)],
        **{name: words.column(name)[rows].tolist() for name in plain},
        "row": (words.rows_of(sequences[rows]) == rows).tolist(),
        "in the span": words.speaks_of(*SPAN)[rows].astype(bool).tolist(),
        # To the last bit: all that is added up are whole numbers, or the same fractions in the same order.
        **{
            question: list(zip(score.own[rows].tolist(), score.around[rows].tolist(), strict=True))
            for question, score in zip(QUESTIONS, scores, strict=True)
        },
    }
    messages = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    return {
        "messages": dict(zip(sequences[rows].tolist(), messages, strict=True)),
        "replaced": sorted((int(sequences[newer]), int(sequences[older])) for newer, older in words.replacements()),
        "number": len(words),
    }


def ranked(memory, questions=QUESTIONS):
    """The parts of the score of every signal for each question, by key."""
    return {
        (question, int(hit.signal.signal_id.rpartition(".")[2])): {
            name: round(part, 5) + 0.0 for name, part in hit.parts.items()
        }
        for question in questions
        for found in [memory.why(question, misses=1000)]
        for hit in (*found.hits, *(miss.hit for miss in found.near_misses))
    }


def dump(state):
    """Everything in a state, in an order of its own."""
    columns = state.columns
    order = np.argsort(columns.keys)
    return {
        "head": state.head,
        "keys": columns.keys[order].tolist(),
        "base": columns.base[order].tolist(),
        "vectors": columns.vectors[order].tolist(),
        **{
            name: columns.column(name)[order].tolist()
            for name in ("sequence", "chunk_index", "start", "end", "last_used_turn", "stack", "uses")
        },
        "stacks": {
            key: (state.stacks.size(key), np.round(state.stacks.total(key), 4).tolist())
            for key in sorted(state.stacks.keys)
        },
        "words": dump_words(state.words),
        "cues": {
            name: (state.cues.version(name), state.cues.vectors_of([name]).tolist()) for name in sorted(state.cues)
        },
    }


def opened(store, config=None):
    """A memory as a process finds it that has just started."""
    return MemoryRegistry(store, config=config, encoder=ENCODER, clock=lambda: NOON).get("m")


class Handles(RuleBasedStateMachine):
    """Two handles on one store; rules act through one of them, and both must agree with the store."""

    @initialize(
        config=st.sampled_from(
            [
                Config(stack_threshold=0.3),
                Config(stack_threshold=0.3, min_chunk_chars=30, min_chunk_words=5),
                Config(stack_threshold=0.3, min_chunk_chars=30, min_chunk_words=5, strategy="keyword"),
                Config.classic(stack_threshold=0.3),
                Config.classic(stack_threshold=0.3, vector_precision="half"),
            ]
        ),
        other=st.sampled_from(["single", "half"]),
    )
    def open(self, config, other):
        """Two registries on one store; what one of them writes may be in another precision than what the other does."""
        self.store = ReferenceStore()
        self.registries = [
            MemoryRegistry(self.store, config=one, encoder=ENCODER, clock=lambda: NOON)
            for one in (config, replace(config, vector_precision=other))
        ]
        self.config = config
        self.said = {}

    def memory(self, handle):
        """The memory of one registry; anew if the other one has reset it."""
        memory = self.registries[handle].get("m")
        try:
            memory.stats()
        except StaleMemoryError:
            memory = self.registries[handle].get("m")
        return memory

    @rule(handle=st.integers(0, 1), said=st.lists(st.tuples(TEXTS, NAMES, CONVERSATIONS), min_size=1, max_size=3))
    def add(self, handle, said):
        """Store messages of several chunks."""
        messages = [
            NewMessage(
                content=". ".join(f"{word} is what we talked about at some length yesterday" for word in words),
                role="user",
                name=name,
                conversation_id=conversation,
            )
            for words, name, conversation in said
        ]
        for message, signals in zip(messages, self.memory(handle).add_messages(messages), strict=True):
            self.said[signals[0].parent_turn_id] = message.content

    @rule(handle=st.integers(0, 1), conversation=CONVERSATIONS)
    def call(self, handle, conversation):
        """Store a message without text, which may get one by an update."""
        metadata = {"number": len(self.said)}
        memory = self.memory(handle)
        memory.add_message("", "assistant", conversation_id=conversation, metadata=metadata)
        self.said[memory.messages(last=1)[0].message_id] = ""

    @precondition(lambda self: self.said)
    @rule(handle=st.integers(0, 1), words=TEXTS, data=st.data())
    def update(self, handle, words, data):
        """Edit a message."""
        message_id = data.draw(st.sampled_from(list(self.said)))
        text = " and ".join(words) + " were mentioned in the new version of it"
        assert self.memory(handle).update_message(message_id, text)
        self.said[message_id] = text

    @precondition(lambda self: self.said)
    @rule(handle=st.integers(0, 1), data=st.data())
    def delete(self, handle, data):
        """Delete a message."""
        message_id = data.draw(st.sampled_from(list(self.said)))
        assert self.memory(handle).delete_message(message_id)
        del self.said[message_id]

    @rule(handle=st.integers(0, 1), conversation=CONVERSATIONS)
    def delete_conversation(self, handle, conversation):
        """Delete all messages of a conversation."""
        memory = self.memory(handle)
        gone = [message.message_id for message in memory.messages(conversation_id=conversation)]
        assert memory.delete_conversation(conversation) == len(gone)
        for message_id in gone:
            del self.said[message_id]

    @rule(handle=st.integers(0, 1))
    def reencode(self, handle):
        """Embed everything anew; the words stay."""
        assert self.memory(handle).reencode() == len(self.memory(handle).signals)

    @rule(handle=st.integers(0, 1), words=TEXTS, answer=TEXTS)
    def learn(self, handle, words, answer):
        """Learn from a reply; where it says what the question does not, the question becomes a cue."""
        memory = self.memory(handle)
        memory.post_process(memory.retrieve(" ".join(words)), ". ".join(answer))

    @precondition(lambda self: len(self.said) > FEW)
    @rule(handle=st.integers(0, 1))
    def reset(self, handle):
        """Forget everything, once there is something to forget."""
        self.registries[handle].reset("m")
        self.said.clear()

    @rule(handle=st.integers(0, 1))
    def fail(self, handle):
        """A write that fails half-way leaves nothing."""
        with pytest.raises(ValueError, match="role"):
            self.memory(handle).add_messages(
                [NewMessage(content="fine", role="user"), NewMessage(content="x", role="?")]
            )

    @invariant()
    def agree(self):
        """Both handles, the store and the model say the same."""
        if not hasattr(self, "store"):
            return
        with self.store.reading("m") as transaction:
            rows = transaction.rows(None)
        if rows is not None:
            on_disk, expected = dump(MemoryState.of(rows)), ranked(opened(self.store, self.config))
        for handle in (0, 1):
            memory = self.memory(handle)
            assert {message.message_id: message.content for message in memory.messages()} == self.said
            if rows is not None:
                memory.stats()
                assert dump(memory._coherent._state) == on_disk
                assert ranked(memory) == expected
                assert memory.stacks == opened(self.store, self.config).stacks
                sizes = {stack.stack_id: len(stack.signal_ids) for stack in memory.stacks}
                assert sizes == {stack.stack_id: stack.size for stack in memory.stacks}


Handles.TestCase.settings = settings(max_examples=40, stateful_step_count=25, database=None)
TestHandles = Handles.TestCase


REPEATED = "The boat is what we talked about at some length yesterday. " * 3


@pytest.mark.parametrize("strategy", ["hybrid", "keyword"])
def test_the_signal_that_gets_the_words_is_the_same_after_loading(strategy):
    """After a deletion and a restart, another piece of the same message would be sent."""
    config = Config(min_chunk_chars=30, min_chunk_words=5, strategy=strategy)
    store = ReferenceStore()
    memory = opened(store, config)
    first, _ = memory.add_messages([NewMessage(content=REPEATED, role="user")] * 2)
    memory.delete_message(first[0].parent_turn_id)
    in_ram, on_disk = (ranked(one, ["the boat"]) for one in (memory, opened(store, config)))
    assert in_ram == on_disk
    assert [key for (_, key), parts in sorted(on_disk.items()) if parts["words"]] == [3]


def test_a_deleted_author_is_nobody():
    """A question that names two people, one of them forgotten, would lose the other one's messages until a restart."""
    store = ReferenceStore()
    memory = opened(store)
    (gone,) = memory.add_message("I moor at the northern quay", "user", name="Tomas")
    memory.add_message("I moor at the southern quay", "user", name="Ilse")
    memory.add_message("I moor at the eastern quay", "user", name="Olaf")
    memory.delete_message(gone.parent_turn_id)
    question = ["Where do Tomas and Ilse moor?"]
    in_ram, on_disk = ranked(memory, question), ranked(opened(store), question)
    assert on_disk[question[0], 2]["author"] < on_disk[question[0], 1]["author"]
    assert in_ram == on_disk


def test_newness_is_measured_among_what_is_there():
    """Asked for the latest, a memory would rank otherwise after a deletion than after a restart."""
    store = ReferenceStore()
    memory = opened(store)
    said = memory.add_messages([NewMessage(content=f"Remark {n} on the berth", role="user") for n in range(6)])
    for (signal,) in said[:2]:
        memory.delete_message(signal.parent_turn_id)
    question = ["What is the latest berth?"]
    in_ram, on_disk = ranked(memory, question), ranked(opened(store), question)
    assert on_disk[question[0], 5]["time"] > on_disk[question[0], 2]["time"]
    assert in_ram == on_disk


def test_a_message_that_gets_words_late_stands_in_its_place():
    """A tool call that got a text by an edit would lend its words to the newest message, until a restart."""
    store = ReferenceStore()
    memory = opened(store)
    memory.add_messages(
        [
            NewMessage(content="The boat", role="user"),
            NewMessage(content="", role="assistant", metadata={"tool_calls": []}, message_id="call"),
            NewMessage(content="A berth", role="user"),
            NewMessage(content="Tides turn", role="user"),
        ]
    )
    memory.update_message("call", "Tea is hot")
    with store.reading("m") as transaction:
        on_disk = dump_words(MemoryState.of(transaction.rows(None)).words)
    assert on_disk["messages"][1]["beside"] == [0, 2]
    assert dump_words(memory._coherent._state.words) == on_disk


def test_stacks_are_listed_alike_after_loading():
    """Those of the same size from the oldest on, wherever a deletion has moved them in RAM."""
    store = ReferenceStore()
    memory = opened(store, Config())
    said = [NewMessage(content=text, role="user") for text in ("tides", "kettle", "ladder", "violin")]
    first, *_ = memory.add_messages(said)
    memory.delete_message(first[0].parent_turn_id)
    assert [1, 2, 3] == [int(stack.stack_id.rpartition(".")[2]) for stack in memory.stacks]
    assert memory.stacks == opened(store, Config()).stacks
