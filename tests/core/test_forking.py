"""Locks in a forked child: those that threads of the parent hold must be free there."""

import ast
import asyncio
import faulthandler
import os
from threading import Event, Thread

import pytest

from streetai_core import MemoryRegistry
from streetai_core.adapters.interceptor import Interceptor
from streetai_core.adapters.sessions import Memories
from streetai_core.encoders.cache import CachedEncoder
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.encoders.loaded import ModelTable
from streetai_core.encoders.outage import Outage
from streetai_core.errors import EncoderError
from streetai_core.forking import fork_safe_lock, fork_safe_plain_lock, renew_in_child
from streetai_core.later import Later
from streetai_core.stores.reference import ReferenceStore
from streetai_core.workers import WorkerPool, elsewhere
from tests.forks import PATIENCE, child_says, every_lock, forks, held_elsewhere
from tests.readme_pages import ROOT

pytestmark = forks


@pytest.fixture
def registry(tmp_path):
    """A registry with a memory in it."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder()) as registry:
        registry.get("m").add_message("hello", "user")
        yield registry


LOCKS = {
    "the registry's": lambda registry: (registry, "_lock"),
    "a memory's": lambda registry: (registry.get("m")._coherent, "lock"),
    "of what is in RAM": lambda registry: (registry._surroundings.hot, "_lock"),
    "of the embedding cache": lambda registry: (registry.encoder, "_lock"),
    "of copying the log": lambda registry: (registry.store._checkpoints, "_lock"),
    "of a store in RAM": lambda _: (ReferenceStore(), "_write_lock"),
    "of a wrapped client": lambda registry: (Interceptor(Memories(registry)), "_lock"),
    "of its open turns": lambda registry: (Interceptor(Memories(registry))._open, "_lock"),
    "of its responses": lambda registry: (Interceptor(Memories(registry))._responses, "_lock"),
    "of its thread": lambda _: (Later(), "_lock"),
}


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_that_another_thread_holds_is_free_in_the_child(registry, lock):
    """Nobody is there who could let go of it: a child that takes it would wait for ever."""
    owner, name = LOCKS[lock](registry)
    with held_elsewhere([getattr(owner, name)]):
        assert child_says(lambda: getattr(owner, name).acquire(blocking=False))
        assert not getattr(owner, name).acquire(blocking=False)


def test_a_state_that_nobody_was_changing_stays_in_ram(registry):
    """A server that warms up and forks has read its memories once, not once for each worker."""
    coherent = registry.get("m")._coherent
    assert coherent.known is not None
    assert child_says(lambda: coherent.known is not None)


def test_a_state_that_a_thread_had_is_read_anew(registry):
    """It may be half changed; what the child finds is what is stored."""
    memory = registry.get("m")
    with held_elsewhere([memory._coherent.lock]):
        assert child_says(lambda: memory._coherent.known is None and len(memory.messages()) == 1)


def test_a_child_uses_a_memory_of_which_every_lock_is_held(registry):
    """All verbs, on its own threads too: none of them waits for a lock that was forgotten."""
    memory = registry.get("m")

    async def later():
        return await memory.aretrieve("What lies in Kiel?")

    def works():
        memory.add_message("My boat lies in Kiel.", "user")
        return memory.build_prompt("What lies in Kiel?").messages and asyncio.run(later())

    with held_elsewhere(every_lock()):
        assert child_says(works)


def test_only_what_was_being_changed_is_begun_anew():
    """Whether somebody had the lock is known for each; who is gone is not asked."""

    class Table:
        def __init__(self):
            self.lock = fork_safe_lock()
            self.renewed = []
            renew_in_child(self, lambda table: table.renewed.append("cut"), if_held=self.lock)

    cut, whole, own, gone = Table(), Table(), Table(), Table()
    del gone
    with held_elsewhere([cut.lock]), own.lock:
        assert child_says(lambda: (cut.renewed, whole.renewed, own.renewed) == (["cut"], [], []))
    assert cut.renewed == []


def test_a_plain_lock_is_free_in_the_child():
    """Whoever holds it."""
    lock = fork_safe_plain_lock()
    with held_elsewhere([lock]):
        assert child_says(lambda: not lock.locked())
    with lock:
        assert child_says(lambda: not lock.locked())
        assert lock.locked()


def test_a_child_that_a_worker_forks_waits_for_no_place():
    """All places of the pool are the parent's, and the lock that they are given back under."""
    with WorkerPool(1, 1) as pool:

        def leaves_a_place():
            with elsewhere():
                return True

        def fork():
            with held_elsewhere([pool._free._cond]):
                return child_says(leaves_a_place)

        assert pool.submit(fork).result(4 * PATIENCE)
        assert pool._free._value == 1


def test_a_child_forked_where_a_worker_waits_leaves_the_block():
    """It comes out of it without a place, for nobody would give one back."""
    with WorkerPool(1, 1) as pool:

        def fork():
            with elsewhere(), held_elsewhere([pool._free._cond]):
                child = os.fork()
                if not child:
                    faulthandler.dump_traceback_later(PATIENCE, exit=True, file=2)
            if not child:
                os._exit(0)
            return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

        assert pool.submit(fork).result(4 * PATIENCE) == 0
        assert pool._free._value == 1


def test_a_store_in_ram_can_be_left_by_a_child_forked_inside_a_block():
    """The lock that the block holds is not the one that the child has got."""
    store = ReferenceStore()
    with store.writing("m"):
        child = os.fork()
    if not child:
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_the_jobs_of_the_parent_are_not_done_again_by_the_child():
    """What was left of a stream is stored once, by the process that has heard it."""
    later = Later()
    done = []
    later.hand(lambda: done.append("job"))

    def finished_without():
        later.start()
        later.finish()
        return done == []

    assert child_says(finished_without)
    later.finish()
    assert done == ["job"]


def test_a_fork_waits_for_a_model_that_is_being_loaded():
    """A child could import nothing of what another thread was importing."""
    table, begun, goes = ModelTable(), Event(), Event()

    def load():
        begun.set()
        goes.wait(PATIENCE)
        return "model"

    thread = Thread(target=lambda: table.get("key", load))
    thread.start()
    begun.wait(PATIENCE)
    Thread(target=lambda: goes.wait(0.2) or goes.set()).start()
    table.before_fork()
    assert table.get("key", load) == "model"
    table.after_fork_in_parent()
    thread.join(PATIENCE)


def test_a_child_forked_in_the_middle_of_a_load_is_told_so(monkeypatch):
    """An error at once, and a chat that goes on by words alone, instead of an import that never ends."""
    monkeypatch.setattr("streetai_core.encoders.loaded._FORK_PATIENCE", 0.05)
    table, begun, goes = ModelTable(), Event(), Event()

    def load():
        begun.set()
        goes.wait(PATIENCE)
        return "model"

    thread = Thread(target=lambda: table.get("key", load))
    thread.start()
    begun.wait(PATIENCE)
    table.before_fork()
    table.after_fork_in_child()
    with pytest.raises(EncoderError, match="Fork after"):
        table.get("key", load)
    goes.set()
    thread.join(PATIENCE)


def test_a_cache_in_a_child_has_what_its_parent_had():
    """Vectors that the parent has made need not be made again."""
    cache = CachedEncoder(HashingEncoder())
    cache.encode(["hello"])
    assert child_says(lambda: cache.encode(["hello"]).shape[0] == 1 and cache.hits == 1)


def test_an_outage_is_told_in_the_log_of_the_child_too(caplog):
    """It may have a log of its own; and what a thread was telling is its parent's affair."""
    outage = Outage(CachedEncoder(HashingEncoder()))
    outage.failed(EncoderError("gone"), "words decide alone", stored=3)

    def tells():
        caplog.clear()
        before = outage.lasts
        outage.failed(EncoderError("gone"), "words decide alone")
        return not before and ["the encoder failed" in record.getMessage() for record in caplog.records] == [True]

    with held_elsewhere([outage._lock]):
        assert child_says(tells)
    assert outage.lasts


PRIMITIVES = {"Lock", "RLock", "Condition", "Semaphore", "BoundedSemaphore", "Barrier"}

OWN_WAY = {
    "streetai_core/forking.py": "makes them",
    "streetai_core/stores/uses.py": "held on purpose while the process is forked",
    "streetai_core/stores/connections.py": "held on purpose while the process is forked",
    "streetai_core/encoders/loaded.py": "waited for before the process is forked",
    "streetai_core/workers.py": "a child has a pool of its own",
    "streetai_core/testing/torture/contention.py": "is for its processes, which are not forked",
}
"""Modules that make locks of their own, and why a child does not hang at them."""


def makes_lock(node):
    """Whether a piece of source makes one, or says how a field does."""
    made = node.func if isinstance(node, ast.Call) else node.value if isinstance(node, ast.keyword) else None
    return getattr(made, "id", getattr(made, "attr", None)) in PRIMITIVES


def test_every_other_lock_renews_itself():
    """One that does not is not held in the tests above, and hangs a child."""
    packages = ("streetai_core", "streetai_langchain", "streetai_llamaindex")
    sources = [path for package in packages for path in (ROOT / package).rglob("*.py")]
    found = {
        path.relative_to(ROOT).as_posix()
        for path in sources
        if any(map(makes_lock, ast.walk(ast.parse(path.read_text("utf-8")))))
    }
    assert found == set(OWN_WAY)
