"""What a memory holds in RAM is what the store would load, after any operations by any handle."""

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import StaleMemoryError
from streetai_core.state import MemoryState
from streetai_core.stores.reference import ReferenceStore

TEXTS = st.lists(
    st.sampled_from(["the boat", "a berth", "tides turn", "tea is hot", "Ilse cooks"]), min_size=1, max_size=4
)


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
    }


class Handles(RuleBasedStateMachine):
    """Two handles on one store; rules act through one of them, and both must agree with the store."""

    @initialize(config=st.sampled_from([Config(stack_threshold=0.3), Config.classic(stack_threshold=0.3)]))
    def open(self, config):
        """Two registries on one store."""
        self.store = ReferenceStore()
        self.registries = [MemoryRegistry(self.store, config=config, encoder=HashingEncoder(dim=16)) for _ in range(2)]
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

    @rule(handle=st.integers(0, 1), words=TEXTS)
    def add(self, handle, words):
        """Store a message of several chunks."""
        text = ". ".join(f"{word} is what we talked about at some length today" for word in words)
        for signal in self.memory(handle).add_message(text, "user"):
            self.said[signal.parent_turn_id] = text

    @rule(handle=st.integers(0, 1), words=TEXTS, data=st.data())
    def update(self, handle, words, data):
        """Edit a message."""
        if self.said:
            message_id = data.draw(st.sampled_from(sorted(self.said)))
            text = " and ".join(words) + " were mentioned in the new version of it"
            assert self.memory(handle).update_message(message_id, text)
            self.said[message_id] = text

    @rule(handle=st.integers(0, 1), data=st.data())
    def delete(self, handle, data):
        """Delete a message."""
        if self.said:
            message_id = data.draw(st.sampled_from(sorted(self.said)))
            assert self.memory(handle).delete_message(message_id)
            del self.said[message_id]

    @rule(handle=st.integers(0, 1), words=TEXTS)
    def learn(self, handle, words):
        """Learn from a reply."""
        memory = self.memory(handle)
        memory.post_process(memory.retrieve(" ".join(words)), ". ".join(words))

    @rule(handle=st.integers(0, 1))
    def reset(self, handle):
        """Forget everything."""
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
        for handle in (0, 1):
            memory = self.memory(handle)
            assert {message.message_id: message.content for message in memory.messages()} == self.said
            if rows is not None:
                memory.stats()
                assert dump(memory._coherent._state) == dump(MemoryState.of(rows))
                sizes = {stack.stack_id: len(stack.signal_ids) for stack in memory.stacks}
                assert sizes == {stack.stack_id: stack.size for stack in memory.stacks}


Handles.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None, database=None)
TestHandles = Handles.TestCase
