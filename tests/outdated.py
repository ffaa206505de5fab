"""Words rows as a version of the library with other rules would have made them."""

from dataclasses import replace

from streetai_core.stores.types import Changes
from streetai_core.testing.factories import NOON, make_counts, make_days, make_terms
from streetai_core.text.marks import beside_text, marked


def told_otherwise(row, *, rules=0):
    """What rules that cut no word as ours do have made of a message; what it has to do with others is the same."""
    terms, counts = marked(make_terms(1_000 + row.sequence), make_counts(9), beside_text(row.terms, row.counts))
    return replace(
        row,
        terms=terms,
        counts=counts,
        days=make_days((1, 1)),
        question=not row.question,
        rules=rules,
    )


def words_in(store, memory_id):
    """All words rows of a memory, by sequence."""
    with store.reading(memory_id) as view:
        return {row.sequence: row for row in view.rows(None).words}


def outdate(store, memory_id, *, rules=0, only=None):
    """Write the words of a memory as other rules have told them, and return the rows; `only` of these sequences."""
    with store.writing(memory_id) as writing:
        rows = [
            told_otherwise(row, rules=rules) for row in writing.rows(None).words if only is None or row.sequence in only
        ]
        writing.apply(Changes(head=writing.head, words=rows), now=NOON)
    return rows
