"""The word index: scores as a direct calculation gives them, whatever was added, replaced and removed before."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.index.bm25 import K1, LEAST_RARITY, B
from streetai_core.index.filling import WordsEntry
from streetai_core.index.threads import ENOUGH, FARTHEST
from streetai_core.index.words import WordIndex
from streetai_core.text.marks import CHANGE, TOLD, WISH, marked

VOCABULARY = list(range(1, 40))
BETWEEN = 10
"""Sequences from one message that is added to the next."""
NO_DAYS = np.zeros((0, 2), dtype=np.int32)


@dataclass(frozen=True)
class Line:
    """A message as the direct calculation sees it."""

    sequence: int
    conversation: str | None
    terms: tuple[int, ...]


def entry(line: Line, **changes) -> WordsEntry:
    """A message as the index takes it."""
    hashes, counts = np.unique(np.array(line.terms, dtype=np.uint32), return_counts=True)
    made = WordsEntry(
        sequence=line.sequence,
        conversation=line.conversation,
        author=None,
        characters=len(line.terms),
        day=1,
        question=False,
        terms=hashes,
        counts=counts.astype(np.uint16),
        days=NO_DAYS,
    )
    return replace(made, **changes)


def idf(number: int, having: int) -> float:
    """How much a term tells."""
    return math.log(1 + (number - having + 0.5) / (having + 0.5))


def directly(lines: list[Line], question: set[int]) -> dict[int, tuple[float, float, float]]:
    """Own, around, and what of around is due to own words, of every message, by the formula and nothing else."""
    lines = sorted(lines, key=lambda line: line.sequence)
    wide = []
    threads: dict[str | None, list[Line]] = {}
    for line in lines:
        threads.setdefault(line.conversation, []).append(line)
    places = {line.sequence: at for thread in threads.values() for at, line in enumerate(thread)}
    for line in lines:
        thread, at = threads[line.conversation], places[line.sequence]
        for distance in range(1, FARTHEST + 1):
            text = [term for one in thread[max(0, at - distance) : at + distance + 1] for term in one.terms]
            if len(text) >= ENOUGH:
                break
        wide.append(text)
    own = [list(line.terms) for line in lines]
    most = sum(idf(len(lines), sum(term in text for text in own)) for term in question)

    def rarity(texts: list[list[int]], term: int) -> float:
        having, around = (sum(term in text for text in some) for some in (own, texts))
        return max(idf(len(lines), around), LEAST_RARITY * idf(len(lines), having))

    def scores(texts: list[list[int]], counted: list[list[int]]) -> list[float]:
        mean = sum(map(len, texts)) / len(texts) or 1.0
        rarities = {term: rarity(texts, term) for term in question}
        return [
            sum(
                rare * words.count(term) * (K1 + 1) / (text.count(term) + K1 * (1 - B + B * len(text) / mean))
                for term, rare in rarities.items()
            )
            / most
            for text, words in zip(texts, counted, strict=True)
        ]

    ways = (scores(own, own), scores(wide, wide), scores(wide, own))
    return {line.sequence: found for line, found in zip(lines, zip(*ways, strict=True), strict=True)}


def told_directly(lines: list[Line], question: set[int], matters: list[tuple[int, ...]]) -> dict[int, float]:
    """What every message scores for other words than the question's, by the formula and nothing else."""
    mean = sum(len(line.terms) for line in lines) / len(lines) or 1.0
    idfs = [idf(len(lines), sum(not set(matter).isdisjoint(line.terms) for line in lines)) for matter in matters]
    most = sum(idf(len(lines), sum(term in line.terms for line in lines)) for term in question) or sum(idfs)

    def score(line: Line, matter: tuple[int, ...]) -> float:
        own = question.intersection(matter)
        count = 0 if own.intersection(line.terms) else sum(term in matter for term in line.terms)
        return count * (K1 + 1) / (count + K1 * (1 - B + B * len(line.terms) / mean))

    return {
        line.sequence: sum(weight * score(line, one) for weight, one in zip(idfs, matters, strict=True)) / most
        for line in lines
    }


def check(index: WordIndex, lines: list[Line], question: set[int], matters: list[tuple[int, ...]]) -> None:
    """The index gives what the formula gives."""
    found = index.scores(question, matters=matters)
    rows = index.rows_of(np.array([line.sequence for line in lines], dtype=np.int64))
    expected = directly(lines, question)
    for line, row in zip(lines, rows, strict=True):
        assert found.own[row] == pytest.approx(expected[line.sequence][0])
        assert found.around[row] == pytest.approx(expected[line.sequence][1])
    told = told_directly(lines, question, matters)
    if found.told is None:
        assert not matters
    else:
        assert found.told[rows].tolist() == pytest.approx([told[line.sequence] for line in lines])
    assert found.due_to_own(rows).tolist() == pytest.approx([expected[line.sequence][2] for line in lines])


terms = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=40).map(tuple)
steps = st.lists(
    st.tuples(
        st.sampled_from(["add", "add", "add", "insert", "replace", "remove"]), terms, st.sampled_from([None, "a", "b"])
    ),
    min_size=1,
    max_size=40,
)
asked = st.sets(st.sampled_from(VOCABULARY), min_size=1, max_size=6)
tellings = st.lists(st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=8, unique=True).map(tuple), max_size=3)


@given(steps=steps, question=asked, matters=tellings, seed=st.integers(0, 99))
def test_scores_are_those_of_the_formula_after_any_changes(steps, question, matters, seed):
    """A search that drifts from its formula with each edit finds other things after a restart."""
    choose = random.Random(seed)
    index, lines = WordIndex(), []
    for action, text, conversation in steps:
        if action == "add" or not lines:
            newest = max((line.sequence for line in lines), default=0)
            lines.append(Line(newest + BETWEEN, conversation, text))
            index.put(entry(lines[-1]))
        elif action == "insert":
            # Another process may have stored it before those that are known already.
            free = set(range(max(line.sequence for line in lines))) - {line.sequence for line in lines}
            lines.append(Line(choose.choice(sorted(free)), conversation, text))
            index.put(entry(lines[-1]))
        elif action == "replace":
            at = choose.randrange(len(lines))
            lines[at] = replace(lines[at], terms=text)
            index.put(entry(lines[at]))
        else:
            index.remove([lines.pop(choose.randrange(len(lines))).sequence])
    if lines:
        check(index, lines, question, matters)


def test_many_postings_are_merged_and_still_found():
    """The sorted part of the index is used only by large memories; it has to give the same."""
    choose = random.Random(7)
    lines = [Line(number, None, tuple(choose.choices(VOCABULARY, k=30))) for number in range(1200)]
    index = WordIndex()
    for line in lines:
        index.put(entry(line))
    check(index, lines, {1, 2, 3}, [(3, 4, 5, 6), (7, 99)])


def test_times_are_found_by_overlap():
    """A question about May has to find what was said in April about May."""
    index = WordIndex()
    index.put(entry(Line(0, None, (1,)), day=100, days=np.array([[130, 160]], dtype=np.int32)))
    index.put(entry(Line(1, None, (1,)), day=140))
    index.put(entry(Line(2, None, (1,)), day=300))
    assert [True, True, False] == index.speaks_of(140, 141).tolist()
    index.remove([0])
    assert [False, True, False] == index.speaks_of(140, 141).tolist()


def test_replacements_are_known_while_both_messages_are_there():
    """A correction must not outlive the message that made it."""
    index = WordIndex()
    index.put(entry(Line(0, None, (1,))))
    index.put(entry(Line(1, None, (1,)), replaces=(0,)))
    assert index.replacements().tolist() == [[1, 0]]
    index.put(entry(Line(2, None, (1,))))
    assert index.replacements().tolist() == [[1, 0]]
    index.remove([1])
    assert index.replacements().tolist() == []


def test_what_is_replaced_is_found_when_it_comes_late_or_anew():
    """In its row of that time."""
    index = WordIndex()
    index.put(entry(Line(1, None, (1,)), replaces=(0,)))
    assert index.replacements().tolist() == []
    index.put(entry(Line(0, None, (1,))))
    assert index.replacements().tolist() == [[0, 1]]
    index.put(entry(Line(0, None, (1,))))
    assert index.replacements().tolist() == [[0, 2]]
    index.remove([0])
    assert index.replacements().tolist() == []
    index.put(entry(Line(0, None, (1,))))
    assert index.replacements().tolist() == [[0, 3]]


def test_a_question_without_known_words_finds_nothing():
    """No words in common is 0 for every message, not a division by zero."""
    index = WordIndex()
    index.put(entry(Line(0, None, (1,))))
    assert index.scores([999]).own.tolist() == [0.0]
    assert index.scores([]).around.tolist() == [0.0]
    assert index.scores([], matters=[(998, 999)]).told.tolist() == [0.0]


def test_a_question_of_nothing_but_an_idiom_is_as_full_as_one_of_words():
    """What a score means must not depend on whether the matter was named or paraphrased."""
    index = WordIndex()
    for number in range(9):
        index.put(entry(Line(number, None, (number + 1,))))
    by_idiom, by_word = index.scores([], matters=[(1,)]), index.scores([1])
    assert by_idiom.told.tolist() == by_word.own.tolist()
    assert by_idiom.informed == by_word.informed


def test_pieces_that_nobody_has_said_take_nothing_from_the_others():
    """Where a word is cut into pieces, its ending would make a question look as if little of it were known."""
    index = WordIndex()
    for number in range(9):
        index.put(entry(Line(number, None, (number + 1, 50))))
    found = index.scores([1, 998, 999], 3, pieces=(998, 999))
    assert found.own.tolist() == index.scores([1], 1).own.tolist()
    assert found.informed == index.scores([1], 1).informed
    whole = index.scores([1, 998, 999], 3, pieces=(998,))
    assert 0.0 < whole.own[0] < found.own[0]
    assert index.scores([999], 1, pieces=(999,)).own.tolist() == [0.0] * 9


def test_a_message_is_no_question_of_more_pieces_than_it_has():
    """What lends its words to what stands behind it alone is the question itself, all of its pieces included."""
    index = WordIndex()
    for number, terms in enumerate([(3,), (1, 2), (4,)]):
        index.put(entry(Line(number, None, terms)))
    assert index.scores([1, 2], 2, pieces=(1, 2)).around[0] == 0.0
    assert index.scores([1, 999], 2, pieces=(1, 999)).around[0] > 0.0


@given(st.lists(st.lists(st.sampled_from(VOCABULARY[:6]), max_size=8), max_size=12), st.data())
def test_rows_with_all_of_some_terms(texts, data):
    """Those of messages that are there and have every one of them, whatever was edited and removed."""
    index = WordIndex()
    index.put_all([entry(Line(number, None, tuple(text))) for number, text in enumerate(texts)])
    edited = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=3)) if texts else []
    for number in edited:
        texts[number] = texts[number][1:]
        index.put(entry(Line(number, None, tuple(texts[number]))))
    gone = data.draw(st.sets(st.integers(0, max(0, len(texts) - 1))))
    index.remove(gone)
    wanted = data.draw(st.sets(st.sampled_from(VOCABULARY[:7]), min_size=1))
    rows = index.rows_with_all(sorted(wanted))
    assert rows.tolist() == sorted(rows.tolist())
    assert sorted(index.column("sequence")[rows].tolist()) == [
        number for number, text in enumerate(texts) if wanted <= set(text) and number not in gone
    ]


@given(st.lists(st.lists(st.sampled_from(VOCABULARY[:6]), max_size=8), min_size=1, max_size=12), st.data())
def test_which_of_some_rows_have_a_term(texts, data):
    """As all rows with it tell, whether they came at once or later."""
    index = WordIndex()
    entries = [entry(Line(number, None, tuple(text))) for number, text in enumerate(texts)]
    first = data.draw(st.integers(0, len(entries)))
    index.put_all(entries[:first])
    index.image()
    for one in entries[first:]:
        index.put(one)
    some = np.array(data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=6)), dtype=np.intp)
    for term in VOCABULARY[:7]:
        rows = index.rows_with(term)
        assert index.having(term, some).tolist() == np.isin(some, rows).tolist()
        assert index.frequency(term) == len(rows)


def test_messages_that_are_gone_make_no_word_common():
    """Else a question would be answered otherwise where the memory is opened anew."""
    index = WordIndex()
    index.put_all([entry(Line(number, None, (5,))) for number in range(4)])
    index.remove([1, 2])
    assert index.frequency(5) == len(index.rows_with(5)) == 2


@pytest.mark.parametrize("at_once", [False, True])
def test_marks_make_no_message_longer(at_once):
    """What is said weighs as much whatever it is; a question that is asked again has as many words."""
    plain, longer = entry(Line(1, None, (5, 7, 7))), entry(Line(2, None, (5, 7, 7)))
    terms, counts = marked(longer.terms, longer.counts, [WISH, TOLD, CHANGE])
    longer = replace(longer, terms=terms, counts=counts)
    index = WordIndex()
    if at_once:
        index.put_all([plain, longer])
    else:
        index.put(plain)
        index.put(longer)
    assert index.column("length").tolist() == [3, 3]
    assert index.rows_with(TOLD).tolist() == [1]


def test_texts_are_said_by_messages_that_are_there():
    """Not by one that was deleted, nor by one that has another text now."""
    index = WordIndex()
    index.put_all([entry(Line(sequence, None, (1,)), fingerprint=-7) for sequence in (10, 20, 30)])
    index.remove([10])
    index.put_all([entry(Line(20, None, (2,)), fingerprint=8)])
    assert (index.said([-7]), index.said([8, -7]), index.said([9]), index.said([])) == ({30}, {20, 30}, set(), set())
