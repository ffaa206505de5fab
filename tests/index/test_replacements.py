"""Which messages tell of one fact: those that links lead to, from the one that is asked about."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from streetai_core.index.replacements import connected
from streetai_core.index.words import WordIndex
from tests.index.test_words import Line, entry

numbers = st.integers(0, 12)


def directly(one, links):
    """The same, one step after the other, until nothing is new."""
    found = {one}
    while True:
        wider = found.union(*(pair for pair in links if found.intersection(pair)))
        if wider == found:
            return sorted(found)
        found = wider


@given(numbers, st.lists(st.tuples(numbers, numbers), max_size=20))
def test_connected_are_those_that_stepping_along_the_links_finds(one, links):
    """Property: in either direction, around rings, from a number to itself, and from one that no link has."""
    assert connected(one, links) == directly(one, links)


class Read(list):
    """Links that count how often they are read through."""

    times = 0

    def __iter__(self):
        self.times += 1
        return super().__iter__()


def test_links_are_read_once_however_long_the_chain_is():
    """A fact that changes every day has thousands; read through for each of them they hold up all other calls."""
    chain = Read((newer, newer - 1) for newer in range(1, 301))
    assert connected(150, chain) == list(range(301))
    assert chain.times == 1


def test_links_come_in_the_order_in_which_the_newer_ones_were_said():
    """So that who stands above a chain of others is above all of them, whichever was stored first."""
    days = {0: 900, 1: 1, 2: 600, 3: 300}
    replaces = {0: (2,), 2: (3,), 3: (1,)}
    index = WordIndex()
    lines = [Line(sequence, None, (1,)) for sequence in days]
    index.put_all([entry(one, day=days[one.sequence], replaces=replaces.get(one.sequence, ())) for one in lines])
    assert index.column("sequence")[index.replacements()].tolist() == [[3, 1], [2, 3], [0, 2]]
    assert index.replaced() == {1, 2, 3}
