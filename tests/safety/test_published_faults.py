"""What the published version 0.2.0 got wrong, and where each of it is kept from coming back.

| fault | test below | and |
|---|---|---|
| two processes give one turn to two messages | `two_writers` | `tests.torture.test_programs`, "eight" |
| the window glues two messages of one turn under one role | `two_writers` | `tests.prompt.test_turns` |
| a second process never sees what the first one writes | `seen_at_once` | `tests.torture.test_programs` |
| deleted in A, learned in B: the row is back | `stays_deleted` | `StoreSuite` |
| reset in A, learned in B: the row is back | `stays_reset` | `StoreSuite` |
| the last message deleted, restarted: its turn is given again | `given_twice` | |
| a refresh by retrieval is in RAM only | `refresh` | `tests.core.test_ram_equals_disk` |
| a lone surrogate, or a lock: a ghost in RAM | `no_ghost` | `tests.torture.test_programs`, "any fault" |
| killed inside a message of twelve chunks: half of it | `killed` | torture `kill` |
| `update_message` deletes before it writes | `failed_update` | |
| no write-ahead log, no schema version, no foreign keys | `opened_well` | `tests.stores.test_sqlite_file` |
| no check of the encoder | `another_encoder` | `tests.memory.test_bad_input` |
| recalled text as a user message with a forged reply | `forged` | `tests.safety.test_fence` |
"""

import subprocess
import sys
from contextlib import closing

import pytest

from streetai_core import Config, MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.errors import EncoderError, EncoderMismatchError, MemoryBusyError, StaleMemoryError
from streetai_core.stores import _sqlite
from streetai_core.stores.sqlite import SqliteStore
from tests.encoders.failing import Breakable

CHUNK = "This is a sentence of a message that is long enough to stand alone as a chunk of its own" + ", and on" * 15
LONG = " ".join(f"{CHUNK} {number}." for number in range(12))


@pytest.fixture
def handles(path):
    """The same memory, open twice, as in two processes: nothing is shared but the file."""
    opened = [
        MemoryRegistry(SqliteStore(path, durability="fast", busy_timeout=0.1), encoder=HashingEncoder())
        for _ in range(2)
    ]
    yield [registry.get("m") for registry in opened]
    for registry in opened:
        registry.close()


def as_told(path):
    """The memory as somebody reads it who opens the file now."""
    with MemoryRegistry(path, encoder=HashingEncoder()) as registry:
        memory = registry.get("m")
        return [(one.content, one.turn) for one in memory.messages()], memory.signals


def test_two_writers_never_share_a_turn(handles, path):
    """Nor do their messages stand as one in the window."""
    for number in range(50):
        handles[0].add_message(f"From one, {number}.", "user", conversation_id="c")
        handles[1].add_message(f"From two, {number}.", "assistant", conversation_id="c")
    messages, _ = as_told(path)
    assert [turn for _, turn in messages] == list(range(100))
    window = handles[0].build_prompt("And now?", conversation_id="c").messages
    assert not any("From one" in message["content"] and "From two" in message["content"] for message in window)


def test_what_one_writes_is_seen_at_once_by_the_other(handles):
    """By recall, by the window, and by every count."""
    handles[1].add_message("The keel is long.", "user")
    handles[0].add_message("The boat is red.", "user")
    assert handles[1].retrieve("boat")[0].signal.content == "The boat is red."
    assert handles[1].stats() == handles[0].stats()


def test_what_was_deleted_stays_deleted_when_another_one_learns(handles, path):
    """The other one still had it as a hit."""
    handles[0].add_message("The boat is red.", "user", message_id="boat")
    handles[0].add_message("The boat has a mast.", "user")
    hits = handles[1].retrieve("boat")
    handles[0].delete_message("boat")
    updates = handles[1].post_process(hits, "The boat is red and has a mast.")
    assert [row["content"] for row in updates] == ["The boat has a mast."]
    assert [content for content, _ in as_told(path)[0]] == ["The boat has a mast."]


def test_what_was_reset_stays_reset_when_another_one_learns(handles, path):
    """The old handle says that it is old."""
    handles[0].add_message("The boat is red.", "user")
    hits = handles[1].retrieve("boat")
    with MemoryRegistry(path, encoder=HashingEncoder()) as registry:
        registry.reset("m")
    with pytest.raises(StaleMemoryError):
        handles[1].post_process(hits, "The boat is red.")
    assert as_told(path) == ([], [])


def test_a_turn_is_never_given_twice(handles, path):
    """Not after the last message was deleted, and not after a restart."""
    for number in range(3):
        handles[0].add_message(f"Message {number}.", "user", message_id=str(number))
    handles[0].delete_message("2")
    with MemoryRegistry(path, encoder=HashingEncoder()) as registry:
        assert registry.get("m").add_message("After the restart.", "user")[0].turn == 3


def test_a_refresh_is_on_the_disk(handles, path):
    """What was sent counts as used from then on, for whoever opens the file."""
    handles[0].add_message("The boat is red.", "user")
    for number in range(20):
        handles[0].add_message(f"Something else, {number}.", "user")
    handles[0].post_process(handles[0].retrieve("boat", limit=1), "The boat is red.")
    refreshed = next(signal for signal in as_told(path)[1] if "boat" in signal.content)
    assert refreshed.last_used_turn == 21
    assert refreshed in handles[1].signals


def test_a_failed_write_leaves_no_ghost(handles, path):
    """A text with a lone surrogate is stored clean; a lock that is not free stores nothing, in RAM either."""
    handles[0].add_message("A \ud800 boat.", "user")
    with closing(_sqlite.connect(path.as_uri(), timeout=5)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(MemoryBusyError):
            handles[0].add_message("A ghost boat.", "user")
        other.execute("ROLLBACK")
    assert [signal.content for signal in handles[0].signals] == ["A \ufffd boat."]
    assert handles[0].signals == as_told(path)[1]


KILLED = """
import os, sys
from streetai_core import MemoryRegistry
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.stores import _sqlite
from streetai_core.stores.sqlite import SqliteStore

class Dying(_sqlite.Connection):
    left = int(sys.argv[3])
    def _die(self):
        Dying.left -= 1
        if Dying.left < 0:
            os._exit(9)
    def execute(self, *given):
        self._die()
        return super().execute(*given)
    def executemany(self, *given):
        self._die()
        return super().executemany(*given)

store = SqliteStore(sys.argv[1], opener=lambda uri, *, timeout: _sqlite.connect(uri, timeout=timeout, factory=Dying))
with MemoryRegistry(store, encoder=HashingEncoder()) as registry:
    registry.get("m").add_message(sys.argv[2], "user", message_id="long")
"""


def test_whoever_is_killed_in_a_long_message_leaves_none_of_it_or_all(path):
    """At statements all over the write of a message of twelve chunks."""
    with MemoryRegistry(path, encoder=HashingEncoder()) as registry:
        registry.get("m").add_message("The first one.", "user")
        expected = len(registry.get("n").add_message(LONG, "user"))
    assert expected == 12
    outcomes = set()
    for statement in (14, 18, 22, 26, 200):
        done = subprocess.run([sys.executable, "-c", KILLED, str(path), LONG, str(statement)], check=False)
        _, signals = as_told(path)
        number = sum(signal.parent_turn_id == "long" for signal in signals)
        assert number in {0, expected}
        outcomes.add((done.returncode, number))
    assert outcomes == {(9, 0), (0, expected)}


def test_a_failed_update_leaves_the_old_text(path):
    """Text, signals and what was learned."""
    encoder = Breakable()
    with MemoryRegistry(path, encoder=encoder) as registry:
        memory = registry.get("m")
        memory.add_message("The boat is red.", "user", message_id="boat")
        memory.post_process(memory.signals, "The boat is red.")
        before = memory.signals
        encoder.broken = True
        with pytest.raises(EncoderError):
            memory.update_message("boat", "The boat is green.")
        assert memory.signals == before
    assert as_told(path)[1] == before


def test_the_file_is_opened_well(path):
    """Write-ahead log, schema version, foreign keys without a row that breaks them."""
    with MemoryRegistry(path, encoder=HashingEncoder()) as registry:
        registry.get("m").add_message(LONG, "user")
        with closing(_sqlite.connect(path.as_uri(), timeout=5)) as connection:
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
            assert connection.execute("PRAGMA user_version").fetchone() == (1,)
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
            assert connection.execute("PRAGMA foreign_key_list(signals)").fetchall()


def test_another_encoder_is_refused(path):
    """Its cosines with the stored vectors would mean nothing."""
    with MemoryRegistry(path, encoder=HashingEncoder(dim=64)) as registry:
        registry.get("m").add_message("The boat is red.", "user")
    with MemoryRegistry(path, encoder=HashingEncoder(dim=32)) as registry, pytest.raises(EncoderMismatchError):
        registry.get("m").retrieve("boat")


def test_nothing_is_forged_in_a_prompt(path):
    """What is recalled stands in the fence beside the question: no turn of anybody's, no reply that nobody gave."""
    with MemoryRegistry(path, encoder=HashingEncoder(), config=Config(history_ceiling=False)) as registry:
        memory = registry.get("m")
        memory.add_messages(
            [NewMessage(content=f"The boat is red, {n}.", role="user", conversation_id="old") for n in range(5)]
        )
        prompt = memory.build_prompt("What of the boat?", conversation_id="new")
    assert prompt.retrieved
    assert [message["role"] for message in prompt.messages] == ["user"]
    assert prompt.messages[0]["content"] == f"{prompt.recalled_text}\n\nWhat of the boat?"
