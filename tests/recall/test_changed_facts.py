"""Changed facts, from what was said to what is recalled: the current value stands above the old one."""

import pytest

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders import offline_available
from tests.knowledge.cases import asking, load

pytestmark = pytest.mark.skipif(not offline_available(), reason="the extra `offline` is not installed: no real encoder")

LEAST_RIGHT = 0.98
LEAST_RIGHT_LATER = 0.93
"""The later cases use rarer words on purpose."""
LEAST_RIGHT_BESIDE_QUESTIONS = 0.94
"""The embedding is of what is asked too."""
LEAST_RIGHT_QUOTED = 0.92
"""The embedding of a short answer is of what it quotes too. Before quotations were told it was .5, and .04 behind a
line that says who wrote."""
QUOTES = (
    "> {}",
    "On 3 May 2025 at 9:12, I wrote:\n> {}",
    "-----Original Message-----\nFrom: me\nSubject: news\n\n{}",
)


@pytest.fixture(scope="module")
def registry(tmp_path_factory, real_encoder):
    """One file for all cases; each has a memory of its own."""
    path = tmp_path_factory.mktemp("changed") / "memory.db"
    with MemoryRegistry(path, encoder=real_encoder, durability="fast") as opened:
        yield opened


def told(registry, case):
    """A memory that was told the conversation of a case; message ids are places."""
    memory = registry.get(case["id"])
    memory.add_messages(
        [
            NewMessage(content=one["text"], role=one["role"], name=one["author"], message_id=str(place))
            for place, one in enumerate(case["messages"])
        ]
    )
    return memory


def places(memory, question):
    """The messages recalled for a question, best first."""
    hits = memory.retrieve(question, limit=50)
    return list(dict.fromkeys(int(hit.signal.parent_turn_id) for hit in hits))


def is_right(case, order):
    """Whether the current value is recalled, above every old one that is."""
    if case["current"] not in order:
        return False
    above = order[: order.index(case["current"])]
    return not set(above) & set(case["old"])


@pytest.mark.parametrize(
    ("file", "least"), [("changed_facts", LEAST_RIGHT), ("changed_facts_later", LEAST_RIGHT_LATER)]
)
def test_the_current_value_stands_above_the_old_one(registry, file, least):
    """Otherwise the model is told the old address."""
    cases = load(f"{file}.jsonl")
    wrong = [case["id"] for case in cases if not is_right(case, places(told(registry, case), case["question"]))]
    assert len(wrong) <= (1 - least) * len(cases), wrong


@pytest.mark.parametrize("file", ["changed_facts", "changed_facts_later"])
def test_the_current_value_stands_above_the_old_one_where_both_were_told_with_a_question(registry, file):
    """People tell a model their news and what they want of it in one breath."""
    cases = [{**case, "id": f"{case['id']}, asked"} for case in asking(load(f"{file}.jsonl"))]
    wrong = [case["id"] for case in cases if not is_right(case, places(told(registry, case), case["question"]))]
    assert len(wrong) <= (1 - LEAST_RIGHT_BESIDE_QUESTIONS) * len(cases), wrong


def test_the_current_value_stands_above_the_old_one_where_it_was_told_with_pasted_code(registry):
    """A developer says "CI runs on Buildkite now" in front of eighty lines of YAML, which are no talk."""
    code = "".join(f"- step: {number}\n  run: make part{number}\n" for number in range(100))
    wrong = []
    for case in load("changed_facts.jsonl")[::3]:
        said = [dict(one) for one in case["messages"]]
        said[case["current"]]["text"] += f"\n```yaml\n{code}```"
        pasted = {**case, "id": f"{case['id']}, with code", "messages": said}
        if not is_right(pasted, places(told(registry, pasted), pasted["question"])):
            wrong.append(case["id"])
    assert len(wrong) <= (1 - LEAST_RIGHT) * 100, wrong


@pytest.mark.parametrize("quote", QUOTES)
def test_the_current_value_stands_above_a_later_answer_that_quotes_the_old_one(registry, quote):
    """Mail programs put below an answer what was said before, old values and all: that is no news of them."""
    wrong = []
    for case in load("changed_facts.jsonl")[QUOTES.index(quote) :: 3]:
        answer = "Thank you, that is all I wanted to know.\n\n" + quote.format(case["messages"][case["old"][0]]["text"])
        said = [*case["messages"], {**case["messages"][case["current"]], "text": answer}]
        quoting = {**case, "id": f"{case['id']}, quoted", "messages": said, "old": [*case["old"], len(said) - 1]}
        if not is_right(quoting, places(told(registry, quoting), quoting["question"])):
            wrong.append(case["id"])
    assert len(wrong) <= (1 - LEAST_RIGHT_QUOTED) * 100, wrong


def test_old_values_stay_reachable_and_are_labelled(registry):
    """What was true once is asked for too, and must not be taken for what is true now."""
    case = next(case for case in load("changed_facts.jsonl") if case["id"] == "residence-01")
    memory = told(registry, case)
    current, old = case["messages"][case["current"]]["text"], case["messages"][case["old"][0]]["text"]
    assert [old, current] == [one.content for one in memory.revisions(str(case["current"]))]
    assert [old, current] == [one.content for one in memory.revisions(str(case["old"][0]))]
    block = memory.build_prompt(case["question"], conversation_id="another").recalled_text
    assert f"changed later: {old}" in block
    assert f"changed later: {current}" not in block


def test_revisions_of_a_message_that_changed_nothing(registry):
    """Asking about any message is safe."""
    case = load("changed_facts.jsonl")[1]
    memory = told(registry, case)
    assert ["3"] == [one.message_id for one in memory.revisions("3")]
    assert memory.revisions("nobody") == []
