"""No async verb of a memory or a registry blocks the event loop, and the guard that says so can be trusted."""

import contextlib
import inspect
import time
from pathlib import Path

import pytest

from streetai_core import Memory, MemoryRegistry, NewMessage
from streetai_core.encoders import HashingEncoder
from streetai_core.stores import _sqlite
from tests.event_loop import never_blocked

TEXTS = ["My boat is called Kestrel.", "A fine name for a boat.", "She draws one metre forty.", "Noted, 1.4 m."]
QUESTION = "How deep is my boat?"


@pytest.fixture
def registry(tmp_path):
    """A registry on a real file, with one memory that has something to recall."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as registry:
        registry.get("m").add_messages(
            [NewMessage(content=text, role="user", message_id=str(number)) for number, text in enumerate(TEXTS)]
        )
        yield registry


async def _learn(memory):
    prompt = await memory.abuild_prompt(QUESTION, conversation_id="another")
    assert await memory.apost_process(prompt.retrieved, "She draws one metre forty.")


VERBS = {
    "aadd_message": lambda memory: memory.aadd_message("And the berth is 31.", "user"),
    "aadd_messages": lambda memory: memory.aadd_messages([NewMessage(content="The berth is 31.", role="user")]),
    "aupdate_message": lambda memory: memory.aupdate_message("1", "A fine name."),
    "arevisions": lambda memory: memory.arevisions("1"),
    "adelete_message": lambda memory: memory.adelete_message("3"),
    "adelete_messages": lambda memory: memory.adelete_messages(["0", "2"]),
    "adelete_conversation": lambda memory: memory.adelete_conversation(None),
    "areencode": lambda memory: memory.areencode(),
    "arenew_words": lambda memory: memory.arenew_words(),
    "aretrieve": lambda memory: memory.aretrieve(QUESTION),
    "abuild_prompt": lambda memory: memory.abuild_prompt(QUESTION),
    "awhy": lambda memory: memory.awhy(QUESTION),
    "apost_process": _learn,
    "arecord_turn": lambda memory: memory.arecord_turn(
        "turn", [NewMessage(content="The berth is 31.", role="user")], retrieved=[], reply="Noted."
    ),
    "ahistory": lambda memory: memory.ahistory("unknown"),
    "astack_map": lambda memory: memory.astack_map(),
    "amessages": lambda memory: memory.amessages(),
    "asignals": lambda memory: memory.asignals(),
    "astacks": lambda memory: memory.astacks(),
    "aversion": lambda memory: memory.aversion(),
    "astats": lambda memory: memory.astats(),
    "aaudit": lambda memory: memory.aaudit(),
    "aquarantine": lambda memory: memory.aquarantine(source="user"),
    "aquarantined": lambda memory: memory.aquarantined(),
    "arelease": lambda memory: memory.arelease(source="user"),
    "arollback": lambda memory: memory.arollback(0),
    "aforget": lambda memory: memory.aforget(everything=True),
    "aencoder_agreement": lambda memory: memory.aencoder_agreement(),
}
"""Every async verb, doing its real work."""


def asynchronous(of):
    """The public coroutine functions of a class."""
    return {name for name, _ in inspect.getmembers(of, inspect.iscoroutinefunction) if not name.startswith("_")}


def test_no_verb_is_left_out():
    """A new verb that blocks the loop goes unseen."""
    assert set(VERBS) == asynchronous(Memory)
    assert asynchronous(MemoryRegistry) == {
        *("aids", "areset", "aforget", "asettle", "adoctor", "abackup", "areencode_all", "awarm_up"),
    }


@pytest.mark.parametrize("verb", VERBS)
async def test_a_verb_never_blocks_the_loop(registry, verb):
    """A web server stands still for all its users while one of them waits for the memory."""
    with never_blocked() as calls:
        await VERBS[verb](registry.get("m"))
    assert calls == []


async def test_a_registry_never_blocks_the_loop(tmp_path, registry):
    """The first call after a start, which opens the file and reads all of the memory, stops the server."""
    second = MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder())
    with never_blocked() as calls:
        assert len(await second.get("m").amessages()) == len(TEXTS)
        assert await second.aids() == ["m"]
        assert (await second.adoctor()).healthy
        assert (await second.abackup(tmp_path / "copy.db")).memories
        assert await second.areencode_all() == []
        assert (await second.asettle(), (await second.aforget("other")).complete) == ((), True)
        await second.areset("m")
    second.close()
    assert calls == []


async def test_a_registry_that_is_left_never_blocks_the_loop(tmp_path, registry):
    """It waits for its threads and for the disk; what they do meanwhile may need the loop."""
    second = MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder())
    with never_blocked() as calls:
        async with second:
            await second.get("m").aretrieve(QUESTION)
    assert calls == []


# ------------------------------------------------------------------ the guard


@pytest.fixture
def database():
    """An open database."""
    with contextlib.closing(_sqlite.driver.connect(":memory:")) as connection:
        yield connection


BLOCKING = {
    "file": lambda _: Path(__file__).read_bytes(),
    "connect": lambda _: _sqlite.driver.connect(":memory:"),
    "execute": lambda database: database.execute("SELECT 1"),
    "sleep": lambda _: time.sleep(0),
}


@pytest.mark.parametrize("name", BLOCKING)
async def test_the_guard_sees_a_blocking_call(database, name):
    """The tests of the event loop could not fail, not even where the code under test swallows errors."""
    with never_blocked() as calls, contextlib.suppress(Exception):
        BLOCKING[name](database)
    assert len(calls) == 1


@pytest.mark.parametrize("verb", ["retrieve", "build_prompt", "why"])
async def test_the_guard_sees_a_verb_that_is_not_async(registry, verb):
    """The same: encoder and store would go unseen."""
    with never_blocked() as calls, contextlib.suppress(Exception):
        getattr(registry.get("m"), verb)(QUESTION)
    assert calls


async def test_the_guard_leaves_other_threads_alone(registry):
    """And what is blocked is let go when the guard ends."""
    with never_blocked() as calls:
        await registry.get("m").aretrieve(QUESTION)
    assert registry.get("m").retrieve(QUESTION)
    assert calls == []
