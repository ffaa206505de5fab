"""What goes over the wire to an OpenAI-compatible server: the short form of `tests.benchmarks.llamaindex_wire`."""

import pytest

pytest.importorskip("llama_index.llms.openai_like", reason="needs llama-index-llms-openai-like")

from tests.benchmarks.llamaindex_wire import FACTS, conversation, found, play, play_elsewhere, run
from tests.benchmarks.wire import CHARACTERS_PER_TOKEN

TOKEN_LIMIT = 800
"""For window and recalled text."""

TURNS = 8
"""Turns between telling and asking: half as much again as the limit."""


def test_a_fact_survives_a_restart(tmp_path):
    """A fact of the first process is in the prompt of the right question in the second one, which has read the file."""
    parts = []

    def first_here_then_elsewhere(*task):
        """The first part in this process, the next in a new one."""
        parts.append(len(task[-1]))
        (play_elsewhere if len(parts) > 1 else play)(*task)

    turns = conversation()[:TURNS]
    path = tmp_path / "memory.db"
    log = run(path, turns, token_limit=TOKEN_LIMIT, processes=2, player=first_here_then_elsewhere)

    assert len(parts) == 2
    assert sum(parts) == len(log.requests) == TURNS + 2 * len(FACTS)
    assert [one["in_its_prompt"] for one in found(log)] == [True] * len(FACTS)
    # A prompt that has everything proves nothing.
    assert all(one["in_other_prompts"] < len(FACTS) - 1 for one in found(log))
    said = sum(len(text) for turn in turns for text in turn) / CHARACTERS_PER_TOKEN
    assert said > TOKEN_LIMIT
    assert max(log.tokens[-len(FACTS) :]) < said
