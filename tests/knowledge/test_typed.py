"""Apostrophes that were left out."""

import pytest

from streetai_core.knowledge.clauses import clauses
from streetai_core.knowledge.typed import with_apostrophes


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("im down to 220", "i'm down to 220"),
        ("no longer 400, Im down and ive paid", "no longer 400, I'm down and i've paid"),
        ("shes off, theyre not, that doesnt count", "she's off, they're not, that doesn't count"),
        ("cant, wont, dont", "can't, won't, don't"),
        ("DONT", "DOn't"),
        ("Whos there? Im Tom", "Who's there? I'm Tom"),
        ("We were well, its legs were ill, whos who", "We were well, its legs were ill, who's who"),
        ("Ich bin im Kino", "Ich bin im Kino"),
        ("hes' and im' stay", "hes' and im' stay"),
        ("I'm fine, don't ask", "I'm fine, don't ask"),
    ],
)
def test_they_are_put_back(typed, meant):
    """Only where the word is no other one, and "im" only where an English clause begins."""
    assert with_apostrophes(typed) == meant


def test_a_statement_is_read_with_them():
    """Who is spoken of is known by "I'm"."""
    (clause,) = clauses("im not at the crown")
    assert clause.subject.owner == "self"
    assert clause.is_over
