"""The parts of the torture programs do what they say; else what they find would mean nothing."""

import random
from contextlib import closing

import pytest

from streetai_core.errors import MemoryBusyError
from streetai_core.stores import _sqlite
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.testing.factories import make_exchange
from streetai_core.testing.store_reading import head_of, write
from streetai_core.testing.torture.checking import damage, differences, open_registry, torn_parts, unlogged_weights
from streetai_core.testing.torture.reporting import Report
from streetai_core.testing.torture.soak import Samples
from streetai_core.testing.torture.trap import Moments, Trap, coded, trapped
from streetai_core.testing.torture.work import _VERBS, Intent, Work, message_of, text_of


@pytest.fixture
def path(tmp_path):
    """Where the database is."""
    return tmp_path / "memories.db"


def busy():
    """The error of a lock that is not free."""
    return coded("database is locked", _sqlite.BUSY)


def test_an_early_error_comes_before_the_statement(path):
    """Nothing of it is done."""
    trap = Trap()
    with SqliteStore(path, opener=trapped(trap)) as store:
        write(store, make_exchange(0))
        trap.set(1, busy, late=False)
        with pytest.raises(MemoryBusyError):
            write(store, make_exchange(1))
        assert (trap.sprung, trap.statement) == (True, "BEGIN IMMEDIATE")
        assert head_of(store).version == 1


def test_a_late_error_comes_after_the_statement(path):
    """A COMMIT that raises has stored what it was to store."""
    trap = Trap()
    with SqliteStore(path, opener=trapped(trap)) as store:
        write(store, make_exchange(0))
        number = 0
        while trap.statement != "COMMIT":
            number += 1
            changes = make_exchange(1, head=head_of(store))
            trap.set(number, busy, late=True)
            with pytest.raises(MemoryBusyError):
                write(store, changes)
            trap.remaining = 0
        assert head_of(store).version == 2


def test_a_call_is_interrupted_at_the_moment_of_choice(path):
    """Counted first, then interrupted, and free afterwards to be made again."""
    with SqliteStore(path) as store:
        counter = Moments()
        counter.run(lambda: write(store, make_exchange(0)))
        assert counter.seen > 100
        with pytest.raises(KeyboardInterrupt):
            Moments(interrupt_at=20).run(lambda: write(store, make_exchange(1)))
        assert head_of(store).version == 1
        assert write(store, make_exchange(1, head=head_of(store))).version == 2


def test_the_model_follows_the_work(path):
    """Three hundred operations of all kinds, and the model says what is stored."""
    rng, model, intents = random.Random(3), {}, []
    with open_registry(path, durability="fast") as registry:
        work = Work(registry, "m", rng, intents.append)
        work.do("add")
        for verb in (*_VERBS, *rng.choices(list(_VERBS), k=60)):
            if not work.known:
                work.do("bulk")
            work.do(verb)
        for intent in intents:
            assert Intent.parsed(intent.line()) == intent
            model = intent.applied(model)
        assert differences(work.memory, model) == []
        assert torn_parts(work.memory) == unlogged_weights(work.memory) == []
        assert sorted(work.known) == sorted(model)


def test_a_missing_and_a_changed_message_are_differences(path):
    """Both are named, and so is one that should not be there."""
    with open_registry(path, durability="fast") as registry:
        memory = registry.get("m")
        memory.add_messages([message_of("a"), message_of("b"), message_of("c")])
        memory.update_message("b", text_of("b", 7))
        assert sorted(differences(memory, {"a": 0, "b": 0, "d": 0})) == ["b", "c", "d"]


def test_a_broken_file_is_found(path):
    """By SQLite's own check, by a key that leads nowhere, and where SQLite cannot read at all."""
    with open_registry(path) as registry:
        registry.get("m").add_messages([message_of("a"), message_of("b")])
    assert damage(path) == []
    with closing(_sqlite.connect(path.as_uri(), timeout=1)) as connection, connection:
        connection.execute("DELETE FROM messages WHERE message_id = 'a'")
    connection.close()
    assert any("foreign key" in fault for fault in damage(path))
    path.write_bytes(b"x" * 8192)
    assert any("cannot read" in fault for fault in damage(path))


def test_a_report_says_all_and_fails_for_one_problem():
    """Kinds without problems are printed as 0; a run that shows nothing has not passed."""
    report = Report.of(7, "lost", "torn")
    report.counts["cycles"] = 3
    assert report.lines() == ["seed=7 cycles=3 lost=0 torn=0"]
    assert report.passed
    report.unproved.append("nobody was killed")
    assert not report.passed
    report = Report.of(7, "lost")
    report.fail("lost", *(f"message {number}" for number in range(30)))
    assert not report.passed
    assert report.lines()[:2] == ["seed=7 lost=30", "lost: message 0"]
    assert len(report.lines()) == 11


@pytest.mark.parametrize("leak", [0.0, 5.0])
def test_growth_is_what_does_not_come_back(leak):
    """A memory that fills and is emptied every minute and a half takes 20 MB and gives it back: that is no growth."""
    samples = Samples()
    for second in range(3_600):
        samples.times.append(float(second))
        samples.bytes.append(int((150 + second % 97 / 97 * 20 + leak * second / 3_600) * 1024**2))
    assert samples.growth() == pytest.approx(leak, abs=0.3)


def test_a_short_look_says_nothing_of_growth():
    """Caches fill at first."""
    assert Samples(times=[0.0, 60.0], bytes=[1, 2], files=[1, 1]).growth() is None
