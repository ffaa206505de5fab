"""`build_prompt(recall_fits=...)`: a limit of the caller's for the recalled block."""

import pytest

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import InputError

FACTS = (
    "The draught of my boat is one metre forty, so shallow harbours are no problem.",
    "The draught of the boat that I had before was two metres.",
    "The draught of my sister's boat is only sixty centimetres.",
)
QUESTION = "What is the draught of the boat?"


@pytest.fixture
def memory(tmp_path):
    """Three facts of one kind, and enough else."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as registry:
        memory = registry.get("m")
        memory.add_messages([NewMessage(content=text, role="user") for text in FACTS])
        memory.add_messages(
            [NewMessage(content=f"In week {n} we spoke at length of the weather.", role="user") for n in range(12)]
        )
        yield memory


@pytest.mark.parametrize("shown", [None, []])
def test_the_block_is_as_long_as_it_may_be(memory, shown):
    """A framework with a tokenizer of its own never gets more than it has room for, and still the best pieces."""
    whole = memory.build_prompt(QUESTION, shown=shown)
    assert len(whole.retrieved) > 1
    most = len(whole.recalled_text.split()) - 1

    prompt = memory.build_prompt(QUESTION, shown=shown, recall_fits=lambda block: len(block.split()) <= most)

    assert prompt.recalled_text
    assert len(prompt.recalled_text.split()) <= most
    assert prompt.retrieved[0].signal.signal_id == whole.retrieved[0].signal.signal_id


def test_nothing_fits(memory):
    """Without room there is no block, and nothing counts as sent."""
    prompt = memory.build_prompt(QUESTION, shown=[], recall_fits=lambda _: False)
    assert (prompt.recalled_text, prompt.retrieved) == ("", [])


def test_what_is_no_function_is_refused(memory):
    """A number is not a function; the error names the argument."""
    with pytest.raises(InputError, match="recall_fits must be None or a function of a text, got int"):
        memory.build_prompt(QUESTION, recall_fits=100)
