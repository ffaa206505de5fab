"""An answer that means nothing alone is shown with the question that it answers."""

import re
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from streetai_core import Config, EstimatedTokens, MemoryRegistry, NewMessage, RecallFilter
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.recall.terse_answers import TERSE
from streetai_core.stores.reference import ReferenceStore

NOON = datetime(2026, 3, 2, 12, tzinfo=timezone.utc)
ASKED = "How many boats are on the Kestrel list?"
ANSWER = "Around forty kestrels."
ABOUT = "Kestrels around forty."
"""Finds the answer and not the question."""
CHOSEN = Config(history_ceiling=False, recency_turns=0, max_thinking_space=1, budget_decides=False)
"""One hit, so that a question that is shown was taken along."""
BOTH = Config(history_ceiling=False, recency_turns=0)


def said(content, role="user", **more):
    """A message; the newest one, unless told."""
    return NewMessage(**{"role": role, "content": content, "created_at": NOON, **more})


def memory_of(*messages, config=CHOSEN):
    """A memory of these messages."""
    registry = MemoryRegistry(
        ReferenceStore(), config=config, encoder=HashingEncoder(), token_counter=EstimatedTokens(), clock=lambda: NOON
    )
    memory = registry.get("m")
    memory.add_messages(list(messages))
    return memory


def block(memory, question=ABOUT, **options):
    """The lines of the recalled block, without the fence."""
    return memory.build_prompt(question, **options).recalled_text.splitlines()[1:-1]


def test_the_question_stands_before_its_answer():
    """Under its own day and with its own label; it is no hit, so that learning leaves it alone."""
    memory = memory_of(said(ASKED, "assistant", name="Ilse", created_at=NOON - timedelta(1)), said(ANSWER, name="Nora"))
    prompt = memory.build_prompt(ABOUT)
    assert prompt.recalled_text.splitlines()[1:-1] == [
        "2026-03-01", f"Ilse (assistant): {ASKED}", "2026-03-02", f"Nora (user): {ANSWER}",
    ]  # fmt: skip
    assert [hit.signal.content for hit in prompt.retrieved] == [ANSWER]
    assert prompt.inspector["long_term_count"] == 1
    assert prompt.inspector["tokens_recalled"] == EstimatedTokens().count(prompt.recalled_text)


def test_a_question_that_is_found_itself_stands_once():
    """Whichever of the two was found first."""
    memory = memory_of(said(ASKED, "assistant"), said(ANSWER), config=BOTH)
    for question in (ABOUT, ASKED):
        prompt = memory.build_prompt(question)
        assert len(prompt.retrieved) == 2
        assert prompt.recalled_text.splitlines()[1:-1] == ["2026-03-02", f"assistant: {ASKED}", f"user: {ANSWER}"]


def test_of_a_long_message_the_question_at_its_end():
    """The rest of it is not what was answered."""
    advice = "There is much to be said about harbours and lists of all sorts. " * 8
    memory = memory_of(said(advice + ASKED, "assistant"), said(ANSWER))
    assert block(memory) == ["2026-03-02", f"assistant: [...] {ASKED}", f"user: {ANSWER}"]


@pytest.mark.parametrize(
    ("phrase", "end", "left"),
    [
        ("there were lists and harbours ", "so how many were there?", 7),
        ("\u6e2f\u53e3\u6709\u8239\uff0c", "\u5e7e\u8258\uff1f", 47),
        ("x", "?", 239),
    ],
    ids=["words", "no spaces", "one word"],
)
def test_of_a_sentence_without_end_its_last_words(phrase, end, left):
    """As people type who make no stops, or paste a log; else one "yes" would take the room of all."""
    memory = memory_of(said(phrase * 300 + end, "assistant"), said(ANSWER))
    lines = block(memory, token_budget=3000)
    assert lines == ["2026-03-02", f"assistant: [...] {phrase * left}{end}", f"user: {ANSWER}"]


def test_of_a_long_message_that_is_found_too_the_question_is_shown_as_well():
    """What matched and what was answered are two parts of it."""
    middle = "Otters moor at pier nine when the glass falls."
    filler = "There is much to be said about harbours and lists of all sorts. " * 12
    memory = memory_of(said(f"{middle} {filler}{ASKED}", "assistant"), said(ANSWER), config=BOTH)
    prompt = memory.build_prompt(f"{ABOUT} Otters at pier nine?", token_budget=200)
    assert len(prompt.retrieved) == 2
    assert prompt.recalled_text.count(middle) == prompt.recalled_text.count(ASKED) == 1


@pytest.mark.parametrize(
    "steps",
    [
        [("tool", "list: 41 rows")],
        [("assistant", "Let me look."), ("tool", "no such list"), ("assistant", "Again."), ("tool", "list: 41 rows")],
    ],
    ids=["a result", "calls and results"],
)
def test_tools_may_be_used_between_question_and_answer(steps):
    """They are steps of the same answer."""
    between = [said(content, role) for role, content in steps]
    memory = memory_of(said(ASKED), *between, said(ANSWER, "assistant"))
    assert block(memory) == ["2026-03-02", f"user: {ASKED}", f"assistant: {ANSWER}"]


@pytest.mark.parametrize(
    "messages",
    [
        [said(ASKED), said(ANSWER)],
        [said(ASKED, "assistant"), said("list: 41 rows", "tool"), said(ANSWER)],
        [said(ASKED), said("So.", "assistant"), said("list: 41 rows", "tool"), said(ANSWER)],
        [said("The Kestrel list has boats.", "assistant"), said(ANSWER)],
        [said(ASKED, "assistant", conversation_id="another"), said(ANSWER)],
        [said(ASKED, "assistant"), said(ANSWER + " And that is all there is to say, word for word, I do believe.")],
        [said(ASKED, "assistant", trust=0.1), said(ANSWER)],
        [said(ASKED, "assistant"), said("So.", "assistant"), said(ANSWER)],
    ],
    ids=[
        "of the same speaker",
        "no answer to a tool",
        "of an earlier turn",
        "no question",
        "of another talk",
        "long answer",
        "not trusted",
        "not the one before",
    ],
)
def test_nothing_else_is_taken_along(messages):
    """Only what somebody else asked just before, and may be believed."""
    assert block(memory_of(*messages)) == ["2026-03-02", f"user: {messages[-1].content}"]


def test_the_limit_of_length_is_included():
    """One character more, and an answer stands alone."""
    for length, lines in ((TERSE, 3), (TERSE + 1, 2)):
        answer = f"{ANSWER} ".ljust(length, "k")
        assert len(block(memory_of(said(ASKED, "assistant"), said(answer)))) == lines


def test_what_the_caller_leaves_out_is_not_taken_along():
    """By a filter, because it is sent anyway, or because it is in quarantine."""
    memory = memory_of(said(ASKED, "assistant"), said(ANSWER))
    assert len(block(memory, wanted=RecallFilter(roles=("user", "assistant")))) == 3
    assert block(memory, wanted=RecallFilter(roles="user")) == ["2026-03-02", f"user: {ANSWER}"]
    assert block(memory, shown=[ASKED]) == ["2026-03-02", f"user: {ANSWER}"]
    memory.quarantine(source="assistant")
    assert block(memory) == ["2026-03-02", f"user: {ANSWER}"]


def test_the_window_is_not_repeated():
    """A question that is sent verbatim is not quoted too."""
    later = [said(f"Word {n} on nothing at all.", "user", conversation_id="now") for n in range(2)]
    memory = memory_of(said(ASKED, "assistant"), said(ANSWER), *later, config=Config(history_ceiling=False))
    prompt = memory.build_prompt(ABOUT)
    assert prompt.window
    assert sum(ASKED in message["content"] for message in prompt.messages) == 1


def test_without_room_for_both_the_answer_stands_alone():
    """It may say enough to whoever asks; and the budget holds, whatever it is."""
    memory = memory_of(said(ASKED, "assistant"), said(ANSWER))
    seen = set()
    for budget in range(20, 60):
        prompt = memory.build_prompt(ABOUT, token_budget=budget)
        assert len(prompt.retrieved) <= 1
        assert prompt.inspector["tokens_sent"] <= budget
        seen.add(tuple(re.findall("^(assistant|user):", prompt.recalled_text, re.MULTILINE)))
    assert seen == {(), ("user",), ("assistant", "user")}


def test_the_published_pipeline_and_chunks_stand_alone():
    """Both show what they found and nothing else."""
    for config in (
        Config.classic(history_ceiling=False, recency_turns=0, max_thinking_space=1, activation_threshold=0.05),
        replace(CHOSEN, passage="chunk"),
    ):
        lines = block(memory_of(said(ASKED, "assistant"), said(ANSWER), config=config))
        assert f"assistant: {ASKED}" not in lines
        assert f"user: {ANSWER}" in lines


def test_who_has_a_tokenizer_of_their_own_is_asked_with_the_question():
    """What would be sent is what is asked about."""
    memory = memory_of(said(ASKED, "assistant"), said(ANSWER))
    offered = []

    def fits(text):
        offered.append(text)
        return ASKED not in text

    assert block(memory, recall_fits=fits) == ["2026-03-02", f"user: {ANSWER}"]
    assert any(ASKED in text for text in offered)
