"""Stretches of talk: cut and compared as a loop over all messages does it, however they came in."""

from itertools import pairwise
from statistics import mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streetai_core.index.stretches import HALF, Stretches
from streetai_core.index.words import WordIndex
from tests.index.test_words import Line, entry

# Conversation, whether a new day has begun, and what the message is worth.
talks = st.lists(
    st.tuples(st.integers(0, 2), st.booleans(), st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])), min_size=1, max_size=90
)


def halves_of(said):
    """The halves as lists of places, each with the number of its talk, by a loop."""
    talk, begun, halves, day = {}, 0, [], 0
    for place, (conversation, new_day, _) in enumerate(said):
        day += new_day
        known = talk.get(conversation)
        if known is None or (day != known["day"] and known["messages"] >= HALF):
            known = talk[conversation] = {"messages": 0, "number": begun}
            begun += 1
        if known["messages"] % HALF == 0:
            known["half"] = len(halves)
            halves.append((known["number"], []))
        halves[known["half"]][1].append(place)
        known["messages"] += 1
        known["day"] = day
    return halves


def best_of_each(said, best_of=3):
    """What the best stretch of each message has, by a loop."""
    stretches = []
    by_talk = {}
    for number, places in halves_of(said):
        by_talk.setdefault(number, []).append(places)
    for halves in by_talk.values():
        stretches += [one + other for one, other in pairwise(halves)] or halves
    found = [[] for _ in said]
    for stretch in stretches:
        values = sorted({said[place][2] for place in stretch}, reverse=True)[:best_of]
        for place in stretch:
            found[place].append(mean(values))
    return [max(one) for one in found]


def columns_of(said):
    """Sequence, conversation and day of each."""
    days = np.cumsum([new_day for _, new_day, _ in said])
    return {
        "sequence": 2 * np.arange(len(said), dtype=np.int64),
        "conversation": np.array([conversation for conversation, _, _ in said], dtype=np.int64),
        "day": days.astype(np.int64),
    }


def one_by_one(said, known=0):
    """The stretches of messages of which some were there at first, and the others came one after the other."""
    columns = columns_of(said)
    stretches = Stretches()
    stretches.fill(np.arange(known), **{name: column[:known] for name, column in columns.items()})
    for row in range(known, len(said)):
        assert stretches.add(row, **{name: int(column[row]) for name, column in columns.items()})
    return stretches


@given(talks, st.integers(0, 90))
def test_stretches_are_those_of_a_loop(said, known):
    """Property: in one go, one by one, or both; values that tie count once."""
    values = np.array([value for _, _, value in said])
    at_once = one_by_one(said, len(said))
    grown = one_by_one(said, min(known, len(said)))
    assert len(at_once) == len(grown) == len(halves_of(said))
    for stretches in (at_once, grown):
        assert stretches.spread(stretches.best_mean(values, 3)) == pytest.approx(best_of_each(said))


def test_talk_begins_anew_with_a_day_on_which_enough_was_said_before():
    """Two words in the morning and two at night are of one piece; a long evening is not part of the next day."""
    quiet = one_by_one([(0, True, 0.0)] * HALF)
    busy = one_by_one([(0, False, 0.0)] * HALF + [(0, True, 0.0)])
    longer = one_by_one([(0, False, 0.0)] * (HALF + 1))
    assert [len(one) for one in (quiet, busy, longer)] == [1, 2, 2]
    worth = np.append(np.ones(HALF), 0.0)
    # The last message has the company of the ten before it only if it is of the same day.
    assert busy.spread(busy.best_mean(worth, 1)).tolist() == [1.0] * HALF + [0.0]
    assert longer.spread(longer.best_mean(worth, 1)).tolist() == [1.0] * (HALF + 1)


def test_what_was_not_said_last_is_not_added():
    """Where it belongs cannot be told from the ends of the conversations alone; nothing is changed."""
    stretches = one_by_one([(0, False, 0.0)] * 3)
    assert not stretches.add(3, sequence=4, conversation=1, day=0)
    assert len(stretches) == 1
    assert stretches.spread(np.ones(1)).tolist() == [1.0] * 3


@given(
    st.lists(
        st.tuples(st.sampled_from(["put", "put", "put", "all", "again", "remove", "ask"]), st.integers(0, 60)),
        min_size=1,
        max_size=60,
    )
)
def test_an_index_that_changes_cuts_like_one_that_is_filled_anew(steps):
    """Property: after messages were added, replaced, removed, or put before later ones; asked in between or not."""
    index, there = WordIndex(), {}

    def put(sequence, *, at_once=False):
        made = entry(Line(sequence, "abc"[min(sequence // 40, 2)], (1,)), day=sequence // 13)
        there[sequence] = made
        index.put_all([made]) if at_once else index.put(made)

    for step, number in steps:
        if step == "put":
            put(max(there, default=0) + 1 if number % 5 else number)
        elif step == "all":
            put(max(there, default=0) + 1, at_once=True)
        elif step == "again" and number in there:
            put(number)
        elif step == "remove":
            index.remove([number])
            there.pop(number, None)
        else:
            len(index.stretches)
    anew = WordIndex()
    anew.put_all([there[sequence] for sequence in sorted(there)])
    assert worth_by_sequence(index) == worth_by_sequence(anew)


def worth_by_sequence(index):
    """What each message has from its stretch, where each is worth a number made of its sequence."""
    worth = index.column("sequence") * 7 % 11 / 11
    spread = index.stretches.spread(index.stretches.best_mean(worth, 3))
    alive = index.alive
    return dict(zip(index.column("sequence")[alive].tolist(), spread[alive].tolist(), strict=True))
