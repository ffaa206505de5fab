"""`StreetAIChainMemory` by itself: rendering, storing and learning."""

import copy
import re

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_core.prompt.turns import WORDLESS
from streetai_langchain import StreetAIChainMemory
from tests.langchain_plugin.conftest import FACT, QUESTION, REPLY, chain_memory, seed, spoken


def test_the_recalled_block_stands_last_in_the_text(diary):
    """Window first, then what bears on the question, next to the question that the template puts after it."""
    memory = chain_memory(diary)
    memory.save_context({"input": "Good morning!"}, {"response": "Good morning,\nMara."})

    text = memory.load_memory_variables({"input": QUESTION})["history"]

    window, fence, block = text.partition("\n[recalled ")
    assert window == "Human: Good morning!\nAI: Good morning,\nMara."
    assert fence
    assert FACT in block
    assert re.search(r"\[end of recalled [0-9]{8}\]$", block)


def test_the_recalled_block_is_the_last_message(diary):
    """As messages: the window as it was said, then one human message with the block."""
    memory = chain_memory(diary, return_messages=True)
    memory.save_context({"input": "Good morning!"}, {"response": "Good morning, Mara."})

    *window, block = memory.load_memory_variables({"input": QUESTION})["history"]

    assert window == [HumanMessage("Good morning!"), AIMessage("Good morning, Mara.")]
    assert isinstance(block, HumanMessage)
    assert block.content.startswith("[recalled ")
    assert FACT in block.content


def test_prefixes_and_names(diary):
    """Prefixes are for the text, names are stored and label what is recalled."""
    memory = chain_memory(diary, human_prefix="Guest", ai_prefix="Bot", human_name="Mara", ai_name="Skipper")
    memory.save_context({"input": "Ahoy"}, {"response": "Hello"})

    assert memory.load_memory_variables({"input": "zzz"})["history"] == "Guest: Ahoy\nBot: Hello"
    assert [message.name for message in diary.messages(conversation_id="new")] == ["Mara", "Skipper"]


def test_nothing_recalled_is_nothing_shown(diary):
    """6.5: Without a past and without a match the variable is empty, in both forms."""
    assert chain_memory(diary).load_memory_variables({"input": "zzz"}) == {"history": ""}
    assert chain_memory(diary, return_messages=True).load_memory_variables({"input": "zzz"}) == {"history": []}


@pytest.mark.parametrize("inputs", [{}, {"input": ""}, {"input": " \n"}])
def test_without_a_question_there_is_the_window_and_no_recall(diary, inputs):
    """Neither a blank question nor none is an error."""
    memory = chain_memory(diary)
    memory.save_context({"input": "My boat is Pelikan"}, {"response": "The boat in Kiel harbour"})

    assert memory.load_memory_variables(inputs) == {
        "history": "Human: My boat is Pelikan\nAI: The boat in Kiel harbour"
    }


def test_a_blank_turn_is_survived(diary):
    """A blank question is stored with its reply, and nothing is learned from it. Without a reply there is no turn."""
    turns = []
    memory = chain_memory(diary, on_turn=turns.append)
    memory.save_context({"input": " "}, {"response": ""})
    assert spoken(diary, "new") == []
    turns.clear()
    inputs = {"input": " ", **memory.load_memory_variables({"input": " "})}

    memory.save_context(inputs, {"response": "Pardon?"})

    assert spoken(diary, "new") == [("user", " "), ("assistant", "Pardon?")]
    assert memory.load_memory_variables({"input": " "})["history"] == f"Human: {WORDLESS}\nAI: Pardon?"
    assert [(turn.prompt, turn.updates) for turn in turns] == [(None, ())]


def test_a_turn_is_stored_as_it_was_said(diary):
    """6.5: Question and reply, next to each other; nothing of what was recalled."""
    memory = chain_memory(diary)
    inputs = {"input": QUESTION, **memory.load_memory_variables({"input": QUESTION})}
    assert FACT in inputs["history"]

    memory.save_context(inputs, {"response": REPLY})

    assert spoken(diary, "new") == [("user", QUESTION), ("assistant", REPLY)]


def test_learning_happens_once_and_is_told(diary):
    """6.1: What was recalled for this very turn is learned from, each signal once."""
    turns = []
    memory = chain_memory(diary, on_turn=turns.append)
    inputs = {"input": QUESTION, **memory.load_memory_variables({"input": QUESTION})}

    memory.save_context(inputs, {"response": REPLY})

    [turn] = turns
    assert (turn.question, turn.reply) == (QUESTION, REPLY)
    recalled = [hit.signal.signal_id for hit in turn.prompt.retrieved]
    assert [update["signal_id"] for update in turn.updates] == recalled
    assert any(update["action"] == "boost" for update in turn.updates)
    assert {name: len(diary.history(name)) for name in recalled} == dict.fromkeys(recalled, 1)


def test_without_the_history_nothing_is_learned(diary):
    """A turn that is saved by hand, or with a copy of the text only, is stored and teaches nothing."""
    turns = []
    memory = chain_memory(diary, on_turn=turns.append)
    loaded = memory.load_memory_variables({"input": QUESTION})

    memory.save_context({"input": QUESTION}, {"response": REPLY})
    memory.save_context({"input": QUESTION, "history": f"{loaded['history']}"[:]}, {"response": REPLY})

    assert len(spoken(diary, "new")) == 4
    assert turns[0].prompt is None
    assert not turns[0].updates


@pytest.mark.parametrize("return_messages", [False, True])
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, dict])
def test_the_tie_to_the_turn_survives_copying(diary, return_messages, copied):
    """Chains may copy their inputs."""
    turns = []
    memory = chain_memory(diary, return_messages=return_messages, on_turn=turns.append)
    inputs = {"input": QUESTION, **memory.load_memory_variables({"input": QUESTION})}

    memory.save_context(copied(inputs), {"response": REPLY})

    assert turns[0].updates


def test_the_budget_holds(diary):
    """6.8: Question, window and block together cost no more than the budget."""
    small, large = (
        chain_memory(diary, token_budget=budget).load_memory_variables({"input": QUESTION})["history"]
        for budget in (80, 400)
    )

    # A token is estimated as four characters; the question takes its part of the budget.
    assert 0 < len(small) <= 4 * 80 < len(large)


def test_clear_deletes_its_own_conversation_only(diary):
    """6.3: The diary of the same user stays, and can still be recalled."""
    memory = chain_memory(diary)
    memory.save_context({"input": "Ahoy"}, {"response": "Hello"})

    memory.clear()

    assert spoken(diary, "new") == []
    assert len(spoken(diary, "diary")) == 8
    assert FACT in memory.load_memory_variables({"input": QUESTION})["history"]


async def test_async_twins_do_the_same(tmp_path):
    """6.6: Loading, saving and clearing on the event loop are the same as without."""
    results = []
    for style in ("sync", "async"):
        turns = []
        with MemoryRegistry(tmp_path / f"{style}.db", encoder=HashingEncoder()) as registry:
            memory = chain_memory(seed(registry), on_turn=turns.append)
            if style == "sync":
                inputs = {"input": QUESTION, **memory.load_memory_variables({"input": QUESTION})}
                memory.save_context(inputs, {"response": REPLY})
            else:
                inputs = {"input": QUESTION, **await memory.aload_memory_variables({"input": QUESTION})}
                await memory.asave_context(inputs, {"response": REPLY})
            learned = [(row["content"], row["new_weight"]) for row in turns[0].updates]
            said = spoken(memory.memory, "new")
            await memory.aclear() if style == "async" else memory.clear()
            # The mark in the fence is another one in each database.
            shown = re.sub(r"recalled [0-9]{8}", "recalled", inputs["history"])
            results.append((shown, learned, said, spoken(memory.memory, "new")))

    assert results[0] == results[1]
    assert results[0][1]
    assert results[0][3] == []


def test_it_is_not_serialisable(diary):
    """6.13: LangChain's loader must never build one from a file."""
    assert not StreetAIChainMemory.is_lc_serializable()
    assert chain_memory(diary).memory_variables == ["history"]
