"""Worker threads: few compute at a time, and who waits leaves its place to others."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from streetai_core import workers
from streetai_core.workers import WorkerPool, elsewhere, for_writing, pool_for

PATIENCE = 30


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """Nobody goes on without a place because the machine is slow, but where a test says so."""
    monkeypatch.setattr(workers, "_PATIENCE", PATIENCE)


class Crowd:
    """Counts who computes."""

    def __init__(self):
        self.lock = threading.Lock()
        self.computing = 0
        self.most = 0

    def __enter__(self):
        with self.lock:
            self.computing += 1
            self.most = max(self.most, self.computing)

    def __exit__(self, *exception):
        with self.lock:
            self.computing -= 1


@pytest.mark.parametrize(
    ("processors", "local", "joins", "threads", "places"),
    [
        (1, True, True, 12, 1),
        (2, True, True, 24, 1),
        (8, True, True, 32, 4),
        (1, True, False, 2, 2),
        (2, True, False, 3, 3),
        (64, True, False, 8, 8),
        (2, False, False, 8, 8),
    ],
)
def test_how_many_threads_an_encoder_gets(processors, local, joins, threads, places):
    """Those that only compute are few: more would keep an event loop waiting. Those that wait may be many."""
    with pool_for(processors, local=local, joins=joins) as pool:
        assert (pool.threads, pool.places) == (threads, places)


@pytest.mark.parametrize("places", [1, 3])
def test_no_more_compute_than_there_are_places(places):
    """Before they are elsewhere and after it; meanwhile all may be there."""
    crowd, all_there = Crowd(), threading.Barrier(8)

    def work(number):
        with crowd:
            time.sleep(0.001)
        with elsewhere():
            all_there.wait(PATIENCE)
        with crowd:
            time.sleep(0.001)
        return number

    with WorkerPool(8, places) as pool:
        futures = [pool.submit(work, number) for number in range(32)]
        assert [future.result(PATIENCE) for future in futures] == list(range(32))
        assert pool._free._value == places
    assert crowd.most <= places


def test_all_threads_are_there_at_once():
    """An event loop need not wait for one to begin while others compute."""
    with WorkerPool(6, 2) as pool:
        assert len(pool._threads) == 6


def test_an_error_leaves_no_place_taken():
    """Raised while a thread computes, or while it is elsewhere."""

    def fail(away):
        if away:
            with elsewhere():
                raise ValueError("away")
        raise ValueError("here")

    with WorkerPool(2, 1) as pool:
        for away in (True, False):
            with pytest.raises(ValueError, match="away" if away else "here"):
                pool.submit(fail, away).result(PATIENCE)
        assert pool.submit(lambda: "fine").result(PATIENCE) == "fine"
        assert pool._free._value == 1


def test_elsewhere_within_elsewhere_is_left_once():
    """The inner block has no place to leave."""

    def work():
        with elsewhere(), elsewhere():
            pass

    with WorkerPool(2, 1) as pool:
        pool.submit(work).result(PATIENCE)
        assert pool._free._value == 1


def test_a_thread_of_somebody_else_has_no_place_to_leave():
    """Verbs that are called without `await` wait for nobody."""
    with WorkerPool(1, 1) as pool:
        with elsewhere():
            assert pool._free._value == 1
        assert pool._free._value == 1


def test_who_keeps_a_place_and_waits_holds_up_nobody_for_long(monkeypatch):
    """A writer that waits for another process's lock: what needs no lock is done meanwhile."""
    monkeypatch.setattr(workers, "_PATIENCE", 0.05)
    unlocked = threading.Event()
    with WorkerPool(3, 1) as pool:
        writer = pool.submit(unlocked.wait, PATIENCE)
        assert pool.submit(lambda: "read").result(PATIENCE) == "read"
        assert not writer.done()
        unlocked.set()
        assert writer.result(PATIENCE)
        assert pool._free._value == 1


def test_who_holds_what_others_wait_for_goes_on_in_the_end(monkeypatch):
    """An app's lock round a verb, on the only two threads: one comes back while the other has the place and waits."""
    monkeypatch.setattr(workers, "_PATIENCE", 0.05)
    lock, has_lock, goes = threading.Lock(), threading.Event(), threading.Event()

    def first():
        with lock:
            has_lock.set()
            with elsewhere():
                assert goes.wait(PATIENCE)
        return "first"

    def second():
        goes.set()
        with lock:
            return "second"

    with WorkerPool(2, 1) as pool:
        one = pool.submit(first)
        assert has_lock.wait(PATIENCE)
        other = pool.submit(second)
        assert [future.result(PATIENCE) for future in (one, other)] == ["first", "second"]
        assert pool._free._value == 1


@pytest.mark.parametrize("there", [0, 2])
def test_where_the_machine_has_no_thread_left_those_that_are_there_do(monkeypatch, there):
    """As in a container with a limit: none of them waits for the others, which would keep the program from ending."""
    started = []
    start = threading.Thread.start

    def limited(thread):
        if len(started) == there:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", limited)
    if not there:
        with pytest.raises(RuntimeError, match="can't start new thread"):
            WorkerPool(8, 8)
        return
    pool = WorkerPool(8, 8)
    assert pool.threads == there
    assert [pool.submit(abs, -number).result(PATIENCE) for number in range(20)] == list(range(20))
    pool.shutdown()
    assert not any(thread.is_alive() for thread in started)


def test_those_who_write_have_threads_of_their_own_and_share_the_places():
    """While all of them wait for a file, there is a thread for who reads; no more compute at a time than without."""
    pool, crowd, goes_on = pool_for(2, local=False, joins=True), Crowd(), threading.Event()

    def work():
        with crowd:
            time.sleep(0.001)

    waiting = [for_writing(pool).submit(goes_on.wait, PATIENCE) for _ in range(pool.threads)]
    goes_on.set()
    assert all(one.result(PATIENCE) for one in waiting)
    for one in [executor.submit(work) for _ in range(50) for executor in (pool, for_writing(pool))]:
        one.result(PATIENCE)
    assert crowd.most <= pool.places
    pool.shutdown()
    with pytest.raises(RuntimeError):
        for_writing(pool).submit(work)


def test_another_executor_serves_both():
    """As that of an application."""
    with ThreadPoolExecutor(1) as executor:
        assert for_writing(executor) is executor
