"""What a text tells is worked out before the memory is locked."""

import sqlite3
from contextlib import closing
from datetime import timedelta

import pytest

from streetai_core import MemoryRegistry, NewMessage
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.planning import replacing, told
from streetai_core.testing.factories import NOON
from tests.outdated import words_in

TURN = [
    NewMessage(content="My flat has three rooms since last Saturday.", role="user"),
    NewMessage(content="Three rooms, noted.", role="assistant"),
]


@pytest.mark.parametrize(("module", "rule"), [(told, "words_row"), (replacing, "likenesses")])
@pytest.mark.parametrize("store", ["add_messages", "record_turn"])
def test_others_can_write_while_a_text_is_read(tmp_path, monkeypatch, module, rule, store):
    """Rules of words, dates and changes take as long as to store what they find."""
    real, reads = getattr(module, rule), []

    def watched(*arguments):
        with closing(sqlite3.connect(tmp_path / "m.db", timeout=0, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            other.execute("ROLLBACK")
        reads.append(arguments)
        return real(*arguments)

    with MemoryRegistry(tmp_path / "m.db", encoder=HashingEncoder(32)) as registry:
        memory = registry.get("m")
        memory.add_message("Hello.", "user")
        monkeypatch.setattr(module, rule, watched)
        if store == "add_messages":
            memory.add_messages(TURN)
        else:
            memory.record_turn("1", TURN)
        assert len(reads) == len(TURN)
        assert [message.content for message in memory.messages()] == ["Hello.", *(one.content for one in TURN)]


@pytest.mark.parametrize("fails", [False, True])
def test_a_message_without_a_time_gets_that_of_the_call(tmp_path, fails):
    """Not that of when the encoder was done, or gave up: what is said before midnight is of that day."""
    moment = [NOON.replace(hour=23, minute=59)]

    class Slow(HashingEncoder):
        """Takes an hour."""

        fails = False

        def embed(self, texts, kind):
            """Wait, then embed, or fail as a provider that does not answer."""
            moment[0] += timedelta(hours=1)
            if self.fails:
                raise TimeoutError
            return super().embed(texts, kind)

    encoder = Slow(32)
    with MemoryRegistry(tmp_path / "m.db", encoder=encoder, clock=lambda: moment[0]) as registry:
        memory = registry.get("m")
        memory.add_message("Hello.", "user", created_at=NOON)
        moment[0], encoder.fails = NOON.replace(hour=23, minute=59), fails
        memory.add_messages(TURN)
        assert moment[0].date() > NOON.date()
        assert len(memory.signals) == 1 + len(TURN)
        assert [message.created_at.date() for message in memory.messages()] == [NOON.date()] * 3
        assert [row.day for row in words_in(registry.store, "m").values()] == [NOON.toordinal()] * 3
