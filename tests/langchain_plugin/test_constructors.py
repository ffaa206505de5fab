"""Making a part of the plug-in touches no file, database or network: LangChain makes some of them on an event loop."""

import inspect
import socket
import sys
import threading
from contextlib import contextmanager
from importlib.util import find_spec

import pytest
from langchain_core.runnables import RunnableLambda

import streetai_langchain
from streetai_core import MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_core.stores import _sqlite
from streetai_langchain import StreetAIMemory
from tests.langchain_plugin.conftest import QUESTION, REPLY, seed

INPUT_AND_OUTPUT = (
    "open",
    "os.",
    "sqlite3.",
    "socket.",
    "subprocess.",
    "shutil.",
    "tempfile.",
    "urllib.",
    "ctypes.dlopen",
)
"""How the names of the audit events begin that tell of files, databases, the network and other programs."""


class Watch:
    """Notes what one thread asks of the system while `seen` is a list; Python never lets go of an audit hook."""

    seen = None
    thread = 0

    def __call__(self, event, arguments):
        """Note an event. To import a module is no I/O of the object that is made."""
        if self.seen is None or threading.get_ident() != self.thread or not event.startswith(INPUT_AND_OUTPUT):
            return
        frame = sys._getframe()
        while frame is not None:
            if frame.f_code.co_filename.startswith("<frozen importlib"):
                return
            frame = frame.f_back
        self.seen.append((event, arguments))


watch = Watch()
sys.addaudithook(watch)


@contextmanager
def watching():
    """What is asked of the system in the block."""
    watch.seen, watch.thread = [], threading.get_ident()
    try:
        yield watch.seen
    finally:
        watch.seen = None


@pytest.fixture
def path(tmp_path):
    """A database in which there is something to read."""
    with MemoryRegistry(tmp_path / "memory.db", encoder=HashingEncoder()) as registry:
        seed(registry)
    return tmp_path / "memory.db"


@pytest.fixture
def streetai(path):
    """A facade that has not read it yet, with the model that an application has by default, not loaded yet."""
    with StreetAIMemory(path) as streetai:
        yield streetai


def tracked(streetai):
    """A block in which every run is learned from."""
    with streetai.track("s1", user_id="mara"):
        pass


VIEWS = {
    "middleware": lambda streetai: streetai.middleware("s1", user_id="mara", window=4),
    "wrap": lambda streetai: streetai.wrap(RunnableLambda(str), session_id="s1"),
    "retriever": lambda streetai: streetai.retriever("s1", k=3),
    "callback_handler": lambda streetai: streetai.callback_handler("s1"),
    "track": tracked,
    "classic": lambda streetai: streetai.classic("s1", user_id="mara", return_messages=True),
    "chat_history": lambda streetai: streetai.chat_history("s1", window=3),
    "tools": lambda streetai: streetai.tools("s1"),
}
"""What the facade makes."""

CLASSES = {
    "StreetAICallbackHandler": lambda made, registry: made(registry),
    "StreetAIChainMemory": lambda made, registry: made(memory=registry.get("mara")),
    "StreetAIChatMessageHistory": lambda made, registry: made(registry.get("mara"), "s1"),
    "StreetAIMemory": lambda made, registry: made(registry),
    "StreetAIMemoryMiddleware": lambda made, registry: made(registry),
    "StreetAIRetriever": lambda made, registry: made(registry=registry),
    "StreetAIRunnable": lambda made, registry: made(RunnableLambda(str), registry),
    "Turn": lambda made, _: made(QUESTION, REPLY, None, ()),
}
"""What an application can make itself."""


def test_nothing_is_left_out():
    """A new part that does I/O when it is made goes unseen."""
    assert set(CLASSES) == set(streetai_langchain.__all__)
    methods = {name for name, _ in inspect.getmembers(StreetAIMemory, inspect.isfunction) if not name.startswith("_")}
    assert methods - {"post_process", "apost_process", "close"} == set(VIEWS)


def without_agents(name):
    """A parameter that is skipped where there are no agents."""
    lacking = pytest.mark.skipif(find_spec("langchain") is None, reason="langchain is not installed")
    return pytest.param(name, marks=lacking if "middleware" in name.lower() else ())


@pytest.mark.parametrize("view", [without_agents(name) for name in VIEWS])
def test_what_the_facade_makes(streetai, view):
    """A history handle, made on the event loop by LangChain, stops a server while it reads a file."""
    with watching() as seen:
        VIEWS[view](streetai)
    assert seen == []


@pytest.mark.parametrize("name", [without_agents(name) for name in CLASSES])
def test_what_an_application_makes(streetai, name):
    """The same for parts that are made without the facade."""
    made = getattr(streetai_langchain, name)
    with watching() as seen:
        CLASSES[name](made, streetai.registry)
    assert seen == []


@pytest.mark.parametrize(
    "options", [{}, {"embeddings": HashingEncoder(), "token_budget": 500}], ids=["plain", "options"]
)
def test_the_facade_itself(path, options):
    """Importing an application that makes its memory at the top loads a model, or makes a file."""
    with watching() as seen:
        streetai = StreetAIMemory(path, **options)
        streetai.close()
    assert seen == []


def test_the_watch_sees_input_and_output(streetai, path):
    """The tests here could not fail."""
    with watching() as seen:
        path.read_bytes()
        _sqlite.driver.connect(":memory:").close()
        socket.socket().close()
    assert {event for event, _ in seen} >= {"open", "sqlite3.connect", "socket.__new__"}
    with watching() as seen:
        assert streetai.chat_history("diary", user_id="mara").messages
    assert "sqlite3.connect" in {event for event, _ in seen}
