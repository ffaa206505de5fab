"""The SQLite store and the dicts agree: the same changes, right or wrong, leave the same rows."""

from dataclasses import replace
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streetai_core.errors import InputError, StoreError
from streetai_core.stores.provenance import Quarantine
from streetai_core.stores.reference import ReferenceStore
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.stores.types import Changes, MessageQuery
from streetai_core.testing.factories import (
    NOON,
    make_cue_row,
    make_days,
    make_exchange,
    make_head,
    make_learned,
    make_message,
    make_signal_row,
    make_stack_row,
    make_terms,
    make_vector,
    make_weight_row,
    make_words_row,
)
from streetai_core.testing.store_reading import comparable, write
from streetai_core.types import SOURCES

_SEQUENCES = st.integers(0, 5)
_KEYS = st.integers(0, 7)
_NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
_TURNS = st.integers(0, 2**62)
_TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)

_MESSAGES = st.builds(
    make_message,
    _SEQUENCES,
    content=_TEXTS,
    conversation_id=st.none() | _TEXTS,
    role=st.sampled_from(["user", "assistant", "tool"]),
    turn=_TURNS,
    metadata=st.dictionaries(_TEXTS, _NUMBERS | _TEXTS, max_size=2),
    source=st.sampled_from(SOURCES),
    # The last is refused.
    trust=st.sampled_from([0, 0.5, 1.0, 1.0, 1.5]),
    writer=st.none() | _TEXTS,
)
_RULES = st.builds(Quarantine, field=st.just("source"), value=st.sampled_from(SOURCES)) | st.builds(
    Quarantine, field=st.sampled_from(["conversation", "writer"]), value=st.none() | _TEXTS
)
# An id that another message has, or that the message did not have.
_RENAMED = st.builds(lambda message, name: replace(message, message_id=name), _MESSAGES, st.sampled_from("ab"))
_SIGNALS = st.builds(
    make_signal_row, _KEYS, _SEQUENCES, vector=st.integers(0, 20).map(lambda n: make_signal_row(n).vector)
)
_WEIGHTS = st.builds(make_weight_row, _KEYS, base_weight=_NUMBERS, last_used_turn=_TURNS, uses=_KEYS, stack=_KEYS)
_LEARNED = st.builds(
    make_learned,
    _KEYS,
    factor=_NUMBERS,
    low=_NUMBERS,
    high=_NUMBERS,
    last_used_turn=_TURNS,
    used=st.booleans(),
    contribution=_NUMBERS,
)
_WORDS = st.builds(
    make_words_row,
    _SEQUENCES,
    conversation_id=st.none() | _TEXTS,
    name=st.none() | _TEXTS,
    characters=_TURNS,
    # The last is out of order, and refused.
    terms=st.sampled_from([*[make_terms(1, 2), make_terms(5, 2**32 - 1)] * 4, make_terms(2, 1)]),
    days=st.sampled_from([make_days(), make_days((1, 9), (4, 4))]),
    replaces=st.lists(_SEQUENCES, max_size=2),
)
_CUES = st.builds(
    make_cue_row, _KEYS, st.integers(-2, 2), version=st.just(0) | _TURNS, vector=st.integers(0, 3).map(make_vector)
)
_STACKS = st.builds(make_stack_row, _KEYS, size=_TURNS)
_CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "messages": st.lists(_MESSAGES, max_size=4) | st.lists(_RENAMED, max_size=2),
        "signals": st.lists(_SIGNALS, max_size=4),
        "words": st.lists(_WORDS, max_size=3),
        "weights": st.lists(_WEIGHTS, max_size=4),
        "learned": st.lists(_LEARNED, max_size=4),
        "cues": st.lists(_CUES, max_size=3),
        "stacks": st.lists(_STACKS, max_size=3),
        "deleted_messages": st.lists(_SEQUENCES, max_size=2),
        "deleted_signals": st.lists(_KEYS, max_size=2),
        "deleted_stacks": st.lists(_KEYS, max_size=2),
        "deleted_cues": st.lists(st.tuples(_KEYS, st.integers(-2, 2)), max_size=2),
        "wipe": st.sampled_from([False, False, True]),
        "quarantined": st.lists(_RULES, max_size=3),
        "released": st.lists(_RULES, max_size=3),
        "event": st.sampled_from(["", "", "reencode", "rollback"]),
        "target": st.none() | st.integers(-1, 9),
    },
)
_STEPS = st.lists(st.tuples(st.sampled_from(["alice", "bob"]), _CHANGES), max_size=8)

_runs = count()
"""Each example has memories of its own in the one file."""


@pytest.fixture
def stores(tmp_path):
    """A store of each kind, both empty."""
    with ReferenceStore() as reference, SqliteStore(tmp_path / "agreement.db", durability="fast") as sqlite:
        yield reference, sqlite


@settings(
    max_examples=120,
    # The examples share the stores on purpose; their memories have other names.
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=_STEPS, since=st.integers(-1, 10))
def test_the_same_changes_leave_the_same_rows(stores, steps, since):
    """From five messages on, after each step: same head or refusal; then same rows, deltas, messages and logs."""
    run = next(_runs)
    for store in stores:
        for name in ("alice", "bob"):
            write(store, make_exchange(*range(5), head=make_head(memory_id=f"{name} {run}")))
    for name, values in steps:
        outcomes = [_outcome(store, f"{name} {run}", values) for store in stores]
        assert comparable(outcomes[1]) == comparable(outcomes[0])
    for name in ("alice", "bob"):
        reference, sqlite = (_everything(store, f"{name} {run}", since) for store in stores)
        assert sqlite == reference
    assert stores[0].memory_ids() == stores[1].memory_ids()


def _outcome(store, memory_id, values):
    """The new head, or that it was refused."""
    with store.writing(memory_id) as writing:
        head = writing.head or make_head(memory_id=memory_id)
        try:
            return writing.apply(Changes(head=replace(head, next_turn=head.next_turn + 1), **values), now=NOON)
        except (InputError, StoreError):
            return "refused"


def _everything(store, memory_id, since):
    """All that can be read of a memory."""
    with store.reading(memory_id) as view:
        return [
            comparable(part)
            for part in (
                view.rows(None),
                view.rows(since),
                view.messages(MessageQuery()),
                view.messages(MessageQuery(last=2)),
                view.credits(),
                view.credits(3),
                [replace(entry, digest="") for entry in view.journal()],
                view.origins(),
                view.edits(),
            )
        ]
