"""Strategies for JSON that looks like a provider's, but need not be right in any place."""

from hypothesis import strategies as st

scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=8)


def shaped(fields, *, kinds=()):
    """JSON whose objects have mostly these fields, and in `type` and `role` mostly these values."""
    names = st.sampled_from(fields) | st.text(max_size=4)
    leaves = scalars | st.sampled_from(kinds) if kinds else scalars
    return st.recursive(leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=6))
