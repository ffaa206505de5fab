"""Who wrote what, which operations there were, and what is in quarantine: a part of `StoreSuite`."""

# ruff: noqa: S101 - assert is how a pytest suite reports; the library itself never imports this module

from __future__ import annotations

from dataclasses import replace

import pytest

from streetai_core.errors import InputError
from streetai_core.stores.base import Store
from streetai_core.stores.provenance import JournalRow, Origins, Quarantine
from streetai_core.stores.types import Changes
from streetai_core.testing.factories import (
    NOON,
    make_exchange,
    make_head,
    make_learned,
    make_message,
    make_words_row,
)
from streetai_core.testing.store_reading import all_messages, comparable, head_of, read, write

_BY_MAIL = Quarantine(field="writer", value="mail")
_NAMELESS = Quarantine(field="conversation", value=None)


def journal_of(store: Store, memory_id: str = "alice") -> list[JournalRow]:
    """The journal, without the hashes that only files need."""
    with store.reading(memory_id) as view:
        return [replace(entry, digest="") for entry in view.journal()]


class StoreProvenance:
    """Tests of provenance, journal and quarantine. They take the fixture `store` of `StoreSuite`."""

    def test_provenance_comes_back_exactly(self, store: Store) -> None:
        """Source, trust and writer of messages and of words rows; the fingerprint is a signed number of 64 bits."""
        message = make_message(0, source="document", trust=0.1, writer="Zoë's wiki\n🎉")
        words = make_words_row(0, source="document", trust=0.1, writer="Zoë's wiki\n🎉", fingerprint=-(2**63))
        write(store, make_exchange(0, messages=[message], words=[words]))
        assert all_messages(store) == [message]
        rows = read(store)
        assert rows is not None
        assert comparable(rows.words) == comparable([words])

    @pytest.mark.parametrize("wrong", [{"source": "nobody"}, {"trust": 1.5}, {"trust": float("nan")}, {"trust": True}])
    def test_provenance_that_is_none_is_refused(self, store: Store, wrong: dict[str, object]) -> None:
        """Of a message and of a words row; nothing is stored."""
        for changes in (
            make_exchange(0, messages=[make_message(0, **wrong)]),
            make_exchange(0, words=[make_words_row(0, **wrong)]),
        ):
            with pytest.raises(InputError, match=r"source|trust"):
                write(store, changes)
        assert store.memory_ids() == []

    def test_who_wrote_what_is_counted(self, store: Store) -> None:
        """By source and writer, sorted, those without a writer first; of one memory."""
        mail = {"source": "document", "writer": "mail"}
        write(
            store, make_exchange(0, 1, 2, messages=[make_message(0), make_message(1, **mail), make_message(2, **mail)])
        )
        write(store, make_exchange(0, head=make_head(memory_id="bob")))
        with store.reading("alice") as view:
            assert view.origins() == [
                Origins(source="document", writer="mail", messages=2),
                Origins(source="user", writer=None, messages=1),
            ]
            assert view.edits() == []

    def test_operations_on_messages_are_noted(self, store: Store) -> None:
        """What was added, changed and deleted, as spans, with the counters after it; learning is not noted."""
        write(store, make_exchange(0, 1, 2, 5))
        write(store, Changes(head=head_of(store), learned=[make_learned(0)]))
        write(
            store, Changes(head=head_of(store), messages=[make_message(1, content="Another.")], deleted_messages=[0, 9])
        )
        write(store, Changes(head=head_of(store), event="reencode"))
        write(store, Changes(head=head_of(store), event="rollback", target=3))
        noted = JournalRow(version=1, added=((0, 2), (5, 5)), next_sequence=6, next_signal=6, created_at=NOON)
        assert journal_of(store) == [
            noted,
            replace(noted, version=3, added=(), changed=((1, 1),), removed=((0, 0),)),
            replace(noted, version=4, added=(), event="reencode"),
            replace(noted, version=5, added=(), event="rollback", target=3),
        ]

    def test_a_wipe_begins_the_journal_anew(self, store: Store) -> None:
        """Nothing of before can be asked for; the rules of quarantine go too; other memories keep theirs."""
        write(store, make_exchange(0))
        write(store, make_exchange(0, head=make_head(memory_id="bob")))
        write(store, Changes(head=head_of(store), quarantined=[_BY_MAIL]))
        write(store, Changes(head=replace(head_of(store), generation=1), wipe=True))
        assert [(entry.version, entry.event, entry.removed) for entry in journal_of(store)] == [(3, "reset", ())]
        assert len(journal_of(store, "bob")) == 1
        rows = read(store)
        assert rows is not None
        assert rows.quarantine == frozenset()

    def test_rules_of_quarantine_are_kept_until_they_are_released(self, store: Store) -> None:
        """All rules come with every reading; adding one twice changes nothing, nor does releasing an unknown one."""
        write(store, make_exchange(0))
        write(store, Changes(head=head_of(store), quarantined=[_BY_MAIL, _NAMELESS, _BY_MAIL]))
        for since in (None, 1, 2):
            rows = read(store, since=since)
            assert rows is not None
            assert rows.quarantine == {_BY_MAIL, _NAMELESS}
        other = Quarantine(field="message", value=7)
        write(store, Changes(head=head_of(store), released=[_BY_MAIL, other], quarantined=[_BY_MAIL]))
        write(store, Changes(head=head_of(store), released=[_NAMELESS]))
        rows = read(store)
        assert rows is not None
        assert rows.quarantine == {_BY_MAIL}

    def test_a_step_can_be_undone_from_its_entry(self, store: Store) -> None:
        """It says what weight, clock and uses were before, in which conversation it was, and its version."""
        write(store, make_exchange(0, 1))
        write(store, Changes(head=head_of(store), learned=[make_learned(1, conversation=-(2**63))]))
        write(store, Changes(head=head_of(store), learned=[make_learned(1, last_used_turn=20)]))
        with store.reading("alice") as view:
            told = [(one.version, one.old_last_used_turn, one.old_uses, one.conversation) for one in view.credits()]
        assert told == [(2, 1, 0, -(2**63)), (3, 10, 1, 0)]

    def test_a_rollback_deletes_what_was_logged_after_its_target(self, store: Store) -> None:
        """The log ends where the memory goes back to."""
        write(store, make_exchange(0, 1))
        for key in (0, 1, 0):
            write(store, Changes(head=head_of(store), learned=[make_learned(key)]))
        write(store, Changes(head=head_of(store), event="rollback", target=3))
        with store.reading("alice") as view:
            assert [(one.key, one.version) for one in view.credits()] == [(0, 2), (1, 3)]
