"""A counter that adds up saves putting prompts together; it must not change what is in them."""

import random
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.tokens import AdditiveCounter, EstimatedTokens

WORDS = [
    "boat",
    "berth",
    "harbour",
    "tide",
    "mast",
    "港の潮",
    "sail",
    "keel\nline\n\nmore",
    "lamp.",
    "chart!",
    "🙂",
    "pilot",
]
START = datetime(2024, 1, 1, tzinfo=timezone.utc)


class Plain:
    """The same counts, and nothing that could be added up."""

    def count(self, text):
        """As the estimate counts."""
        return EstimatedTokens().count(text)


@given(st.lists(st.text(max_size=20)))
def test_measures_add_up_to_the_count_of_the_whole(pieces):
    """Property: what does not add up would refuse passages that fit."""
    counter = EstimatedTokens()
    assert counter.tokens(sum(map(counter.measure, pieces))) == counter.count("".join(pieces))
    assert isinstance(counter, AdditiveCounter)
    assert not isinstance(Plain(), AdditiveCounter)


@pytest.mark.parametrize("seed", range(6))
def test_prompts_are_those_of_counting_everything(seed, tmp_path):
    """Long and short messages, wide characters, several speakers and days, budgets from tight to ample."""
    choose = random.Random(seed)
    said = [
        NewMessage(
            content=" ".join(choose.choices(WORDS, k=choose.choice([3, 20, 60, 200]))),
            role=choose.choice(["user", "assistant", "tool"]),
            name=choose.choice([None, "Ilse", "tool", "Tomas"]),
            conversation_id=choose.choice([None, "a", "b"]),
            created_at=START + timedelta(hours=choose.randrange(200)),
        )
        for _ in range(80)
    ]
    prompts = []
    for counter in (EstimatedTokens(), Plain()):
        with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(dim=64), token_counter=counter) as registry:
            memory = registry.get("m")
            if not prompts:
                memory.add_messages(said)
            questions = [" ".join(random.Random(n).choices(WORDS, k=4)) for n in range(8)]
            prompts.append(
                [
                    memory.build_prompt(question, token_budget=budget).messages
                    for question in questions
                    for budget in (None, 90, 150, 400, 1_500)
                ]
            )
    assert prompts[0] == prompts[1]
