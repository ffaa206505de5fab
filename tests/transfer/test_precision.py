"""A memory goes through a file from one precision of vectors to any other."""

from dataclasses import replace

import numpy as np
import pytest

from streetai_core import Config, MemoryRegistry
from streetai_core.encoders import HashingEncoder
from streetai_core.errors import VectorError
from streetai_core.state import MemoryState
from streetai_core.stores.reference import ReferenceStore
from streetai_core.stores.sqlite import SqliteStore
from streetai_core.transfer import export_memory, import_file, memory_digest
from streetai_core.transfer.restoring import restore
from streetai_core.transfer.snapshot import snapshot_of
from tests.core.test_half_precision import bits
from tests.transfer.conftest import PUBLISHED, fill

PRECISIONS = ["single", "half"]


def opened(store, precision):
    """A registry that writes vectors in a precision."""
    return MemoryRegistry(store, encoder=HashingEncoder(64), config=Config(vector_precision=precision))


def kinds(registry, name):
    """The types of the vectors of a memory as they are stored, and the vectors."""
    with registry.store.reading(name) as view:
        signals = view.rows(None).signals
    return {signal.vector.dtype for signal in signals}, np.array([one.vector for one in signals], dtype=np.float32)


@pytest.mark.parametrize("there", PRECISIONS)
@pytest.mark.parametrize("here", PRECISIONS)
@pytest.mark.parametrize("store", [SqliteStore, ReferenceStore])
def test_a_memory_is_imported_in_the_precision_of_the_place(tmp_path, store, here, there):
    """Halves become singles with the same numbers, and digests are equal; singles are rounded to halves."""

    def place(name):
        return ReferenceStore() if store is ReferenceStore else SqliteStore(tmp_path / name, durability="fast")

    with opened(place("one.db"), here) as source, opened(place("two.db"), there) as target:
        memory = fill(source.get("mara"))
        written = export_memory(source, "mara", tmp_path / "out.jsonl")
        assert import_file(target, tmp_path / "out.jsonl").added == written.messages
        copy = target.get("mara")
        assert copy.messages() == memory.messages()
        of_source, before = kinds(source, "mara")
        of_target, after = kinds(target, "mara")
        types = {"single": np.dtype(np.float32), "half": np.dtype(np.float16)}
        assert (of_source, of_target) == ({types[here]}, {types[there]})
        assert (after == (before.astype(np.float16) if there == "half" else before)).all()
        exact = (here, there) != ("single", "half")
        assert (memory_digest(target, "mara") == written.digest) == exact
        assert memory_digest(target, "mara", vectors=False) == memory_digest(source, "mara", vectors=False)
        hits = [[hit.score for hit in one.retrieve("Where does the boat lie?")] for one in (memory, copy)]
        assert hits[0] == pytest.approx(hits[1], abs=1e-3)
        with copy._coherent.reading() as (view, state):
            assert bits(state) == bits(MemoryState.of(view.rows(None)))


def test_a_file_says_nothing_of_precision(tmp_path):
    """The same numbers give the same lines, so an older version reads the file."""
    names = ["one.jsonl", "two.jsonl"]
    with opened(tmp_path / "half.db", "half") as source, opened(tmp_path / "single.db", "single") as target:
        fill(source.get("mara"))
        export_memory(source, "mara", tmp_path / names[0])
        import_file(target, tmp_path / names[0])
        export_memory(target, "mara", tmp_path / names[1])
    one, two = ((tmp_path / name).read_text(encoding="utf-8").splitlines() for name in names)
    # The first line says when and from where.
    assert one[1:] == two[1:]


@pytest.mark.parametrize("precision", PRECISIONS)
def test_what_is_embedded_by_the_import_is_as_configured(tmp_path, precision):
    """Where the file has no vectors, or another encoder's, and for memories of the published package."""
    types = {"single": np.dtype(np.float32), "half": np.dtype(np.float16)}
    with opened(tmp_path / "one.db", "single") as source:
        fill(source.get("mara"))
        export_memory(source, "mara", tmp_path / "out.jsonl", vectors=False)
    with opened(tmp_path / "two.db", precision) as target:
        import_file(target, tmp_path / "out.jsonl", memory_id="copy")
        import_file(target, PUBLISHED)
        for name in target.ids():
            assert kinds(target, name)[0] == {types[precision]}
            with target.get(name)._coherent.reading() as (view, state):
                assert bits(state) == bits(MemoryState.of(view.rows(None)))


def test_numbers_that_halves_do_not_have_are_refused(tmp_path):
    """No encoder of ours makes them; a file may have anything."""
    with opened(tmp_path / "one.db", "single") as source, opened(tmp_path / "two.db", "half") as target:
        source.get("mara").add_message("The boat lies at berth 31.", "user")
        with source.store.reading("mara") as view:
            snapshot = snapshot_of(view)
        signals = [replace(one, vector=one.vector + np.float32(1e9)) for one in snapshot.rows["signals"]]
        snapshot = replace(snapshot, rows={**snapshot.rows, "signals": signals})
        with pytest.raises(VectorError, match="half precision"):
            restore(target, "mara", snapshot, reembed=False)
        assert target.ids() == []
