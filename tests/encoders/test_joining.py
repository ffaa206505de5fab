"""Calls of a model that wait for a processor are answered together, each with its own vectors and errors."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from streetai_core.encoders import default_encoder
from streetai_core.encoders.cache import CachedEncoder
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.encoders.joining import MOST_TEXTS, JoinedCalls
from streetai_core.encoders.loaded import LoadedModel
from streetai_core.testing.encoder_suite import TOLERANCE
from streetai_core.workers import WorkerPool

PATIENCE = 30


class Model:
    """Says of each text how long it is; waits in its first calls until it is let go, and notes every call."""

    def __init__(self, held=1):
        self.batches = []
        self.kinds = []
        self.running = 0
        self.most_running = 0
        self.go = threading.Event()
        self.held = held
        self.lock = threading.Lock()

    def __call__(self, texts, kind):
        """Embed."""
        with self.lock:
            self.batches.append(list(texts))
            self.kinds.append(kind)
            self.running += 1
            self.most_running = max(self.most_running, self.running)
            number = len(self.batches)
        try:
            if number <= self.held:
                assert self.go.wait(PATIENCE)
            if "bad" in texts:
                raise ValueError("not this one")
            if "interrupt" in texts:
                raise KeyboardInterrupt
            return np.array([[len(text)] for text in texts], dtype=np.float32)
        finally:
            with self.lock:
                self.running -= 1


def joined(model, at_once=1, go_together=lambda lengths: True):
    """Calls of a model, of which few run at once."""
    return JoinedCalls(model, go_together, at_once)


def until(condition):
    """Wait until something is so."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def asked(pool, calls, waiting, texts, kind="document"):
    """A call on another thread, which waits as number `waiting` by now."""
    future = pool.submit(calls.embed, texts, kind)
    until(lambda: len(calls._waiting) == waiting)
    return future


@pytest.fixture
def pool():
    """Threads that call a model."""
    with ThreadPoolExecutor(32) as threads:
        yield threads


def behind(pool, calls, model, *texts, kinds=None):
    """Calls that wait behind one that holds the only processor; let go when all wait."""
    first = pool.submit(calls.embed, ["first"], "document")
    until(lambda: model.batches)
    kinds = kinds or ["document"] * len(texts)
    others = [
        asked(pool, calls, number, some, kind) for number, (some, kind) in enumerate(zip(texts, kinds, strict=True), 1)
    ]
    model.go.set()
    return [first, *others]


def test_what_waits_goes_together(pool):
    """Each gets the vectors of its own texts, whoever embeds them."""
    model = Model()
    calls = joined(model)
    futures = behind(pool, calls, model, ["a", "bb"], ["ccc"], ["dddd"])

    assert [future.result(PATIENCE).tolist() for future in futures] == [[[5]], [[1], [2]], [[3]], [[4]]]
    assert model.batches == [["first"], ["a", "bb", "ccc", "dddd"]]
    assert (calls._running, calls._waiting) == (0, [])


def test_who_finds_a_processor_idle_waits_for_nobody():
    """One call after the other is as many calls of the model."""
    model = Model(held=0)
    calls = joined(model)
    for number in range(3):
        assert calls.embed(["x" * number], "document").tolist() == [[number]]
    assert model.batches == [[""], ["x"], ["xx"]]


def test_a_joined_call_is_not_too_large(pool):
    """The first that waits goes first; who has no room in its call is next."""
    model = Model()
    large = ["l" * 3] * MOST_TEXTS
    futures = behind(pool, joined(model), model, ["a"], large, ["b"] * (MOST_TEXTS - 1), ["c"])

    assert [len(future.result(PATIENCE)) for future in futures] == [1, 1, MOST_TEXTS, MOST_TEXTS - 1, 1]
    assert model.batches == [["first"], ["a", *["b"] * (MOST_TEXTS - 1)], large, ["c"]]


def test_only_what_is_quicker_in_one_batch_goes_together(pool):
    """A short text does not wait until a long one is embedded."""
    model = Model()
    calls = joined(model, go_together=lambda lengths: max(lengths) - min(lengths) < 3)
    futures = behind(pool, calls, model, ["a"], ["long text"], ["bb"], ["long too"])

    assert [future.result(PATIENCE).tolist() for future in futures] == [[[5]], [[1]], [[9]], [[2]], [[8]]]
    assert model.batches == [["first"], ["a", "bb"], ["long text", "long too"]]


def test_questions_and_documents_do_not_mix(pool):
    """A model may treat them differently."""
    model = Model()
    futures = behind(pool, joined(model), model, ["a"], ["b"], ["c"], kinds=["query", "document", "query"])

    assert [future.result(PATIENCE).tolist() for future in futures] == [[[5]], [[1]], [[1]], [[1]]]
    assert list(zip(model.batches, model.kinds, strict=True))[1:] == [(["a", "c"], "query"), (["b"], "document")]


def test_an_error_is_of_its_own_call_only(pool):
    """What goes wrong together is tried one by one."""
    model = Model()
    calls = joined(model)
    first, good, bad, other = behind(pool, calls, model, ["a"], ["bad"], ["cc"])

    assert [future.result(PATIENCE).tolist() for future in (first, good, other)] == [[[5]], [[1]], [[2]]]
    with pytest.raises(ValueError, match="not this one"):
        bad.result(PATIENCE)
    assert (calls._running, calls._waiting) == (0, [])


def test_an_interrupted_model_leaves_the_others_their_turn(pool):
    """The thread that embeds for others is interrupted: they embed for themselves."""
    model = Model()
    calls = joined(model, go_together=lambda lengths: "interrupt" not in model.batches[-1] and len(lengths) < 3)
    first, interrupted, one, other = behind(pool, calls, model, ["interrupt"], ["a"], ["bb"])

    with pytest.raises(KeyboardInterrupt):
        interrupted.result(PATIENCE)
    assert [future.result(PATIENCE).tolist() for future in (first, one, other)] == [[[5]], [[1]], [[2]]]
    assert model.batches[:2] == [["first"], ["interrupt", "a"]]
    assert (calls._running, calls._waiting) == (0, [])


@pytest.mark.parametrize("told", ["before", "after"])
def test_who_gives_up_waiting_keeps_nobody_waiting(pool, monkeypatch, told):
    """Interrupted in the queue, or just when it is its turn to embed for others."""
    model = Model()
    calls = joined(model)
    first = pool.submit(calls.embed, ["first"], "document")
    until(lambda: model.batches)
    interrupted = threading.Event()

    def wait(event, timeout=None):
        if threading.current_thread().name != "gives up":
            return waits(event, timeout)
        if told == "after":
            waits(event, timeout)
        interrupted.set()
        raise KeyboardInterrupt

    waits = threading.Event.wait
    raised = []

    def give_up():
        try:
            calls.embed(["never"], "document")
        except KeyboardInterrupt as error:
            raised.append(error)

    monkeypatch.setattr(threading.Event, "wait", wait)
    thread = threading.Thread(target=give_up, name="gives up")
    thread.start()
    if told == "before":
        thread.join(PATIENCE)
    else:
        until(lambda: len(calls._waiting) == 1)
    other = asked(pool, calls, 1 if told == "before" else 2, ["aa"])
    model.go.set()
    thread.join(PATIENCE)

    assert len(raised) == 1
    assert [future.result(PATIENCE).tolist() for future in (first, other)] == [[[5]], [[2]]]
    assert model.batches == [["first"], ["aa"]]
    assert (calls._running, calls._waiting) == (0, [])


@pytest.mark.parametrize("at_once", [1, 3])
def test_no_more_calls_run_than_may(pool, at_once):
    """Whatever a crowd of threads wants; and each gets what it has asked for."""
    model = Model(held=0)
    calls = joined(model, at_once)
    futures = [pool.submit(calls.embed, ["x" * number, "y"], "document") for number in range(500)]

    assert [future.result(PATIENCE).tolist() for future in futures] == [[[number], [1]] for number in range(500)]
    assert model.most_running <= at_once
    assert (calls._running, calls._waiting) == (0, [])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_does_not_wait_for_its_parents_threads(pool):
    """The threads that hold the processors, and those that wait, are in the parent only."""
    model = Model()
    calls = joined(model)
    first = pool.submit(calls.embed, ["first"], "document")
    until(lambda: model.batches)
    other = asked(pool, calls, 1, ["aa"])
    child = os.fork()
    if not child:
        right = calls.embed(["bbb"], "document").tolist() == [[3]]
        os._exit(0 if right else 1)
    model.go.set()

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert [future.result(PATIENCE).tolist() for future in (first, other)] == [[[5]], [[2]]]


def test_the_default_model_gives_the_same_vectors_to_a_crowd(pool, monkeypatch):
    """Also of texts that went through the model with others; not all machines compute them to the bit alike."""
    encoder = default_encoder()
    texts = [f"{'The heron stands by the river. ' * (number % 4)}Bird {number} is grey." for number in range(96)]
    alone = np.vstack([encoder.encode([text]) for text in texts])
    sizes = []
    embed = LoadedModel.embed

    def noting(model, some, kind):
        sizes.append(len(some))
        return embed(model, some, kind)

    monkeypatch.setattr(LoadedModel, "embed", noting)
    together = np.vstack(list(pool.map(lambda text: encoder.encode([text]), texts)))
    assert sum(sizes) == len(texts) > len(sizes)
    np.testing.assert_allclose(together, alone, rtol=0, atol=TOLERANCE)


def test_who_joins_calls_says_so():
    """So that a registry has more threads for it, also through a cache."""
    assert CachedEncoder(default_encoder()).joins_calls
    assert not CachedEncoder(HashingEncoder()).joins_calls


def test_a_worker_that_waits_for_the_model_leaves_its_place_to_others():
    """With one place the calls of all workers wait together."""
    model = Model()
    calls = joined(model)
    with WorkerPool(4, 1) as workers:
        futures = [workers.submit(calls.embed, ["x" * number], "document") for number in range(4)]
        until(lambda: len(calls._waiting) == 3)
        model.go.set()
        assert [future.result(PATIENCE).tolist() for future in futures] == [[[0]], [[1]], [[2]], [[3]]]
    assert [len(batch) for batch in model.batches] == [1, 3]
