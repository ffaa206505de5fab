"""An event loop that the memory never blocks, and constructors that touch nothing."""

import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_llamaindex import StreetAIChatMemoryBuffer
from tests.event_loop import never_blocked
from tests.llamaindex_plugin.bench import ANSWERS, DIARY, FIRST, SECOND, TOKEN_LIMIT
from tests.llamaindex_plugin.engines import ENGINES, FRAMEWORK_WARNINGS
from tests.llamaindex_plugin.scripted import Script, asked, said
from tests.llamaindex_plugin.styles import achat, astream_chat

pytestmark = FRAMEWORK_WARNINGS

SESSION = "mara"

FREE = [engine for engine in ENGINES if not engine.retrieves]
"""Engines with a retriever block the loop by themselves: LlamaIndex counts a prompt's tokens on a thread and waits
(`PromptHelper`). What they do with a memory is in `test_no_verb_blocks_the_loop`."""


@pytest.fixture
def registry(tmp_path):
    """A registry on a file that nobody has touched yet."""
    with MemoryRegistry(tmp_path / "memory.db", encoder=HashingEncoder()) as registry:
        yield registry


@pytest.fixture
def memory(registry):
    """A memory that is used for the first time inside the test."""
    return StreetAIChatMemoryBuffer.from_defaults(registry=registry, session_id=SESSION, token_limit=TOKEN_LIMIT)


def diary():
    """The diary as messages."""
    return [message for user, assistant in DIARY for message in (asked(user), said(assistant))]


async def test_the_guard_sees_a_call_that_blocks(registry):
    """The control: a verb that works on the loop is caught, so that silence below means something."""
    with never_blocked() as blocking, pytest.raises(Exception, match="Blocking call"):
        registry.get(SESSION).add_message("I am on the loop.", "user")
    assert blocking


async def test_no_verb_blocks_the_loop(memory):
    """9.15: Every asynchronous verb leaves the loop free, from the first one, which opens the file, to the last."""
    with never_blocked() as blocking:
        await memory.aput_messages(diary())
        await memory.aput(asked(FIRST))
        read = await memory.aget()
        await memory.aput(said(ANSWERS[FIRST]))
        again = await memory.aget(input=SECOND)
        everything = await memory.aget_all()
        await memory.aset([*everything, asked(SECOND), said(ANSWERS[SECOND])])
        longer = await memory.aget_all()
        await memory.areset()
        nothing = await memory.aget_all()
    assert blocking == []
    assert read
    assert again
    assert len(longer) == len(everything) + 2
    assert nothing == []


@pytest.mark.parametrize("style", [achat, astream_chat], ids=lambda style: style.__name__)
@pytest.mark.parametrize("engine", FREE, ids=str)
async def test_no_engine_blocks_the_loop(memory, engine, style):
    """9.15: A whole turn of an engine or agent leaves the loop free."""
    built = engine.build(memory, Script(engine.script(ANSWERS.get)))
    await memory.aput_messages(diary())
    with never_blocked() as blocking:
        assert await style(built, memory, FIRST) == ANSWERS[FIRST]
    assert blocking == []


class Watch:
    """Notes the files, databases and connections that one thread opens while `seen` is a list."""

    seen = None
    thread = 0

    def __call__(self, event, arguments):
        """Note an event; Python never lets go of an audit hook."""
        watched = self.seen is not None and threading.get_ident() == self.thread
        if watched and event in {"open", "sqlite3.connect", "socket.connect"}:
            self.seen.append((event, str(arguments[0])))


watch = Watch()
sys.addaudithook(watch)


@contextmanager
def watching():
    """What this thread opens in the block."""
    watch.seen, watch.thread = [], threading.get_ident()
    try:
        yield watch.seen
    finally:
        watch.seen = None


def test_constructors_touch_nothing(tmp_path):
    """Making a memory in a request handler costs no disk, no network and no model."""
    # The first one loads modules and LlamaIndex's tokenizer.
    StreetAIChatMemoryBuffer.from_defaults(path=tmp_path / "other.db", session_id=SESSION)
    with watching() as opened:
        StreetAIChatMemoryBuffer.from_defaults(path=tmp_path / "memory.db", session_id=SESSION)
    assert opened == []
    assert list(tmp_path.iterdir()) == []
    with watching() as opened:
        Path(tmp_path / "control").write_text("seen", encoding="utf-8")
    assert len(opened) == 1
