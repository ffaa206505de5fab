"""What finalizers hand over."""

import gc
import subprocess
import sys
import threading

from streetai_core.encoders import CachedEncoder, HashingEncoder
from streetai_core.later import Later, must_not_wait


def test_what_is_handed_over_is_done_in_order():
    """On another thread; one that fails, or wants to end the program, does not keep the next from being done."""
    later, done = Later(), []
    later.start()

    def leaves():
        raise SystemExit

    later.hand(leaves)
    for number in range(100):
        later.hand(lambda number=number: done.append((number, threading.current_thread().name)))
    later.finish()
    assert [(number, "streetai-later") for number in range(100)] == done


def test_it_can_begin_again():
    """Also without a thread nothing is lost, and ending what has ended is fine."""
    later, done = Later(), []
    later.hand(lambda: done.append("without a thread"))
    later.finish()
    later.finish()
    later.start()
    later.start()
    assert 1 == sum(thread is later._thread for thread in threading.enumerate())
    later.hand(lambda: done.append("again"))
    later.finish()
    assert ["without a thread", "again"] == done


def test_it_is_waited_for():
    """If it fails, who asks for what was handed over does not see it, or waits for good: on the thread, or for none."""
    later, done = Later(), []
    later.wait()
    later.hand(lambda: done.append("a job that waits"))
    later.wait()  # there is no thread
    later.start()
    later.hand(later.wait)
    later.hand(lambda: done.append("the last"))
    later.wait()
    assert ["a job that waits", "the last"] == done
    later.finish()


def test_a_job_may_end_the_thread_that_it_runs_on():
    """As an app's `on_error` does that closes the client."""
    later, done = Later(), threading.Event()
    later.start()
    thread = later._thread
    later.hand(later.finish)
    later.hand(done.set)
    assert done.wait(60)
    thread.join(60)
    assert not thread.is_alive()


def test_the_thread_goes_with_its_owner():
    """Once it has done what it was handed; nobody has to close anything."""
    later, done = Later(), []
    later.start()
    thread = later._thread
    later.hand(lambda: done.append(1))
    del later
    gc.collect()
    thread.join(60)
    assert not thread.is_alive()
    assert [1] == done


def test_a_finalizer_is_known_by_what_it_interrupts():
    """By the exception that closes a generator, also while another one is being handled."""
    found = []

    def interrupted():
        try:
            yield
        finally:
            found.append(must_not_wait())
            try:
                raise KeyError  # noqa: TRY301 - what an SDK may do on the way
            except KeyError:
                found.append(must_not_wait())

    generator = interrupted()
    next(generator)
    del generator
    gc.collect()
    assert [True, True] == found
    assert not must_not_wait()


def test_what_is_open_when_the_program_ends_is_kept(tmp_path):
    """The finalizers of streams hand over, and the thread does it, before the program is gone."""
    # The finalizers of one object run youngest first.
    script = """
import sys
from weakref import finalize
from streetai_core import MemoryRegistry
from streetai_core.later import Later
from streetai_core.encoders import HashingEncoder

class Stream:
    pass

later, stream = Later(), Stream()
memory = MemoryRegistry(sys.argv[1], encoder=HashingEncoder()).get("mara")
later.start()
finalize(stream, later.hand, lambda: print(memory.messages()[0].content))
finalize(stream, later.hand, lambda: memory.add_message("My boat lies in Kiel.", role="user"))
"""
    command = [sys.executable, "-c", script, str(tmp_path / "memory.db")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert ("My boat lies in Kiel.", "") == (done.stdout.strip(), done.stderr)


def test_a_finalizer_is_known_by_the_encoder_that_it_interrupts():
    """An app may embed by itself; calls that wait for a processor are joined under a lock."""

    class Interrupted(HashingEncoder):
        def encode(self, texts, kind="document"):
            found.append(must_not_wait())
            return super().encode(texts, kind)

    found = []
    CachedEncoder(Interrupted()).encode(["My boat lies in Kiel."])
    assert [True] == found
