"""`StreetAIMemory`: sessions, users, and who closes what."""

import subprocess
import sys

import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableLambda

from streetai_core import Config
from streetai_core.encoders import HashingEncoder
from streetai_core.errors import ClosedError, InputError
from streetai_langchain import StreetAIMemory
from tests.langchain_plugin.conftest import seed, spoken


def test_making_things_does_no_io(tmp_path):
    """6.6: No file appears before something is stored."""
    with StreetAIMemory(tmp_path / "memory.db", embeddings=HashingEncoder()) as streetai:
        streetai.classic("s1", user_id="mara")
        streetai.chat_history("s1", user_id="mara", window=3)

        assert list(tmp_path.iterdir()) == []
        streetai.chat_history("s1").add_user_message("Ahoy")
        assert (tmp_path / "memory.db").exists()


def test_sessions_without_a_user_have_memories_of_their_own(streetai):
    """6.3: Neither window nor recall crosses from one session to the other."""
    seed(streetai.registry)
    streetai.classic("s1").save_context({"input": "My boat is called Pelikan"}, {"response": "Noted"})

    assert streetai.registry.ids() == ["mara", "s1"]
    assert spoken(streetai.registry.get("s1"), "s1")[0] == ("user", "My boat is called Pelikan")
    assert streetai.classic("s2").load_memory_variables({"input": "What is my boat called?"}) == {"history": ""}


def test_the_sessions_of_a_user_share_what_was_said(streetai):
    """A second session recalls a fact of the first, and its window stays empty."""
    seed(streetai.registry)

    text = streetai.classic("tomorrow", user_id="mara").load_memory_variables({"input": "What is my boat called?"})

    assert text["history"].startswith("[recalled ")
    assert "Pelikan" in text["history"]
    assert streetai.chat_history("tomorrow", user_id="mara").messages == []
    assert streetai.classic("tomorrow", user_id="anna").load_memory_variables({"input": "my boat"}) == {"history": ""}


@pytest.mark.parametrize("session_id", ["", " ", None, 3])
def test_a_session_has_to_be_named(streetai, session_id):
    """6.3: The error says how."""
    for make in (streetai.classic, streetai.chat_history):
        with pytest.raises(InputError, match="configurable"):
            make(session_id)


@pytest.mark.parametrize("user_id", ["", " ", 3])
def test_a_user_is_named_or_left_out(streetai, user_id):
    """6.3: A blank user would be shared by all that forgot to name one."""
    with pytest.raises(InputError, match="user_id"):
        streetai.chat_history("s1", user_id=user_id)


def test_options_reach_the_chain_memory_and_win(registry):
    """Budget and error callback of the facade are defaults."""
    errors = []
    streetai = StreetAIMemory(registry, token_budget=500, on_error=errors.append)

    memory = streetai.classic("s1", memory_key="past", return_messages=True)
    assert (memory.token_budget, memory.memory_key, memory.return_messages) == (500, "past", True)
    assert memory.on_error is not None
    other = streetai.classic("s1", token_budget=None, on_error=None)
    assert (other.token_budget, other.on_error) == (None, None)


def test_it_closes_only_what_it_made(tmp_path, registry):
    """A registry that was given stays open, one that was made is closed; twice is fine."""
    with StreetAIMemory(registry) as given:
        pass
    given.chat_history("s1").add_user_message("still open")

    with StreetAIMemory(tmp_path / "own.db", embeddings=HashingEncoder()) as made:
        made.chat_history("s1").add_user_message("Ahoy")
    made.close()
    with pytest.raises(ClosedError):
        made.chat_history("s1")


def test_settings_belong_to_the_registry(registry):
    """They cannot be given twice."""
    for options in ({"config": Config()}, {"embeddings": HashingEncoder()}):
        with pytest.raises(InputError, match="MemoryRegistry"):
            StreetAIMemory(registry, **options)


def test_settings_and_embeddings_of_langchain_are_used(tmp_path):
    """A LangChain `Embeddings` makes the vectors, and the settings hold."""
    embeddings = DeterministicFakeEmbedding(size=32)
    with StreetAIMemory(tmp_path / "memory.db", config=Config(recency_turns=1), embeddings=embeddings) as streetai:
        streetai.chat_history("s1").add_messages([HumanMessage("Ahoy")])

        assert streetai.registry.config.recency_turns == 1
        assert "DeterministicFakeEmbedding" in streetai.registry.get("s1").stats()["encoder"]


IMPORTS = """
import sys
import streetai_langchain
assert not [name for name in sys.modules if name.startswith("langchain")], "imported at once"
assert {"StreetAIMemory", "StreetAIChainMemory"} <= set(dir(streetai_langchain))

sys.modules["langchain_classic"] = None  # as if it were not installed
from streetai_core.errors import MissingExtraError
from streetai_langchain import StreetAIChatMessageHistory, StreetAIMemory
try:
    from streetai_langchain import StreetAIChainMemory
except MissingExtraError as error:
    assert "pip install 'streetai[classic]'" in str(error)
else:
    raise AssertionError("no error without langchain-classic")
try:
    streetai_langchain.Nonsense
except AttributeError:
    print("all as it should be")
"""


def test_importing_needs_langchain_core_only():
    """Without langchain-classic only its part is missing, and the error has the line that installs it."""
    done = subprocess.run([sys.executable, "-c", IMPORTS], capture_output=True, text=True, check=False)

    assert (done.stdout, done.stderr) == ("all as it should be\n", "")


@pytest.mark.parametrize("budget", ["1500", 0, -1, True, 1.5])
def test_a_budget_that_is_none_is_refused_at_once(registry, budget):
    """If it fails, an app that reads it from its environment goes without a past, and only logs tell."""
    streetai = StreetAIMemory(registry)
    for make in (
        lambda: StreetAIMemory(registry, token_budget=budget),
        lambda: streetai.wrap(RunnableLambda(str), token_budget=budget),
        lambda: streetai.middleware(token_budget=budget),
    ):
        with pytest.raises(InputError, match="token_budget must be None or a whole number from 1"):
            make()
