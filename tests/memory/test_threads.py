"""One registry in many threads, and in forked processes."""

import os
import subprocess
import sys
import threading

import pytest

from streetai_core import MemoryRegistry
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.testing.torture.checking import open_registry, picture, torn_parts

THREADS, EACH = 16, 50


def test_sixteen_threads_add_fifty_messages_each(tmp_path):
    """All are stored, each at a turn of its own, and RAM is what the disk says."""
    path = tmp_path / "m.db"
    errors = []
    together = threading.Barrier(THREADS)

    def write(memory, writer):
        together.wait()
        try:
            for number in range(EACH):
                memory.add_message(f"Writer {writer} says number {number}.", "user", message_id=f"{writer}/{number}")
                if number % 10 == 0:
                    memory.post_process(memory.retrieve(f"What says writer {writer}?"), f"Number {number}.")
        except Exception as error:  # noqa: BLE001 - counted below
            errors.append(error)

    with open_registry(path, durability="fast") as registry:
        memory = registry.get("m")
        threads = [threading.Thread(target=write, args=(memory, writer)) for writer in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        assert [message.turn for message in memory.messages()] == list(range(THREADS * EACH))
        in_ram = picture(memory)
    with open_registry(path) as registry:
        assert picture(registry.get("m")) == in_ram
        assert torn_parts(registry.get("m")) == []


FORKS = """
import multiprocessing, sys
from streetai_core.testing.torture.checking import open_registry, torn_parts

def write(memory, number):
    memory.add_message(f"Child {number} says so.", "user", message_id=str(number))
    assert memory.retrieve(f"What says child {number}?")

with open_registry(sys.argv[1], durability="fast") as registry:
    memory = registry.get("m")
    memory.add_message("The parent was first.", "user")
    context = multiprocessing.get_context("fork")
    codes = []
    for number in range(0, 100, 4):
        children = [context.Process(target=write, args=(memory, number + beside)) for beside in range(4)]
        for child in children:
            child.start()
        memory.add_message("The parent goes on.", "user")
        for child in children:
            child.join()
            codes.append(child.exitcode)
    print(codes.count(0), len(memory.messages()), torn_parts(memory))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork; run it on Linux or macOS")
def test_a_hundred_forked_children_use_the_memory_of_their_parent(tmp_path):
    """Four at a time, beside the parent; each opens the file by itself, and all see all."""
    # In a process without threads: forking another one is what Python warns of.
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", FORKS, tmp_path / "m.db"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "100 126 []\n"


BUSY = """
import os, signal, sys, threading, time
from streetai_core.testing.torture.checking import open_registry, torn_parts

def work(number):
    memory = registry.get("mine" if number == 3 else "m")
    for step in range(1_000_000):
        if done:
            return
        if number:
            memory.retrieve(f"What says child {step}?")
        elif step % 5 == 0:
            memory.add_message(f"The parent says {step}.", "user")

done = []
with open_registry(sys.argv[1], durability="fast") as registry:
    memory = registry.get("m")
    memory.add_message("The parent was first.", "user")
    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    codes = []
    for number in range(40):
        child = os.fork()
        if not child:
            signal.alarm(20)
            assert memory.retrieve(f"What says child {number}?")
            registry.get("m" if number % 2 else "mine").add_message(f"Child {number} says so.", "user")
            registry.close()
            os._exit(0)
        codes.append(os.waitpid(child, 0)[1])
    done.append(True)
    for thread in threads:
        thread.join()
    heard = [one for name in ("m", "mine") for one in registry.get(name).messages() if "Child" in one.content]
    print(codes.count(0), len(heard), torn_parts(memory))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork; run it on Linux or macOS")
def test_children_of_a_busy_parent_use_its_memory(tmp_path):
    """Whatever the parent's threads hold at the moment of a fork, no child waits for it: they hung for ever."""
    # Without `-W error`: Python 3.12 warns of any fork beside threads.
    done = subprocess.run(
        [sys.executable, "-c", BUSY, tmp_path / "m.db"], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "40 40 []\n"


TWINS = """
import asyncio, os, sys
from streetai_core.testing.torture.checking import open_registry

async def work(memory, number):
    await memory.aadd_message(f"Process {number} says so.", "user", message_id=str(number))
    return len(await memory.aretrieve("Which process says so?"))

with open_registry(sys.argv[1], durability="fast") as registry:
    memory = registry.get("m")
    print(asyncio.run(work(memory, 0)), flush=True)
    for number in (1, 2):
        child = os.fork()
        if not child:
            print(asyncio.run(work(memory, number)), flush=True)
            registry.close()
            os._exit(0)
        os.waitpid(child, 0)
    print(asyncio.run(work(memory, 3)), flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork; run it on Linux or macOS")
def test_twins_go_on_in_a_forked_child(tmp_path):
    """The child has none of its parent's worker threads, and starts its own: as workers of a preloaded web server."""
    # Without `-W error`: Python 3.12 warns of any fork beside threads, and the parent's are idle.
    done = subprocess.run(
        [sys.executable, "-c", TWINS, tmp_path / "m.db"], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["1", "2", "3", "4"]


def test_a_thread_that_is_interrupted_can_go_on(tmp_path):
    """Ctrl-C while a block is being left does not keep the thread inside for ever."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(), durability="fast") as registry:
        registry.get("m").add_message("hello", "user")
        block = registry.store._block()
        block.__enter__()
        # What is left of a block whose end was interrupted: nobody holds it, and nobody has ended it.
        del block
        assert registry.get("m").stats()["messages"] == 1
