"""What every store has to keep exactly, and what it has to refuse: the part of `StoreSuite` about values."""

# ruff: noqa: S101 - assert is how a pytest suite reports; the library itself never imports this module
# ruff: noqa: PLR2004 - numbers worked out by hand are the point

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from itertools import count
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streetai_core.errors import InputError, VectorError
from streetai_core.stores.base import Store
from streetai_core.stores.types import Changes, MessageQuery
from streetai_core.testing.factories import (
    DIM,
    NOON,
    make_exchange,
    make_head,
    make_learned,
    make_message,
    make_signal_row,
    make_stack_row,
    make_vector,
    make_weight_row,
)
from streetai_core.testing.hostile_ids import HOSTILE_IDS
from streetai_core.testing.store_reading import all_messages, comparable, read, write

_names = count()
"""Every example of a property writes to a memory of its own."""

_PROPERTY = settings(
    deadline=None,
    max_examples=50,
    # The store is shared by the examples on purpose, and the suite is inherited by several classes.
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
)

_STORABLE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=80)
"""Everything but NUL and surrogates: control characters, marks, other planes."""

_WRITABLE = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
"""Text in metadata may have a NUL, which JSON has an escape for."""

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _WRITABLE,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_WRITABLE, inner, max_size=4),
    max_leaves=12,
)

_MOMENTS = st.datetimes(
    # A year from the ends, so that every offset stays inside them in UTC.
    min_value=datetime(2, 1, 1),  # noqa: DTZ001 - the zone is drawn too
    max_value=datetime(9998, 1, 1),  # noqa: DTZ001 - as above
    timezones=st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes))),
)

_QUERIES = st.builds(
    MessageQuery,
    sequences=st.none() | st.lists(st.integers(-1, 14)),
    message_id=st.none() | st.sampled_from(["message-3", "message-9", "nobody", "", "\ud800"]),
    conversation_id=st.none() | st.sampled_from(["work", "home", "", "nowhere"]),
    any_conversation=st.booleans(),
    roles=st.none() | st.lists(st.sampled_from(["user", "assistant", "system", "nobody"])),
    before=st.none() | st.integers(-1, 14),
    after=st.none() | st.integers(-1, 14),
    last=st.none() | st.integers(0, 14),
) | st.builds(
    MessageQuery,
    conversation_id=st.none() | st.sampled_from(["work", "home"]),
    any_conversation=st.booleans(),
    after=st.none() | st.integers(-1, 14),
    first=st.integers(0, 14),
)


class StoreInputs:
    """Tests of values. They take the fixture `store` of `StoreSuite`."""

    # ------------------------------------------------------------- kept exactly

    @_PROPERTY
    @given(content=_STORABLE, name=st.none() | _STORABLE, conversation=st.none() | _STORABLE)
    def test_text_comes_back_exactly(
        self, store: Store, content: str, name: str | None, conversation: str | None
    ) -> None:
        """Content, author and conversation are the same characters, and the conversation is found by its id."""
        head = make_head(memory_id=f"text {next(_names)}")
        message = make_message(0, content=content, name=name, conversation_id=conversation)
        write(store, Changes(head=head, messages=[message]))
        found = all_messages(store, head.memory_id, any_conversation=False, conversation_id=conversation)
        assert found == [message]

    @_PROPERTY
    @given(metadata=st.dictionaries(_WRITABLE, _JSON, max_size=4))
    def test_metadata_comes_back_exactly(self, store: Store, metadata: dict[str, Any]) -> None:
        """JSON values keep type and value; whole numbers of any size too."""
        head = make_head(memory_id=f"metadata {next(_names)}")
        write(store, Changes(head=head, messages=[make_message(0, metadata=metadata)]))
        kept = all_messages(store, head.memory_id)[0].metadata
        assert kept == metadata
        assert _types(kept) == _types(metadata)

    @_PROPERTY
    @given(moment=_MOMENTS)
    def test_a_time_comes_back_exactly(self, store: Store, moment: datetime) -> None:
        """The same moment to the microsecond, on the same day: as far from UTC as it was."""
        head = make_head(memory_id=f"time {next(_names)}")
        write(store, Changes(head=head, messages=[make_message(0, created_at=moment)]))
        kept = all_messages(store, head.memory_id)[0].created_at
        assert kept == moment
        assert kept.utcoffset() == moment.utcoffset()
        assert kept.date() == moment.date()

    def test_a_time_without_a_zone_is_utc(self, store: Store) -> None:
        """Noon without a zone is noon in UTC."""
        write(store, Changes(head=make_head(), messages=[make_message(0, created_at=NOON.replace(tzinfo=None))]))
        assert all_messages(store)[0].created_at == NOON

    def test_whole_numbers_beyond_64_bits_stay_whole(self, store: Store) -> None:
        """Metadata is JSON, where a number has any number of digits."""
        metadata = {"large": 2**63, "larger": 10**100, "negative": -(2**64), "nested": [{"n": 3**200}]}
        write(store, Changes(head=make_head(), messages=[make_message(0, metadata=metadata)]))
        assert all_messages(store)[0].metadata == metadata

    def test_metadata_that_looks_like_an_object_stays_a_dict(self, store: Store) -> None:
        """Keys by which a framework would revive objects are nothing special here."""
        metadata = {"lc": 1, "type": "constructor", "id": ["os", "system"], "kwargs": {"__class__": "x"}}
        write(store, Changes(head=make_head(), messages=[make_message(0, metadata=metadata)]))
        assert all_messages(store)[0].metadata == metadata

    def test_vectors_come_back_to_the_last_bit(self, store: Store) -> None:
        """Extremes of float32 included; a zero vector is kept as one."""
        extremes = np.array([np.finfo(np.float32).max, np.finfo(np.float32).tiny, -1e-45, -0.0], dtype=np.float32)
        vectors = [extremes, np.zeros(DIM, dtype=np.float32), make_vector(7)]
        changes = make_exchange(0, signals=[make_signal_row(key, 0, vector=v) for key, v in enumerate(vectors)])
        write(store, replace(changes, weights=[make_weight_row(key) for key in range(3)]))
        rows = read(store)
        assert rows is not None
        assert [signal.vector.tobytes() for signal in rows.signals] == [vector.tobytes() for vector in vectors]
        assert {signal.vector.dtype for signal in rows.signals} == {np.dtype(np.float32)}

    def test_what_is_stored_is_a_copy(self, store: Store) -> None:
        """Changing an array or a dict after it was stored changes nothing in the store."""
        vector, total, metadata = make_vector(1), make_vector(2), {"tags": ["a"]}
        changes = make_exchange(
            0,
            messages=[make_message(0, metadata=metadata)],
            signals=[make_signal_row(0, vector=vector)],
            stacks=[make_stack_row(0, total=total)],
        )
        write(store, changes)
        vector[:], total[:] = 9.0, 9.0
        metadata["tags"].append("b")
        rows = read(store)
        assert rows is not None
        assert comparable(rows.signals[0].vector) == comparable(make_vector(1))
        assert comparable(rows.stacks[0].total) == comparable(make_vector(2))
        assert all_messages(store)[0].metadata == {"tags": ["a"]}

    # ----------------------------------------------------------------- refused

    @pytest.mark.parametrize(
        "vector",
        [
            np.array([1.0, float("nan"), 0.0, 0.0], dtype=np.float32),
            np.array([float("inf"), 0.0, 0.0, 0.0], dtype=np.float32),
            make_vector(1, dim=DIM + 1),
            make_vector(1).reshape(1, DIM),
            make_vector(1).astype(np.float64),
            make_vector(1).astype(">f4"),
            [1.0, 0.0, 0.0, 0.0],
            None,
        ],
        ids=["NaN", "infinity", "too long", "matrix", "float64", "big-endian", "list", "None"],
    )
    @pytest.mark.parametrize("where", ["signals", "stacks"])
    def test_a_wrong_vector_is_refused_before_anything_is_written(
        self, store: Store, vector: object, where: str
    ) -> None:
        """Only finite native float32 or float16 of the memory's dimension is stored; else nothing is."""
        row = make_signal_row(1, vector=vector) if where == "signals" else make_stack_row(1, total=vector)
        wrong: dict[str, Any] = {where: [row]}
        with pytest.raises(VectorError):
            write(store, make_exchange(0, 1, **wrong))
        assert read(store) is None
        assert store.memory_ids() == []

    def test_a_vector_needs_a_dimension(self, store: Store) -> None:
        """A head without one cannot have vectors."""
        with pytest.raises(VectorError):
            write(store, make_exchange(0, head=make_head(dim=None)))

    @pytest.mark.parametrize(
        "wrong",
        [
            {"weights": [make_weight_row(0, base_weight=float("nan"))]},
            {"weights": [make_weight_row(0, base_weight=float("inf"))]},
            {"learned": [make_learned(0, factor=float("nan"))]},
            {"learned": [make_learned(0, contribution=float("inf"))]},
            {"messages": [make_message(0, content="a\0b")]},
            {"messages": [make_message(0, content="\ud800")]},
            {"messages": [make_message(0, name="\udfff")]},
            {"messages": [make_message(0, conversation_id="a\0")]},
            {"messages": [make_message(0, message_id="\ud83c")]},
            {"messages": [make_message(0, created_at="2026-03-01")]},
            {"messages": [make_message(0, created_at=datetime.min.replace(tzinfo=timezone(timedelta(hours=1))))]},
            {"head": make_head(memory_id="bob")},
        ],
    )
    def test_what_cannot_be_kept_is_refused_before_anything_is_written(
        self, store: Store, wrong: dict[str, Any]
    ) -> None:
        """Numbers that are not finite, text with NUL or surrogates, no time, another memory's head."""
        changes = replace(make_exchange(0), **wrong)
        with store.writing("alice") as writing, pytest.raises(InputError):
            writing.apply(changes, now=NOON)
        assert store.memory_ids() == []

    @pytest.mark.parametrize(
        "metadata",
        [
            {1: "a"},
            {None: "a"},
            {"a": {2: "b"}},
            {"a": (1, 2)},
            {"a": {1, 2}},
            {"a": b"bytes"},
            {"a": float("nan")},
            {"a": [float("inf")]},
            {"a": object()},
            {"a": NOON},
            {"a": np.float32(1.0)},
            {"a": "\ud800"},
            {"\ud800": "a"},
            {"a": 10**5000},
            [("a", 1)],
            None,
        ],
        ids=[
            *("int key", "None key", "inner int key", "tuple", "set", "bytes", "NaN", "infinity", "object", "datetime"),
            *("NumPy number", "surrogate", "surrogate in key", "too many digits", "pairs", "None"),
        ],
    )
    def test_metadata_that_is_not_json_is_refused(self, store: Store, metadata: Any) -> None:
        """Nothing that JSON would change or lose is taken, at any depth."""
        with pytest.raises(InputError, match="metadata"):
            write(store, Changes(head=make_head(), messages=[make_message(0, metadata=metadata)]))
        assert store.memory_ids() == []

    def test_metadata_without_end_is_refused(self, store: Store) -> None:
        """A list in itself, and lists too deep to be read back, are an error instead of a crash."""
        endless: list[Any] = []
        endless.append(endless)
        with pytest.raises(InputError, match="nested"):
            write(store, Changes(head=make_head(), messages=[make_message(0, metadata={"a": endless})]))

    @pytest.mark.parametrize("memory_id", ["", "a\0b", "\ud800", "x" * 513, "🎉" * 129, None, 7, b"alice"])
    def test_an_impossible_id_is_refused(self, store: Store, memory_id: Any) -> None:
        """Ids are 1 to 512 bytes of text without NUL and surrogates."""
        for block in (store.reading, store.writing):
            with pytest.raises(InputError, match="memory_id"), block(memory_id):
                pytest.fail("the block was entered")
        assert store.memory_ids() == []

    # --------------------------------------------------------------- isolation

    def test_ids_are_never_taken_for_each_other(self, store: Store) -> None:
        """Under 50 look-alike ids, each memory has its own rows; deleting or wiping one leaves the others."""
        assert len(set(HOSTILE_IDS)) == len(HOSTILE_IDS) >= 50
        for number, memory_id in enumerate(HOSTILE_IDS):
            message = make_message(number, content=f"only of {number}", conversation_id=memory_id)
            write(store, make_exchange(number, head=make_head(memory_id=memory_id), messages=[message]))
        assert store.memory_ids() == sorted(HOSTILE_IDS)
        for number, memory_id in enumerate(HOSTILE_IDS):
            self._check_only(store, memory_id, number)
        for memory_id in HOSTILE_IDS[::2]:
            with store.writing(memory_id) as writing:
                assert writing.head is not None
                writing.apply(Changes(head=writing.head, wipe=True), now=NOON)
        for number, memory_id in enumerate(HOSTILE_IDS):
            if number % 2:
                self._check_only(store, memory_id, number)
            else:
                assert all_messages(store, memory_id) == []

    @staticmethod
    def _check_only(store: Store, memory_id: str, number: int) -> None:
        """The memory has message `number`, by every way of asking, and nothing else."""
        for query in ({}, {"conversation_id": memory_id, "any_conversation": False}):
            assert [message.content for message in all_messages(store, memory_id, **query)] == [f"only of {number}"]
        rows = read(store, memory_id)
        assert rows is not None
        assert rows.head.memory_id == memory_id
        assert [signal.key for signal in rows.signals] == [number]
        assert [weight.key for weight in rows.weights] == [number]

    # ----------------------------------------------------------------- queries

    @_PROPERTY
    @given(query=_QUERIES)
    def test_queries_find_what_a_loop_over_all_messages_finds(self, store: Store, query: MessageQuery) -> None:
        """All conditions together, in order of sequence, then the first or the last so many."""
        conversations, roles = ["work", None, "home", ""], ["user", "assistant", "system"]
        written = [
            make_message(number, conversation_id=conversations[number % 4], role=roles[number % 3])
            for number in range(12)
        ]
        if not store.memory_ids():
            write(store, Changes(head=make_head(), messages=written[::-1]))
        expected = [
            message
            for message in written
            if (query.sequences is None or message.sequence in query.sequences)
            and (query.message_id is None or message.message_id == query.message_id)
            and (query.any_conversation or message.conversation_id == query.conversation_id)
            and (query.roles is None or message.role in query.roles)
            and (query.before is None or message.sequence < query.before)
            and (query.after is None or message.sequence > query.after)
        ][: query.first]
        if query.last is not None:
            expected = expected[max(0, len(expected) - query.last) :]
        with store.reading("alice") as view:
            assert view.messages(query) == expected

    def test_a_query_may_name_any_number_of_messages(self, store: Store) -> None:
        """More than a database takes parameters, most of them unknown, some twice."""
        write(store, make_exchange(*range(40)))
        found = all_messages(store, sequences=[*range(300_000), 5, 5])
        assert [message.sequence for message in found] == list(range(40))


def _types(value: Any) -> Any:
    """The types inside a JSON value, which `==` does not tell apart: True and 1, 1 and 1.0."""
    if isinstance(value, dict):
        return {key: _types(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_types(item) for item in value]
    return type(value)
