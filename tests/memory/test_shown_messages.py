"""`build_prompt(shown=...)`: recall beside messages that the caller sends itself."""

import pytest

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import InputError
from streetai_core.recall.ranking import rank
from streetai_core.verbs import finding

FACT = "The draught of my boat is one metre forty, so shallow harbours are no problem."
OLD = "The draught of the boat that I had before was two metres, which was a problem in every shallow harbour."
QUESTION = "What is the draught of my boat, is it a problem in shallow harbours?"


@pytest.fixture
def memory(tmp_path):
    """A fact in this conversation, the same words in another one, an older fact there, and enough else."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as registry:
        memory = registry.get("m")
        memory.add_messages(
            [
                NewMessage(content=text, role="user", conversation_id=conversation)
                for conversation, text in (("other", FACT), ("other", OLD), ("this", FACT))
            ]
        )
        memory.add_messages(
            [
                NewMessage(content=f"In week {n} we spoke at length of the weather and the tides.", role="user")
                for n in range(12)
            ]
        )
        yield memory


def test_what_is_shown_is_not_recalled(memory):
    """Neither the message itself nor the same words from another conversation; what comes next takes their place."""
    nothing_shown = memory.build_prompt(QUESTION, conversation_id="this", shown=[])
    assert FACT in nothing_shown.recalled_text

    prompt = memory.build_prompt(QUESTION, conversation_id="this", shown=[FACT, "Something never stored"])

    assert FACT not in prompt.recalled_text
    assert OLD in prompt.recalled_text
    assert all(hit.signal.content != FACT for hit in prompt.retrieved)
    assert prompt.retrieved


def test_there_is_no_window(memory):
    """The one message is the question behind the block, and the inspector counts no window."""
    [message] = memory.build_prompt(QUESTION, conversation_id="this", shown=[FACT]).messages
    prompt = memory.build_prompt(QUESTION, conversation_id="this", shown=[FACT])

    assert message == {"role": "user", "content": f"{prompt.recalled_text}\n\n{QUESTION}"}
    assert prompt.window == ()
    assert (prompt.inspector["recency_window_size"], prompt.inspector["tokens_window"]) == (0, 0)


def test_the_question_is_never_recalled_for_itself(memory):
    """It was stored by a run that was cut, and is asked again."""
    memory.add_message(QUESTION, "user", conversation_id="this")

    assert QUESTION not in memory.build_prompt(QUESTION, conversation_id="this", shown=[]).recalled_text


def test_nothing_is_recalled_when_everything_is_shown(memory):
    """However many rounds it takes, also when more is shown than the thinking space holds."""
    texts = [message.content for message in memory.messages()]

    prompt = memory.build_prompt("the weather and the tides and the draught", conversation_id="this", shown=texts)

    assert (prompt.recalled_text, prompt.retrieved) == ("", [])


@pytest.mark.parametrize("config", [Config(), Config.classic()])
def test_the_budget_holds(tmp_path, config):
    """Question and block together stay inside it."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(), config=config) as registry:
        memory = registry.get("m")
        memory.add_messages(
            [NewMessage(content=f"{FACT} That was the case in harbour {n}.", role="user") for n in range(30)]
        )
        for budget in (24, 60, 200):
            prompt = memory.build_prompt(QUESTION, shown=[], token_budget=budget)
            assert prompt.inspector["tokens_sent"] <= budget
        assert prompt.retrieved


def test_what_is_shown_is_ranked_once_however_often_it_was_said(memory, monkeypatch):
    """If it fails, a question that is asked each day makes each prompt slower than the one before."""
    memory.add_messages([NewMessage(content=QUESTION, role="user", conversation_id=str(n)) for n in range(60)])
    ranked = []
    monkeypatch.setattr(finding, "rank", lambda *given, **named: ranked.append(1) or rank(*given, **named))

    prompt = memory.build_prompt(QUESTION, conversation_id="this", shown=[QUESTION.upper()])

    assert QUESTION not in prompt.recalled_text
    assert FACT in prompt.recalled_text
    assert len(ranked) <= 2, "once for the question, and once for what it leans on"


@pytest.mark.parametrize("shown", [[{"role": "user"}], "a text", 5])
def test_shown_holds_texts(memory, shown):
    """Anything else is named; one text is not several."""
    with pytest.raises(InputError, match=r"string|several texts"):
        memory.build_prompt(QUESTION, shown=shown)
