"""Words that older rules have told are told anew: beside what is stored next, or all at once."""

import logging
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import StaleMemoryError
from streetai_core.planning.words import RULES, with_marks, without_marks, words_row
from streetai_core.stores.reference import ReferenceStore
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.stores.types import Changes
from streetai_core.testing.factories import NOON, make_counts, make_terms
from streetai_core.testing.store_reading import comparable
from streetai_core.text.marks import news_about
from tests.memory.test_outages import Unsteady
from tests.outdated import outdate, words_in

BOAT = "Our yawl is called the Heron, and she leaks."
QUESTION = "What is our yawl called?"
BY_WORDS = Config(strategy="keyword")
"""Finds nothing by meaning, so that words must do."""


@pytest.fixture(params=["sqlite", "reference"])
def store(request, tmp_path):
    """Either store, closed by the registry."""
    return SqliteStore(tmp_path / "m.db") if request.param == "sqlite" else ReferenceStore()


@pytest.fixture
def registry(store):
    """A registry that finds by words alone."""
    with MemoryRegistry(store, config=BY_WORDS, encoder=HashingEncoder(32)) as opened:
        yield opened


def lines(number):
    """Messages of which each has a word of its own."""
    return [NewMessage(content=f"Line w{one} of a long log.", role="user") for one in range(number)]


def found(memory, question=QUESTION):
    """The best that a question finds, if it finds anything."""
    return [hit.signal.content for hit in memory.retrieve(question, limit=1)]


def outdated(memory):
    """How many messages have words of older rules."""
    return memory.stats()["outdated_words"]


def rows_of(registry):
    """All rows of the memory but the head's version and those of the words."""
    with registry.store.reading("m") as view:
        rows = view.rows(None)
        weights = {one.key: (one.base_weight, one.last_used_turn, one.uses, one.stack) for one in rows.weights}
        return (
            replace(rows.head, version=0),
            comparable(rows.signals),
            weights,
            comparable(rows.stacks),
            comparable(rows.cues),
            rows.quarantine,
            view.credits(),
            view.journal(),
        )


def test_old_words_are_found_after_the_next_message(registry, store):
    """A question that is cut by new rules would never find what was cut by old ones."""
    memory = registry.get("m")
    memory.add_message(BOAT, "user")
    outdate(store, "m")
    assert outdated(memory) == 1
    assert found(memory) == []
    memory.add_message("It rains.", "user")
    assert found(memory) == [BOAT]
    assert outdated(memory) == 0


@pytest.mark.parametrize("at_once", [True, False])
def test_the_words_are_then_what_they_would_have_been(registry, store, at_once):
    """Terms, counts, days, what is asked; links, weights, clocks, cues and trust stay as they are."""
    memory = registry.get("m")
    said = [
        NewMessage(content="The Kestrel lies at berth 31.", role="user", name="Mara"),
        NewMessage(content="Where did we eat in March 2024?", role="user", name="Mara"),
        NewMessage(content="The Kestrel lies at berth 12 now.", role="user", name="Mara"),
        NewMessage(content="Ewig währt am längsten.", role="user", source="document", trust=0.2, writer="a page"),
    ]
    memory.add_messages(said)
    memory.post_process(memory.retrieve("Where does the Kestrel lie?"), "The Kestrel lies at berth 12.")
    before, others = words_in(store, "m"), rows_of(registry)
    assert before[2].replaces == (0,)
    assert before[1].question
    assert len(before[1].days)
    outdate(store, "m")
    assert comparable(list(words_in(store, "m").values())) != comparable(list(before.values()))
    assert rows_of(registry) == others
    if at_once:
        assert memory.renew_words() == 4
        assert rows_of(registry) == others
    else:
        assert outdated(memory) == 4
        memory.add_message("It rains.", "user")
    after = words_in(store, "m")
    assert comparable([after[sequence] for sequence in before]) == comparable(list(before.values()))
    assert {row.rules for row in after.values()} == {RULES}


def test_the_day_is_that_of_who_wrote(registry, store):
    """By this machine's clock, or by UTC, "today" would be another day than when it was written."""
    memory = registry.get("m")
    evening = datetime(2024, 2, 28, 22, 30, tzinfo=timezone(timedelta(hours=-8)))
    memory.add_message("We sail today.", "user", created_at=evening)
    (before,) = words_in(store, "m").values()
    assert before.days.tolist() == [[evening.date().toordinal()] * 2]
    outdate(store, "m")
    assert memory.renew_words() == 1
    assert comparable(list(words_in(store, "m").values())) == comparable([before])


def test_many_are_told_anew_bit_by_bit_the_newest_first(registry, store):
    """The message after an upgrade would wait for all of them; and what was said last is asked for first."""
    memory = registry.get("m")
    memory.add_messages(lines(18))
    outdate(store, "m")
    assert outdated(memory) == 18
    memory.add_message("It rains.", "user")
    assert outdated(memory) == 10
    assert {sequence for sequence, row in words_in(store, "m").items() if row.rules < RULES} == set(range(10))
    assert found(memory, "w17?") == ["Line w17 of a long log."]
    assert found(memory, "w3?") == []
    memory.record_turn("t", [NewMessage(content="It rains again.", role="user")])
    assert outdated(memory) == 2
    memory.add_message("Still.", "user")
    assert outdated(memory) == 0
    assert found(memory, "w3?") == ["Line w3 of a long log."]


def test_long_messages_are_told_anew_one_by_one(registry, store):
    """Thirty documents under the lock of one message would make every other program give up waiting for it."""
    memory = registry.get("m")
    memory.add_messages(
        [NewMessage(content=f"Book w{number}. " + "A line. " * 40_000, role="user") for number in range(3)]
    )
    memory.add_messages(lines(5))
    outdate(store, "m")
    assert outdated(memory) == 8
    memory.add_message("It rains.", "user")
    assert {sequence for sequence, row in words_in(store, "m").items() if row.rules < RULES} == {0, 1, 2}
    memory.add_message("It rains again.", "user")
    assert {sequence for sequence, row in words_in(store, "m").items() if row.rules < RULES} == {0, 1}
    steps = []
    assert memory.renew_words(progress=lambda *step: steps.append(step)) == 2
    assert steps == [(1, 2), (2, 2)]


def test_all_can_be_told_anew_at_once(registry, store):
    """Who has many, and time."""
    memory = registry.get("m")
    memory.add_messages(lines(1100))
    outdate(store, "m")
    steps = []
    assert memory.renew_words(progress=lambda *step: steps.append(step)) == 1100
    assert steps == [(512, 1100), (1024, 1100), (1100, 1100)]
    assert outdated(memory) == 0
    assert found(memory, "w3?") == ["Line w3 of a long log."]
    version = memory.stats()["version"]
    assert memory.renew_words(progress=lambda *step: steps.append(step)) == 0
    assert (len(steps), memory.stats()["version"]) == (3, version)


def test_a_memory_that_was_never_written_has_nothing_to_do(registry):
    """Nor does it come to be by that."""
    assert registry.get("m").renew_words() == 0
    assert registry.ids() == []


async def test_the_twin_does_the_same(registry, store):
    """An upgrade looks the same from a loop."""
    memory = registry.get("m")
    await memory.aadd_messages(lines(3))
    outdate(store, "m")
    assert (await memory.astats())["outdated_words"] == 3
    assert await memory.arenew_words() == 3
    assert (await memory.astats())["outdated_words"] == 0


def test_nothing_is_written_where_nothing_is_old(registry):
    """Each message would pay for it."""
    memory = registry.get("m")
    versions = []
    for number in range(3):
        memory.add_message(f"Line {number}.", "user")
        versions.append(memory.stats()["version"])
    assert versions == [1, 2, 3]


def test_what_a_newer_version_has_told_is_left_alone(registry, store):
    """A program that is upgraded last would undo what the others have done, again and again."""
    memory = registry.get("m")
    memory.add_messages(lines(3))
    newer = outdate(store, "m", rules=RULES + 1)
    outdate(store, "m", only={1})
    assert outdated(memory) == 1
    memory.add_message("It rains.", "user")
    assert memory.renew_words() == 0
    after = words_in(store, "m")
    assert comparable([after[0], after[2]]) == comparable([newer[0], newer[2]])
    assert after[1].rules == RULES


@pytest.mark.parametrize("rules", [0, RULES + 1])
def test_an_edit_that_loosens_a_link_leaves_the_words_of_the_other(registry, store, rules):
    """What replaced the old text no longer does, nor is it news of it; by which words it is found stays as it is."""
    memory = registry.get("m")
    ((before,), _) = memory.add_messages(
        [
            NewMessage(content="The Kestrel lies at berth 31.", role="user"),
            NewMessage(content="The Kestrel lies at berth 12 now.", role="user"),
        ]
    )
    (row,) = outdate(store, "m", rules=rules, only={1})
    assert row.replaces == (0,)
    memory.update_message(before.parent_turn_id, "It rains.")
    after = words_in(store, "m")
    assert comparable(after[1]) == comparable(without_marks(replace(row, replaces=()), [news_about(0)]))
    assert after[0].rules == RULES


@pytest.mark.parametrize("rules", [0, RULES + 1])
def test_vectors_that_come_late_leave_the_words_of_newer_rules(store, rules):
    """Once the encoder works again it shows what a message replaces; its words are told by whoever knows best."""
    encoder = Unsteady()
    with MemoryRegistry(store, encoder=encoder) as registry:
        memory = registry.get("m")
        memory.add_message("The Kestrel lies at berth 31.", "user")
        encoder.broken = True
        memory.add_message("The Kestrel lies at berth 12 now.", "user")
        (row,) = outdate(store, "m", rules=rules, only={1})
        assert row.replaces == ()
        encoder.broken = False
        memory.add_message("It rains.", "user")
        after = words_in(store, "m")[1]
        assert after.replaces == (0,)
        assert comparable(replace(after, replaces=())) == comparable(
            row if rules else with_marks(words_row(memory.messages()[1]), [news_about(0)]),
        )


def test_words_need_no_encoder(store):
    """While the encoder is out of order, words are what everything is found by."""
    encoder = Unsteady()
    with MemoryRegistry(store, encoder=encoder) as registry:
        memory = registry.get("m")
        memory.add_message(BOAT, "user")
        outdate(store, "m")
        assert outdated(memory) == 1
        encoder.broken = True
        memory.add_message("It rains.", "user")
        assert outdated(memory) == 0
        outdate(store, "m")
        assert memory.renew_words() == 2
        assert found(memory) == [BOAT]


def test_another_memory_that_is_open_follows(store):
    """What one program has told anew, the others would find by old words until they are started again."""
    with MemoryRegistry(store, config=BY_WORDS, encoder=HashingEncoder(32)) as registry:
        memory = registry.get("m")
        memory.add_message(BOAT, "user")
        other = MemoryRegistry(store, config=BY_WORDS, encoder=HashingEncoder(32)).get("m")
        assert found(other) == [BOAT]
        outdate(store, "m")
        assert (found(other), outdated(other), outdated(memory)) == ([], 1, 1)
        memory.add_message("It rains.", "user")
        assert (found(other), outdated(other)) == ([BOAT], 0)


def test_several_do_it_at_once(store):
    """Each would write what the other has written, or fail."""
    registries = [MemoryRegistry(store, config=BY_WORDS, encoder=HashingEncoder(32)) for _ in range(3)]
    memories = [one.get("m") for one in registries]
    memories[0].add_messages(lines(1200))
    expected = words_in(store, "m")
    outdate(store, "m")
    counts = []
    threads = [threading.Thread(target=lambda one=one: counts.append(one.renew_words())) for one in memories]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(counts) == 1200
    assert comparable(list(words_in(store, "m").values())) == comparable(list(expected.values()))
    assert [found(one, "w3?") for one in memories] == [["Line w3 of a long log."]] * 3
    registries[0].close()


def test_what_is_in_quarantine_waits_until_it_is_released(registry, store):
    """It is found by nothing; and it would be by none of its words afterwards."""
    memory = registry.get("m")
    memory.add_message("The Kestrel lies at berth 31.", "user")
    memory.add_message(BOAT, "user", conversation_id="boats", writer="a page")
    outdate(store, "m")
    memory.quarantine(writer="a page")
    assert outdated(memory) == 1
    memory.add_message("Stay here.", "user")
    assert outdated(memory) == 0
    memory.release(writer="a page")
    assert (outdated(memory), found(memory)) == (1, [])
    memory.add_message("Look there.", "user")
    assert (outdated(memory), found(memory)) == (0, [BOAT])


def test_a_damaged_message_holds_up_no_new_one(tmp_path, caplog):
    """Who stores a message has nothing to do with the words of another one."""
    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(32)) as registry:
        memory = registry.get("m")
        memory.add_messages(lines(2))
        outdate(registry.store, "m")
        assert outdated(memory) == 2
        with closing(sqlite3.connect(tmp_path / "m.db")) as connection, connection:
            connection.execute("UPDATE messages SET content = 'Changed.' WHERE sequence = 0")
        with caplog.at_level(logging.WARNING, logger="streetai_core"):
            ((signal,),) = memory.add_messages([NewMessage(content="It rains.", role="user")])
        assert signal.content == "It rains."
        assert "are not found by all of their words yet" in caplog.text
        assert outdated(memory) == 2


def test_where_nothing_is_left_to_do_the_log_says_nothing(registry, caplog):
    """The call that stores fails itself, and says why; no message waits for a vector, and none is outdated."""
    memory = registry.get("m")
    memory.add_message(BOAT, "user")
    registry.forget("m")
    with caplog.at_level(logging.WARNING, logger="streetai_core"), pytest.raises(StaleMemoryError):
        memory.add_message("It rains.", "user")
    assert caplog.records == []


RENEW = """
import os, sys
from streetai_core import MemoryRegistry
from streetai_core.encoders.hashing import HashingEncoder
with MemoryRegistry(sys.argv[1], encoder=HashingEncoder(32)) as registry:
    registry.get("m").renew_words(progress=lambda *step: os._exit(9))
"""

ADD = """
import sys
from streetai_core import MemoryRegistry
from streetai_core.encoders.hashing import HashingEncoder
with MemoryRegistry(sys.argv[1], encoder=HashingEncoder(32)) as registry:
    registry.get("m").add_message("It rains.", "user")
"""


def elsewhere(script, path):
    """The exit code of a script that another process runs."""
    return subprocess.run([sys.executable, "-W", "error", "-c", script, str(path)], check=False).returncode


def test_another_process_does_it_and_a_kill_in_between_loses_nothing(tmp_path):
    """The rest is done by who comes next, and everybody who has the file open finds it."""
    path = tmp_path / "m.db"
    with MemoryRegistry(path, config=BY_WORDS, encoder=HashingEncoder(32)) as registry:
        memory = registry.get("m")
        memory.add_messages(lines(600))
        expected = words_in(registry.store, "m")
        outdate(registry.store, "m")
        assert outdated(memory) == 600
        assert elsewhere(RENEW, path) == 9
        assert outdated(memory) == 88
        assert found(memory, "w599?") == ["Line w599 of a long log."]
        assert elsewhere(ADD, path) == 0
        assert outdated(memory) == 80
        assert memory.renew_words() == 80
        after = words_in(registry.store, "m")
        assert comparable([after[one] for one in expected]) == comparable(list(expected.values()))
        assert registry.doctor().healthy
        assert memory.audit().edits == ()


def test_a_memory_is_as_large_as_what_is_in_it_afterwards(registry, store):
    """Each message would take a row of the index for its old words, for good."""
    memory = registry.get("m")
    memory.add_messages(lines(40))
    outdate(store, "m")
    memory.renew_words()
    with memory._coherent.reading() as (_, state):
        assert state.words.size == len(state.words) == 40


class Watching(SqliteStore):
    """Keeps what it was asked to look for."""

    def erase(self, traces):
        """Keep it, and look."""
        self.traces = traces
        return super().erase(traces)


def test_old_words_are_looked_for_when_they_are_erased(tmp_path):
    """The files would be searched for words that this version cuts, and those that are stored may be others."""
    with MemoryRegistry(Watching(tmp_path / "m.db"), encoder=HashingEncoder(32)) as registry:
        memory = registry.get("m")
        memory.add_message(BOAT, "user", message_id="boat")
        terms = make_terms(0x1CEB00DA, 0x3D0CABBA, 0xF00DFACE)
        older = replace(words_in(registry.store, "m")[0], terms=terms, counts=make_counts(1, 1, 1), rules=0)
        with registry.store.writing("m") as writing:
            writing.apply(Changes(head=writing.head, words=[older]), now=NOON)
        assert memory.forget(message="boat").complete
        assert len(registry.store.traces.found_in([terms.astype("<u4").tobytes()]))


@pytest.mark.parametrize("lost", [0, 10], ids=["all", "some"])
def test_words_that_are_lost_are_made_anew(tmp_path, lost):
    """Another program has deleted them: every question goes on by meaning, and the doctor tells what mends it."""
    path = tmp_path / "m.db"
    with MemoryRegistry(path, encoder=HashingEncoder(32)) as registry:
        memory = registry.get("mara")
        memory.add_messages(lines(20))
        memory.quarantine(message=memory.messages()[0].message_id)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM words WHERE sequence >= ?", (lost,))
    with MemoryRegistry(path, encoder=HashingEncoder(32)) as registry:
        memory = registry.get("mara")
        for question in ("Which line has w15?", "What did I say of the log yesterday?", "Where do I live now?"):
            assert memory.why(question).hits == tuple(memory.retrieve(question))
        assert any("streetai renew" in finding.advice for finding in registry.doctor().findings)
        assert 0 < memory.renew_words() <= 20 - lost
        assert memory.renew_words() == 0
    with MemoryRegistry(path, config=BY_WORDS, encoder=HashingEncoder(32)) as registry:
        memory = registry.get("mara")
        assert found(memory, "Which line has w15?") == ["Line w15 of a long log."]
        assert found(memory, "Which line has w0?") == []
        memory.release(message=memory.messages()[0].message_id)
        assert not any("words row" in finding.what for finding in registry.doctor().findings)
