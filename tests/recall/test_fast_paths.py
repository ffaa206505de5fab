"""What recall leaves out to be quick changes no answer: beside each short way stands the plain one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streetai_core import Config
from streetai_core.index.alignment import aligned, extended
from streetai_core.index.columns import SignalColumns
from streetai_core.index.words import WordIndex
from streetai_core.recall.hits import RankedHits
from streetai_core.recall.naming import named
from streetai_core.recall.repetition import without_repetitions
from streetai_core.recall.topmost import topmost
from streetai_core.testing.factories import make_message
from streetai_core.text.names import said_words
from streetai_core.types import ROLES
from tests.index.test_bulk import PLACE
from tests.index.test_words import Line, entry
from tests.recall.saying import Said, ask, parts_of, state_of
from tests.recall.test_parts import QUESTIONS, memories

values = st.lists(st.sampled_from([-1.0, 0.0, 0.25, 0.5, 0.75, 1.0]), max_size=60)


@given(values, st.integers(0, 70), st.sampled_from([0.0, 0.25, 0.3]), st.integers(0, 99))
def test_the_topmost_are_those_that_sorting_finds(some, wanted, within, seed):
    """Property: with ties, which sorting would cut anywhere, all that tie are there."""
    array = np.array(some, dtype=np.float64)
    allowed = np.random.default_rng(seed).random(len(array)) < 0.7
    rows = np.flatnonzero(allowed)
    best = sorted(array[rows].tolist(), reverse=True)[:wanted]
    expected = [row for row in rows.tolist() if best and array[row] >= best[-1] - within]
    if wanted >= len(rows):
        expected = rows.tolist()
    assert topmost(array, wanted, within=within, allowed=allowed).tolist() == expected


@pytest.mark.parametrize("kind", ["spread", "sorted", "equal", "few high", "periodic"])
@pytest.mark.parametrize("wanted", [1, 25, 356, 9_999, 10_000])
def test_guessing_where_the_best_begin_loses_none(kind, wanted):
    """The sample sees one value in sixteen: an order that follows its step, or hides the best, must not mislead it."""
    random = np.random.default_rng(8)
    array = {
        "spread": random.normal(size=10_000),
        "sorted": np.arange(10_000) / 10_000,
        "equal": np.full(10_000, 0.5),
        "few high": np.where(np.arange(10_000) == 17, 1.0, random.random(10_000) / 100),
        "periodic": (np.arange(10_000) % 16 == 0) + random.random(10_000),
    }[kind]
    last = np.sort(array)[::-1][wanted - 1]
    assert topmost(array, wanted).tolist() == np.flatnonzero(array >= last).tolist()


@given(memories, st.sampled_from(QUESTIONS), st.sampled_from(["hybrid", "vector", "keyword"]), st.integers(1, 12))
def test_a_shallow_ranking_is_the_beginning_of_a_deep_one(said, text, strategy, depth):
    """Property: only candidates get parts and activation; those left out must be those that come last anyway."""
    config = Config(strategy=strategy, activation_share=0.3)
    state = state_of(*said)
    whole, cut = (ask(state, text, config=config, depth=one) for one in (10_000, depth))
    assert cut.rows.tolist() == whole.rows[: len(cut.rows)].tolist()
    assert len(cut.rows) >= min(depth, len(whole.rows))
    np.testing.assert_allclose(cut.scores, whole.scores[: len(cut.rows)], rtol=0, atol=1e-12)
    left = parts_of(cut)
    for name, part in parts_of(whole).items():
        np.testing.assert_allclose(left[name], part[: len(cut.rows)], rtol=0, atol=1e-12)
    assert cut.passed.tolist() == whole.passed[: len(cut.rows)].tolist()


@given(
    st.lists(st.lists(st.sampled_from([-0.5, 0.0, 0.5, 0.9]), max_size=4), max_size=12),
    st.integers(0, 12),
    st.randoms(use_true_random=False),
)
def test_an_alignment_that_grew_is_the_one_made_at_once(pieces, known, random):
    """Property: signals are looked up once; a piece that goes to another message would lend it foreign words."""
    at = np.array([row for row, one in enumerate(pieces) for _ in one], dtype=np.intp)
    places = np.array([place for one in pieces for place in range(len(one))], dtype=np.int64)
    cosines = np.array([cosine for one in pieces for cosine in one])
    at_once = aligned(at, places, len(pieces))
    known = min(known, len(pieces))
    before = int((at < known).sum())
    grown = extended(aligned(at[:before], places[:before], known), at[before:], places[before:], len(pieces))
    shuffled = np.array(random.sample(range(len(at)), len(at)), dtype=np.intp)
    mixed = aligned(at[shuffled], places[shuffled], len(pieces))
    for one, order in ((at_once, np.arange(len(at))), (grown, np.arange(len(at))), (mixed, shuffled)):
        near = one.nearness(cosines[order])
        assert near.nearest.tolist() == [max(each, default=-1.0) for each in pieces]
        assert near.several.tolist() == [row for row, each in enumerate(pieces) if len(each) > 1]
        np.testing.assert_allclose(near.total, [sum(each) for each in pieces if len(each) > 1])
        assert [int(one.at[signal]) if signal >= 0 else None for signal in one.standing] == [
            row if each else None for row, each in enumerate(pieces)
        ]
        some = np.array(sorted(random.sample(range(len(pieces)), random.randint(0, len(pieces)))), dtype=np.intp)
        assert one.signals_of(some).tolist() == np.flatnonzero(np.isin(one.at, some)).tolist()
        first = np.cumsum([0, *(len(each) for each in pieces)])
        for leaders in (near.leaders, one.leaders(cosines[order])):
            assert [int(order[signal]) if signal >= 0 else None for signal in leaders] == [
                int(first[row]) + each.index(max(each)) if each else None for row, each in enumerate(pieces)
            ]


@pytest.mark.parametrize("most", [1, 10, 40, 200])
def test_repetitions_are_those_that_comparing_one_by_one_finds(most):
    """In blocks or one by one: a signal goes if a better one that stays says the same."""
    random = np.random.default_rng(4)
    vectors = random.normal(size=(30, 16))[random.integers(0, 30, 150)] + random.normal(size=(150, 16)) * 0.05
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    rows = random.permutation(150)
    chosen = []
    for place, row in enumerate(rows):
        if len(chosen) < most and all(vectors[rows[one]] @ vectors[row] < 0.98 for one in chosen):
            chosen.append(place)
    columns = SignalColumns(16)
    columns.put_all(list(range(150)), list(vectors), [dict.fromkeys(PLACE, 0)] * 150)
    assert without_repetitions(columns, rows, 0.98, most).tolist() == chosen


words_of_names = st.sampled_from([
    "Nora", "nora", "NORA", "Lind", "Nora-Lind", "Ben", "J", "S.", "Dr.", "Project", "Manager", "user", "User", "Will",
    "the", "01", "7", "José", "Jose\u0301", "jose", "Weiß", "WEISS", "Семён", "семен", "प्रिया", "মিতা", "まりこ", "王",
    "محمد", "O'Brien", "Nora's", "Ben\u2019s", "SPEAKER_01", "\u0640", "...",
])  # fmt: skip
spellings = st.sampled_from([str, str.lower, str.upper, str.title, "{}'s".format, "{}?".format, "({}),".format])
called = st.one_of(
    st.lists(words_of_names, min_size=1, max_size=4).map(" ".join),
    st.tuples(words_of_names, words_of_names).map("-".join),
    st.text(min_size=1, max_size=6),
)


@settings(max_examples=300)
@given(
    st.lists(st.tuples(called, st.sampled_from(["user", "assistant", "tool"])), max_size=14),
    st.lists(st.tuples(called, spellings), max_size=6),
    st.integers(0, 14),
    st.sets(st.integers(0, 13), max_size=4),
)
def test_whom_a_question_names_is_found_as_by_trying_each(spoke, asked, cut, gone):
    """Property: also with names that are parts of others, whatever the order they come in, and when some have gone."""
    entries = [
        entry(Line(number, None, (1,)), author=name, role=ROLES.index(role))
        for number, (name, role) in enumerate(spoke)
    ]
    first = index = WordIndex()
    first.put_all(entries[:cut])
    if first.size:
        index = WordIndex()
        index.restore(*first.image())
    index.put_all(entries[cut:])
    index.remove(gone)
    others = [(name, str) for name, _ in spoke[:3]]
    for some in (asked, asked + others):
        words = said_words(" ".join(spell(name) for name, spell in some))
        plainly = [(one, number) for one, number in index.authors.items() if words.name(one) and index.speaks(number)]
        assert list(named(index, words).items()) == plainly


def test_stacks_that_nobody_asks_for_are_not_searched():
    """`retrieve` shows no stacks; the ranking must not depend on whether they are asked for."""
    state = state_of(*(Said(text=f"berth {n}", cosine=n / 10) for n in range(8)))
    assert ask(state, "berth").scores.tolist() == ask(state, "berth", stacks=False).scores.tolist()


def test_hits_that_are_made_when_they_are_asked_for_are_those_of_their_places():
    """A prompt asks for them in another order, some twice and some never; a message that is not there has none."""
    state = state_of(*(Said(text=f"berth {n}", cosine=n / 10) for n in range(6)))
    ranking = ask(state, "berth")
    places, gone = [5, 0, 3, 1], 3
    ranked = state.columns.column("sequence")[ranking.rows].tolist()
    sequences = [n for place, n in enumerate(ranked) if place != gone]
    messages = {n: make_message(n, content=f"berth {n}") for n in sequences}
    hits = RankedHits(state, ranking, places, messages, question="berth", asked_in="desk")
    sequences = [ranked[place] for place in places if place != gone]
    assert len(hits) == len(sequences) == len(places) - 1
    assert [hit.signal.parent_turn_id for hit in hits] == [messages[n].message_id for n in sequences]
    assert [one.message_id for one in hits.said] == [hit.signal.parent_turn_id for hit in hits]
    assert hits.scores == [hit.score for hit in hits]
    assert all(sum(hit.parts.values()) == pytest.approx(hit.score) for hit in hits)
    assert [hits[-1], hits[0], hits[0]] == [list(hits)[place] for place in (-1, 0, 0)]
    assert hits[1:] == list(hits)[1:]
    with pytest.raises(IndexError):
        hits[3]
    assert {(hit.question, hit.asked_in) for hit in hits} == {("berth", "desk")}
