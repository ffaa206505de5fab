"""The token budget is never exceeded, whatever the counter says a token is."""

import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streetai_core import Config, EstimatedTokens, MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import InputError
from streetai_core.prompt.building import FRAME_TOKENS
from streetai_core.prompt.turns import as_turns
from streetai_core.stores.reference import ReferenceStore
from streetai_core.tokens import count_messages


class Words:
    """One token a word."""

    def count(self, text):
        """Words of a text."""
        return len(text.split())


class Costly:
    """Many tokens a character, and a price for every text."""

    def count(self, text):
        """Tokens of a text."""
        return 7 + 3 * len(text) if text else 0


class Erratic:
    """Not even monotone: depends on every byte."""

    def count(self, text):
        """Tokens of a text."""
        return len(text) // 5 + zlib.crc32(text.encode()) % 17


class Joining:
    """Less for a whole than for its parts, and by leaps: what tokenizers do at borders, overdone."""

    def count(self, text):
        """Tokens of a text."""
        return 10 * len(text) // 97 * 3 + (5 if text.endswith("\n") else 0)


COUNTERS = [EstimatedTokens(), Words(), Costly(), Erratic(), Joining()]

EVERYTHING = Config(min_relevance=-10)
"""Recalls all that there is room for."""

messages = st.lists(
    st.tuples(
        st.sampled_from(["user", "assistant", "system", "tool"]),
        st.text(st.sampled_from("abc de. \n`?"), min_size=1, max_size=400),
        st.sampled_from([None, "one", "two"]),
    ),
    max_size=25,
)


@settings(max_examples=150)
@given(
    said=messages,
    budget=st.integers(0, 600),
    counter=st.sampled_from(COUNTERS),
    system=st.sampled_from([None, "You are brief."]),
    recall_fits=st.sampled_from([None, lambda block: len(block) % 3 > 0, lambda block: len(block) < 300]),
    config=st.sampled_from(
        [
            EVERYTHING,
            Config(min_relevance=-10, history_ceiling=False, recency_turns=0),
            Config(min_relevance=-10, budget_decides=False, recall_tokens=90, passage_tokens=7),
            Config.classic(),
            Config(recency_turns=6, window_tokens=None),
        ]
    ),
)
def test_no_prompt_is_over_its_budget(*, said, budget, counter, system, config, recall_fits):
    """Property: over any histories, counters, settings, budgets and limits; too small a budget is an error."""
    registry = MemoryRegistry(ReferenceStore(), config=config, encoder=HashingEncoder(dim=32), token_counter=counter)
    memory = registry.get("m")
    memory.add_messages([NewMessage(role=role, content=text, conversation_id=where) for role, text, where in said])
    try:
        prompt = memory.build_prompt(
            "what de abc?", system=system, token_budget=budget, conversation_id="one", recall_fits=recall_fits
        )
    except InputError:
        alone = [{"content": "what de abc?"}] + ([{"content": system}] if system else [])
        assert count_messages(alone, counter) > budget
        return
    assert prompt.inspector["tokens_sent"] == count_messages(prompt.messages, counter) <= budget
    assert prompt.messages[-1]["content"].endswith("what de abc?")
    assert not prompt.recalled_text or recall_fits is None or recall_fits(prompt.recalled_text)
    if not config.budget_decides and config.recall_tokens is not None:
        assert prompt.inspector["tokens_recalled"] <= config.recall_tokens


@settings(max_examples=150)
@given(
    said=messages,
    counter=st.sampled_from([EstimatedTokens(), Words(), Costly()]),
    system=st.sampled_from([None, "You are brief."]),
    budget=st.one_of(st.none(), st.integers(200, 4000)),
)
def test_no_prompt_costs_more_than_the_history(said, counter, system, budget):
    """Property: also for short ones; the frame of quotes may come on top where the history is not valid as turns."""
    registry = MemoryRegistry(
        ReferenceStore(), config=EVERYTHING, encoder=HashingEncoder(dim=32), token_counter=counter
    )
    memory = registry.get("m")
    memory.add_messages([NewMessage(role=role, content=text, conversation_id=where) for role, text, where in said])
    prompt = memory.build_prompt("what de abc?", system=system, conversation_id="one", token_budget=budget)
    everything = [{"content": message.content} for message in memory.messages()]
    everything += [{"content": "what de abc?"}] + ([{"content": system}] if system else [])
    assert prompt.inspector["tokens_full_history"] == count_messages(everything, counter)
    stored = memory.messages()
    elsewhere = {message.conversation_id for message in stored} - {"one"}
    frame = 0 if not elsewhere and len(as_turns(stored).shown) == len(stored) else FRAME_TOKENS
    assert prompt.inspector["tokens_sent"] <= prompt.inspector["tokens_full_history"] + frame


def test_a_new_conversation_knows_what_little_was_said_before():
    """Two short messages cost less than the fence round them, and are recalled all the same."""
    memory = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder()).get("m")
    memory.add_message("I am vegetarian.", "user", conversation_id="monday")
    memory.add_message("Noted.", "assistant", conversation_id="monday")
    assert "I am vegetarian." in memory.build_prompt("Am I vegetarian?", conversation_id="friday").recalled_text


def test_a_greeting_of_the_assistant_is_not_lost():
    """It cannot be the first turn, so it is quoted: "yes" means nothing without it."""
    memory = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder()).get("m")
    memory.add_message("Hello, shall I book berth 31?", "assistant")
    (message,) = memory.build_prompt("yes").messages
    assert "\nassistant: Hello, shall I book berth 31?\n" in message["content"]
    assert message["content"].endswith("yes")


def short_talk(memory, count):
    """Short messages, each cheaper than its label would be."""
    roles = ("user", "assistant")
    memory.add_messages([NewMessage(content=f"yes {n}", role=roles[n % 2]) for n in range(count)])


def test_a_short_history_is_sent_as_it_is():
    """All of it, as turns, nothing recalled."""
    memory = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder()).get("m")
    short_talk(memory, 6)
    prompt = memory.build_prompt("yes 0")
    assert prompt.inspector["whole_history_sent"]
    assert [message["content"] for message in prompt.messages] == [*(f"yes {n}" for n in range(6)), "yes 0"]
    assert prompt.retrieved == []


@pytest.mark.parametrize("budget", [60, 120, 400])
def test_a_budget_is_shared_by_window_and_recall(budget):
    """The window takes at most half of it, so that there is room for what was said long ago."""
    memory = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder()).get("m")
    memory.add_message("The berth number of Kestrel is thirty one.", "user")
    roles = ("user", "assistant")
    memory.add_messages(
        [NewMessage(content=f"Long talk {n} about the weather. " * 6, role=roles[n % 2]) for n in range(20)]
    )
    prompt = memory.build_prompt("berth number of Kestrel?", token_budget=budget)
    assert prompt.inspector["tokens_window"] <= budget / 2
    if budget >= 120:
        assert "thirty one" in prompt.recalled_text


def test_a_question_stored_already_is_sent_and_counted_once():
    """Apps differ in whether they store the message before or after they ask."""
    memory = MemoryRegistry(ReferenceStore(), encoder=HashingEncoder()).get("m")
    short_talk(memory, 4)
    before = memory.build_prompt("and what now?")
    memory.add_message("and what now?", "user")
    after = memory.build_prompt("and what now?")
    assert before.messages == after.messages
    assert before.inspector["tokens_full_history"] == after.inspector["tokens_full_history"]
