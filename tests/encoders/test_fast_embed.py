"""fastembed's models by name, from a cache folder and without a network."""

import shutil
from importlib.resources import files

import numpy as np
import pytest
from fastembed import TextEmbedding

from streetai_core.encoders import FastEmbedEncoder, OfflineMiniLM, fast_embed, offline
from streetai_core.encoders.fast_embed import MINILM
from streetai_core.errors import EncoderError, InputError, ModelFileError
from streetai_core.testing.encoder_suite import EncoderSuite

COMMENT = b"\x32\x05other"
"""A comment field, appended to an ONNX file: the same model in another file."""


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    """Let fastembed look into its cache only."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def fill_cache(cache, *, max_length=256, appended=b""):
    """Lay `cache` out as if the default model had been downloaded, with the files of the offline packages."""
    source = next(model for model in TextEmbedding.list_supported_models() if model["model"] == MINILM)
    repository = cache / f"models--{source['sources']['hf'].replace('/', '--')}"
    snapshot = repository / "snapshots" / "0123456789abcdef0123456789abcdef01234567"
    snapshot.mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(snapshot.name)
    weights = offline._checked_file(offline._WEIGHTS_PACKAGE, offline._WEIGHTS_FILE, offline.WEIGHTS_SHA256)
    tokenizer = offline._checked_file(offline._TOKENIZER_PACKAGE, offline._TOKENIZER_FILE, offline.TOKENIZER_SHA256)
    (snapshot / source["model_file"]).write_bytes(weights.read_bytes() + appended)
    shutil.copyfile(tokenizer, snapshot / "tokenizer.json")
    for name in ("config.json", "special_tokens_map.json"):
        (snapshot / name).write_bytes((files("streetai_core.encoders") / "minilm" / name).read_bytes())
    (snapshot / "tokenizer_config.json").write_text(f'{{"model_max_length": {max_length}, "pad_token": "[PAD]"}}')
    return cache


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """A fastembed cache that has the default model."""
    return fill_cache(tmp_path_factory.mktemp("cache"))


class TestConformance(EncoderSuite):
    """A model of fastembed is an encoder."""

    @pytest.fixture(autouse=True)
    def use_cache(self, cache):
        """Look for models in the filled cache."""
        self.cache = cache

    def make_encoder(self):
        """A new instance over the shared model."""
        return FastEmbedEncoder(cache_dir=self.cache)


def test_a_cached_model_gives_the_vectors_of_the_same_weights(cache):
    """The same weights through the cache and through the packages give the same vectors."""
    texts = ["hello", "The keeper counted ships.", "word " * 400]
    found = FastEmbedEncoder(cache_dir=cache).encode(texts, "query")
    assert np.abs(found - OfflineMiniLM().encode(texts)).max() < 1e-6


def test_the_fingerprint_has_the_checksum_of_the_loaded_file(cache):
    """Name as fastembed spells it, dimension, first digits of the SHA-256."""
    encoder = FastEmbedEncoder(MINILM.upper(), cache_dir=cache)
    assert encoder.fingerprint == f"{MINILM}/384/{offline.WEIGHTS_SHA256[:16]}"


def test_other_weights_under_the_same_name_have_another_fingerprint(cache, tmp_path):
    """The name alone does not make two encoders the same."""
    other = FastEmbedEncoder(cache_dir=fill_cache(tmp_path, appended=COMMENT))
    same = FastEmbedEncoder(cache_dir=cache)
    assert other.fingerprint != same.fingerprint
    assert np.allclose(other.encode(["hello"]), same.encode(["hello"]), atol=1e-6)


def test_the_limit_is_the_loaded_tokenizers(tmp_path):
    """A download that cuts at 128 tokens says so, and cuts there."""
    encoder = FastEmbedEncoder(cache_dir=fill_cache(tmp_path, max_length=128))
    long, at_limit, below = encoder.encode(["ship " * 300, "ship " * 126, "ship " * 125])
    assert encoder.max_tokens == 128
    assert encoder.count_tokens(["ship " * 300]) == [302]
    assert np.abs(long - at_limit).max() < 1e-6
    assert np.abs(long - below).max() > 1e-4


def test_the_dimension_is_known_without_loading(tmp_path):
    """The list of fastembed tells it, also for models that are not on this machine."""
    assert FastEmbedEncoder("BAAI/bge-base-en-v1.5", cache_dir=tmp_path).dim == 768
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_cannot_be_fetched_says_what_to_do(tmp_path):
    """Without cache and network there is one error of ours, with the extra that needs no download."""
    encoder = FastEmbedEncoder(cache_dir=tmp_path)
    with pytest.raises(EncoderError, match=r"could not be downloaded.*pip install 'streetai\[offline\]'"):
        encoder.encode(["hello"])
    with pytest.raises(EncoderError, match="could not be downloaded"):
        _ = encoder.fingerprint


def test_damaged_files_are_an_encoder_error(tmp_path):
    """Weights that are no model raise our error, not onnxruntime's."""
    cache = fill_cache(tmp_path)
    next(cache.rglob("model.onnx")).write_bytes(b"not a model")
    with pytest.raises(EncoderError, match=f"the files of {MINILM} could not be loaded"):
        FastEmbedEncoder(cache_dir=cache).encode(["hello"])


@pytest.mark.filterwarnings("ignore:Loading .* a copy downloaded:FutureWarning")  # fastembed on folders of this kind
def test_a_cache_without_the_weights_is_a_model_file_error(tmp_path):
    """An incomplete copy raises our error, also where only the fingerprint was asked for."""
    folder = tmp_path / "fast-all-MiniLM-L6-v2"
    folder.mkdir()
    (folder / "tokenizer.json").touch()
    with pytest.raises(ModelFileError, match="cannot be read") as caught:
        _ = FastEmbedEncoder(cache_dir=tmp_path).fingerprint
    assert str(folder) in str(caught.value)


def test_an_unknown_name_gets_a_suggestion():
    """A typing error in the name is answered with the names that are near."""
    with pytest.raises(InputError, match=f"no model named 'all-MiniLM-L6'.*{MINILM}"):
        _ = FastEmbedEncoder("all-MiniLM-L6").dim
    with pytest.raises(InputError, match=r"Did you mean: .*BAAI/bge-small-en-v1\.5"):
        FastEmbedEncoder("BAAI/bge-smal-en-v1.5").encode(["hello"])


def test_constructing_looks_nothing_up():
    """A name is not checked before the first use."""
    assert FastEmbedEncoder("no such model").symmetric is False


def test_batches_hold_texts_of_like_length():
    """Short texts run 32 at a time, long ones up to 2,048 padded characters, blank ones not at all."""
    texts = ["x" * 10] * 40 + ["x" * 1_000] * 3 + ["", " "] + ["x" * 5_000] * 2 + ["y" * 5]
    batches = list(fast_embed._batches(texts))
    assert [len(batch) for batch in batches] == [32, 9, 2, 1, 1, 1]
    assert batches[0][0] == 47
    assert sorted(position for batch in batches for position in batch) == [*range(43), 45, 46, 47]


def test_a_text_is_padded_by_no_more_than_a_call_costs():
    """A short question and a long reply go one after the other; what is padded by 80 characters in all goes along."""
    short, other, longer, reply = "x" * 40, "y" * 41, "z" * 80, "x" * 900
    assert list(fast_embed._batches([reply, short])) == [[1], [0]]
    assert list(fast_embed._batches([longer, short, short])) == [[1, 2, 0]]
    assert list(fast_embed._batches([longer + "z", short, short])) == [[1, 2], [0]]
    assert list(fast_embed._batches([longer, short, other, short])) == [[1, 3, 2], [0]]


@pytest.mark.parametrize("threads", [0, -2, 1.5, "1"])
def test_threads_must_be_a_positive_number(threads):
    """A number of threads that makes no sense is refused when the encoder is made."""
    with pytest.raises(InputError, match="threads must be a whole number from 1"):
        FastEmbedEncoder(threads=threads)
