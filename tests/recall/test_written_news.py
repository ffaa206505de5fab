"""What tells of a change in written conversations: does it stand above what it changes, and what still holds first?

A file of its own, because it takes a minute. Every fourth conversation; `tests.benchmarks.as_typed` tells all.
"""

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders import offline_available
from tests.knowledge.cases import of_kind, recalled, stands_above, tell

pytestmark = pytest.mark.skipif(not offline_available(), reason="the extra `offline` is not installed: no real encoder")

LEAST_RIGHT = {
    "plain": 0.88,
    "explicit": 0.94,
    "clear": 0.97,
    "unforeseen": 0.91,
    "loose": 0.57,
    "sibling": 0.65,
    "busy": 0.93,
    "longer": 0.86,
}
"""92, 97, 99, 93, 61, 75, 96 and 91 in 100 of every fourth one. Who wrote the cases knew none of the rules; these were
looked at later."""
LEAST_UNDISTURBED = {"plain": 0.73, "explicit": 0.8, "unforeseen": 0.6, "loose": 0.54, "sibling": 0.74}
"""80, 84, 68, 58 and 80 in 100 of every fourth one in which something only sounds like a change."""


@pytest.fixture
def registry(tmp_path, real_encoder):
    """Memories that a test fills."""
    with MemoryRegistry(tmp_path / "memory.db", encoder=real_encoder, durability="fast") as opened:
        yield opened


def order_of(registry, case):
    """What a new memory, which is told a case, recalls for its question, best first."""
    memory = registry.get(f"{case['id']}-{case['current']}")
    tell(memory, case)
    return recalled(memory, case)


def replayed(registry, cases):
    """Each case with what a new memory recalls for it."""
    # In large batches first: the model takes half as long again for the texts of one case after the other.
    registry.encoder.encode([said["text"] for case in cases for said in case["messages"]])
    registry.encoder.encode([case["question"] for case in cases], "query")
    return [(case, order_of(registry, case)) for case in cases]


@pytest.mark.parametrize("kind", LEAST_RIGHT)
def test_the_current_value_stands_above_the_old_one_however_it_is_told(registry, kind):
    """People say that something changed in more ways than any list has."""
    cases = of_kind("changed_facts_as_typed.jsonl", kind)[::4]
    wrong = [case["id"] for case, order in replayed(registry, cases) if not stands_above(case, order)]
    assert len(wrong) <= (1 - LEAST_RIGHT[kind]) * len(cases), wrong


@pytest.mark.parametrize("kind", LEAST_UNDISTURBED)
def test_what_still_holds_is_mostly_left_first(registry, kind):
    """Whoever made the cases tried to make them sound like changes; most talk does not."""
    cases = of_kind("unchanged_facts_as_typed.jsonl", kind)[::4]
    disturbed = [case["id"] for case, order in replayed(registry, cases) if order[:1] != case["kept"][:1]]
    assert len(disturbed) <= (1 - LEAST_UNDISTURBED[kind]) * len(cases), disturbed
