"""Loading many rows at once gives what putting them one by one gives."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.index.centroids import CentroidIndex
from streetai_core.index.columns import SignalColumns
from streetai_core.index.postings import Postings
from streetai_core.index.threads import CHAINED
from streetai_core.index.words import WordIndex
from streetai_core.types import ROLES
from tests.index.test_words import Line, entry, terms

PLACE = ("sequence", "chunk_index", "code", "start", "end", "block_start", "block_end")

lines = st.lists(
    st.tuples(st.integers(0, 12), st.sampled_from([None, "a", "b"]), terms, st.booleans()), min_size=1, max_size=20
)


@given(lines, st.lists(st.integers(0, 12), max_size=3), st.integers(0, 20), st.booleans())
def test_messages_at_once_are_messages_one_by_one(said, removed, cut, ascending):
    """Property: also in another order than they were said, again, and after some have gone."""
    if ascending:
        said = sorted({sequence: (sequence, *rest) for sequence, *rest in said}.values(), key=lambda one: one[0])
    entries = [
        entry(
            Line(sequence, conversation, text),
            author="Ilse" if named else None,
            replaces=(0,) if named else (),
            role=ROLES.index("user" if sequence % 3 else "tool"),
            rules=sequence % 4 + named,
        )
        for sequence, conversation, text, named in said
    ]
    one_by_one, at_once = WordIndex(), WordIndex()
    for some in (entries[:cut], entries[cut:]):
        for one in some:
            one_by_one.put(one)
        at_once.put_all(some)
        for index in (one_by_one, at_once):
            index.remove(removed)
        assert_same(one_by_one, at_once)


def assert_same(first, second):
    """Two word indexes give the same."""
    assert (len(first), first.size, first.authors, first.moves) == (
        len(second), second.size, second.authors, second.moves,
    )  # fmt: skip
    assert first.alive.tolist() == second.alive.tolist()
    alive = first.alive
    for name in ("sequence", "conversation", "author", "length", "timed", *CHAINED):
        assert first.column(name)[alive].tolist() == second.column(name)[alive].tolist(), name
    for rules in range(6):
        old = first.told_before(rules).tolist()
        assert old == sorted(first.column("sequence")[alive & (first.column("rules") < rules)].tolist())
        assert old == second.told_before(rules).tolist()
        assert len(old) == first.count_before(rules) == second.count_before(rules)
    assert first.replacements().tolist() == second.replacements().tolist()
    assert first.replaced() == second.replaced()
    assert [first.speaks(0), first.speaks(-1)] == [second.speaks(0), second.speaks(-1)]
    for question in ([1, 2, 3], [30], list(range(1, 40))):
        one, other = first.scores(question, 3), second.scores(question, 3)
        assert one.own.tolist() == other.own.tolist()
        assert one.around.tolist() == other.around.tolist()
        assert first.scores(question, 3, matters=[(1, 5, 9)]).told.tolist() == (
            second.scores(question, 3, matters=[(1, 5, 9)]).told.tolist()
        )


def test_many_postings_at_once_are_sorted_in():
    """A memory that is loaded has more postings than are kept unsorted."""
    random = np.random.default_rng(3)
    hashes = [np.unique(random.integers(0, 500, 40)).astype(np.uint32) for _ in range(1_000)]
    counts = [random.integers(1, 9, len(one)).astype(np.uint16) for one in hashes]
    one_by_one, at_once = Postings(), Postings()
    for row in range(1_000):
        one_by_one.add(row, hashes[row], counts[row])
    at_once.add_all(0, hashes[:10], counts[:10])
    at_once.add_all(10, hashes[10:], counts[10:])
    for term in range(500):
        for first, second in zip(one_by_one.find(term), at_once.find(term), strict=True):
            assert first.tolist() == second.tolist()


@given(st.lists(st.lists(st.integers(0, 9), max_size=6), max_size=4), st.lists(st.integers(0, 9), max_size=3))
def test_signals_and_stacks_at_once_are_those_one_by_one(batches, removed):
    """Property: keys that are there already, or twice in one batch, are replaced as one by one."""
    columns, stacks = (SignalColumns(4), SignalColumns(4)), (CentroidIndex(4), CentroidIndex(4))
    for number, keys in enumerate(batches):
        vectors = [np.eye(4, dtype=np.float32)[(key + number) % 4] for key in keys]
        places = [dict.fromkeys(PLACE, key + number) for key in keys]
        for key, vector, place in zip(keys, vectors, places, strict=True):
            columns[0].put(key, vector, place)
            stacks[0].put(key, vector, key)
            columns[0].weigh(key, base_weight=key / 2, last_used_turn=key, uses=number, stack=1)
        columns[1].put_all(keys, vectors, places)
        stacks[1].put_all(keys, vectors, keys)
        changing = {"last_used_turn": keys, "uses": [number] * len(keys), "stack": [1] * len(keys)}
        columns[1].weigh_all(keys, [key / 2 for key in keys], changing)
        for one in (*columns, *stacks):
            one.remove(removed)
        assert columns[0].vectors.tolist() == columns[1].vectors.tolist()
        assert columns[0].base.tolist() == columns[1].base.tolist()
        for name in ("key", "last_used_turn", "uses", "stack", *PLACE):
            assert columns[0].column(name).tolist() == columns[1].column(name).tolist()
        assert stacks[0].keys == stacks[1].keys
        assert stacks[0].centroids.tolist() == stacks[1].centroids.tolist()
        assert [stacks[0].size(key) for key in range(10)] == [stacks[1].size(key) for key in range(10)]


def test_centroids_put_at_once_are_those_put_one_by_one():
    """To the bit: a memory that was loaded goes on as the one that wrote it, ties included."""
    random = np.random.default_rng(3)
    totals = random.normal(size=(300, 24)).astype(np.float32) * random.integers(0, 50, size=(300, 1)).astype(np.float32)
    one, other = CentroidIndex(24), CentroidIndex(24)
    one.put_all(list(range(300)), totals, [1] * 300)
    for key, total in enumerate(totals):
        other.put(key, total, 1)
    assert one.centroids.tobytes() == other.centroids.tobytes()
    assert not totals[totals.any(axis=1) == 0].any()


@given(
    st.lists(st.sets(st.sampled_from([1, 2, 3, 7, 7 + (1 << 16)]), max_size=4), max_size=8),
    st.lists(st.sampled_from([1, 2, 7, 7 + (1 << 16), 9]), min_size=1, max_size=5, unique=True),
    st.integers(0, 8),
    st.booleans(),
)
def test_postings_of_some_terms_are_those_of_each(rows, wanted, cut, sort):
    """Property: whether they are sorted, still unsorted or new; also of terms whose hashes have the same low bits."""
    filled, later = rows[:cut], rows[cut:]
    terms = [np.array(sorted(row), dtype=np.uint32) for row in rows]
    postings = Postings()
    numbers = np.repeat(np.arange(len(filled)), [len(row) for row in filled])
    every = np.concatenate([np.zeros(0, dtype=np.uint32), *terms[:cut]])
    postings.fill(every, numbers, np.ones(len(every), dtype=np.uint16))
    for row in range(len(filled), len(filled) + len(later)):
        postings.add(row, terms[row], np.full(len(terms[row]), 2, dtype=np.uint16))
    for _ in range(99 * sort):
        postings.find(1)
    found = sorted(zip(*(values.tolist() for values in postings.find_any(wanted)), strict=True))
    each = [zip(*(values.tolist() for values in postings.find(term)), strict=True) for term in wanted]
    assert found == sorted(pair for one in each for pair in one)
