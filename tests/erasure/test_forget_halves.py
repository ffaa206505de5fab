"""Vectors in half precision are forgotten too, whatever precision RAM has them in."""

import secrets
from contextlib import closing

import numpy as np
import pytest

from streetai_core.stores import _sqlite
from tests.erasure.test_forget import WAYS, dump, filled, opened, said, vectors
from tests.stores.scripts import occurrences

WAYS_OUT = [way for way in WAYS if way.startswith("forget")]


def halves(path):
    """The same registry as `opened`, writing halves."""
    return opened(path, precision="half")


@pytest.fixture
def path(tmp_path):
    """Where the database is."""
    return tmp_path / "memories.db"


@pytest.mark.parametrize("way", WAYS_OUT)
def test_no_byte_of_a_half_is_left(path, way):
    """Nor of a token; another memory is as it was."""
    with halves(path) as registry:
        memory, other = registry.get("alice"), registry.get("bob")
        tokens = filled(memory, 60, 15)
        filled(other, 10, 5)
        stored = vectors(path, "alice")
        assert {len(stored[name]) for name in tokens} == {2 * 64}
        needles = [stored[name] for name in tokens]
        assert min(occurrences(path, needles)) >= 1
        before = dump(path, "bob")
        for receipt in WAYS[way](registry, memory, tokens):
            assert (receipt.complete, receipt.residual, receipt.pending) == (True, 0, ())
        assert sum(occurrences(path, needles)) == 0
        assert dump(path, "bob") == before


@pytest.mark.parametrize("first", ["half", "single"])
def test_a_stray_copy_of_a_half_is_found_in_a_mixed_memory(path, first):
    """RAM has singles there, and the search must know the bytes of both."""
    token = secrets.token_hex(20)
    with halves(path) if first == "half" else opened(path) as registry:
        registry.get("alice").add_message(said(1, token), "user", message_id="m")
    with opened(path) if first == "half" else halves(path) as registry:
        memory = registry.get("alice")
        memory.add_message("The other kind of vector.", "user")
        with closing(_sqlite.connect(path.as_uri(), timeout=5)) as connection:
            connection.execute("CREATE TABLE copies (vector BLOB)")
            connection.execute("INSERT INTO copies SELECT vector FROM vectors WHERE signal_key = 0")
        (stored,) = [len(data) for name, data in vectors(path, "alice").items() if name == "m"]
        assert stored == 64 * (2 if first == "half" else 4)
        receipt = memory.forget(message="m")
        assert (receipt.complete, receipt.residual > 0) == (False, True)


def test_a_half_that_a_single_equals_is_found_as_either(path):
    """A memory in halves that was copied into singles has the same numbers in other bytes."""
    with halves(path) as registry:
        registry.get("alice").add_message(said(1, secrets.token_hex(20)), "user", message_id="m")
        before = vectors(path, "alice")["m"]
    as_single = np.frombuffer(before, dtype="<f2").astype("<f4").tobytes()
    with opened(path) as registry:
        with closing(_sqlite.connect(path.as_uri(), timeout=5)) as connection:
            connection.execute("CREATE TABLE copies (vector BLOB)")
            connection.execute("INSERT INTO copies VALUES (?)", (as_single,))
        assert registry.get("alice").forget(message="m").residual > 0
