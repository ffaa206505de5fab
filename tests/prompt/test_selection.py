"""What goes into a block: the most evidence for the tokens, the same for the same, whoever is asked."""

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streetai_core import Config, EstimatedTokens, MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.prompt.packing import LENGTH_PRICE, packing_order
from streetai_core.stores.reference import ReferenceStore
from tests.prompt.test_budget import COUNTERS, EVERYTHING

NOON = datetime(2026, 3, 2, 12, tzinfo=timezone.utc)


def packed(pairs, config=None):
    """The order of packing of messages with these texts and scores."""
    sizes = [EstimatedTokens().count(text) for text, _ in pairs]
    return packing_order([score for _, score in pairs], sizes, config or Config())


def test_of_two_hits_as_good_the_shorter_comes_first():
    """Two short messages are worth more than one as good that takes the room of both."""
    assert packed([("long " * 60, 0.5), ("short " * 6, 0.5)]) == [1, 0]


def test_a_clearly_better_long_hit_comes_before_a_short_one():
    """An e-fold of length costs a tenth of a point, and no more."""
    assert LENGTH_PRICE < 0.2
    assert packed([("long " * 60, 0.9), ("short " * 6, 0.5)]) == [0, 1]


def test_a_message_that_is_cut_anyway_costs_what_is_sent_of_it():
    """A book of a megabyte is no worse than a page."""
    assert packed([("long " * 200_000, 0.5), ("page " * 400, 0.5)]) == [0, 1]


def test_as_published_the_best_comes_first():
    """Whatever its length."""
    assert packed([("long " * 60, 0.5), ("short " * 6, 0.5)], Config.classic()) == [0, 1]


@given(st.lists(st.tuples(st.text(max_size=200), st.floats(-2, 2)), max_size=12))
def test_packing_is_a_sorted_and_stable_order_of_all_hits(pairs):
    """Property: nothing is lost or doubled; equals stay in the order of recall, so the same prompt comes twice."""
    order = packed(pairs)
    assert sorted(order) == list(range(len(pairs)))
    assert order == packed(pairs)
    equal = packed([("the same", 0.5)] * len(pairs))
    assert equal == list(range(len(pairs)))


said = st.lists(
    st.tuples(
        st.sampled_from(["user", "assistant"]),
        st.text(st.sampled_from("abc de. \n`?"), min_size=1, max_size=500),
        st.sampled_from([None, "Nora", "Ben", "tool"]),
        st.sampled_from(["one", "two"]),
        st.integers(0, 4),
    ),
    max_size=20,
)


def filled(rows, counter, config=EVERYTHING):
    """A memory of these messages."""
    registry = MemoryRegistry(
        ReferenceStore(), config=config, encoder=HashingEncoder(dim=32), token_counter=counter, clock=lambda: NOON
    )
    memory = registry.get("m")
    memory.add_messages(
        [
            NewMessage(
                role=role, content=text, name=name, conversation_id=where, created_at=NOON + timedelta(days=days)
            )
            for role, text, name, where, days in rows
        ]
    )
    return memory


@settings(max_examples=200)
@given(said, st.sampled_from(COUNTERS), st.one_of(st.none(), st.integers(150, 3000)), st.booleans())
def test_a_caller_who_always_agrees_changes_nothing(rows, counter, budget, beside):
    """Property: the same block with and without `recall_fits`, whatever the counter; and it is asked only of blocks."""
    memory = filled(rows, counter)
    asked = []

    def agree(block):
        asked.append(block)
        return True

    options = {"token_budget": budget, "conversation_id": "one", "shown": [] if beside else None}
    without = memory.build_prompt("abc de?", **options)
    beside_it = memory.build_prompt("abc de?", recall_fits=agree, **options)
    assert beside_it.messages == without.messages
    assert beside_it.inspector == without.inspector
    assert all(block.startswith("[recalled ") for block in asked)
    assert not without.recalled_text or without.recalled_text in asked


@settings(max_examples=100)
@given(said, st.sampled_from(COUNTERS), st.integers(150, 3000))
def test_the_same_memory_gives_the_same_prompt(rows, counter, budget):
    """Property: asked again, byte for byte."""
    memory = filled(rows, counter)
    prompts = [memory.build_prompt("abc de?", token_budget=budget, conversation_id="one") for _ in range(2)]
    assert prompts[0] == prompts[1]


def test_more_budget_recalls_more():
    """The budget alone decides, beyond the settings' usual limits; without one these hold."""
    config = Config(min_relevance=-10, history_ceiling=False, recency_turns=0)
    rows = [("user", f"remark {n} on berth {n * n} and on nothing else at all", None, "one", 0) for n in range(400)]
    memory = filled(rows, EstimatedTokens(), config)
    sizes = [
        len(memory.build_prompt("which berth?", token_budget=budget).retrieved) for budget in (100, 400, 1600, 6400)
    ]
    assert sizes == sorted(set(sizes))
    assert sizes[-1] > config.max_thinking_space
    without = memory.build_prompt("which berth?")
    assert len(without.retrieved) <= config.max_thinking_space
    assert without.inspector["tokens_recalled"] <= config.recall_tokens
    settled = Config(min_relevance=-10, history_ceiling=False, recency_turns=0, budget_decides=False)
    fixed = filled(rows, EstimatedTokens(), settled)
    assert len(fixed.build_prompt("which berth?", token_budget=6400).retrieved) <= config.max_thinking_space


@pytest.mark.parametrize("budget", [120, 400])
def test_the_room_is_used(budget):
    """Among short and long messages the block fills what the budget leaves, all but less than one more would take."""
    rows = [
        ("user", f"berth of {n}: {' '.join(f'pontoon {n * k}' for k in range(n % 30))}", None, "one", 0)
        for n in range(150)
    ]
    memory = filled(rows, EstimatedTokens(), Config(min_relevance=-10, recency_turns=0))
    sent = memory.build_prompt("which berth is quiet?", token_budget=budget).inspector["tokens_sent"]
    assert 0.8 * budget <= sent <= budget
