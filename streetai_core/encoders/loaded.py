"""A fastembed model in memory, and the table that keeps one of each per process."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from streetai_core.encoders.base import InputKind
from streetai_core.encoders.silence import silence_onnxruntime
from streetai_core.errors import EncoderError
from streetai_core.types import Matrix

if TYPE_CHECKING:
    from fastembed import TextEmbedding
    from tokenizers import Tokenizer

RETRY_AFTER_SECONDS = 30.0
"""A model that could not be loaded is not tried again for so long: a chat goes on by words alone meanwhile, and each
attempt would hold it up for seconds."""

_FORK_PATIENCE = 5.0
"""Seconds that a fork waits for a model that is being loaded; from a local disk that takes one or two."""

DIGEST_LENGTH = 16
"""Hex digits of the SHA-256 of the weights in a fingerprint: 64 bits tell files apart and stay readable."""

_READ_BYTES = 1 << 20
"""Weights are hashed piece by piece, so that a model of gigabytes is never in memory twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedModel:
    """A model ready to use. Safe to share between threads: nothing in it changes after loading."""

    embedding: TextEmbedding
    counter: Tokenizer
    """The model's tokenizer, without truncation and padding."""
    max_tokens: int | None
    """Where the model's own tokenizer cuts, special tokens included; `None` if it does not."""
    digest: str
    """First hex digits of the SHA-256 of the weights."""

    def embed(self, texts: Sequence[str], kind: InputKind) -> Matrix:
        """Embeddings of at least one text in one batch, shape (len(texts), dim)."""
        embed = self.embedding.query_embed if kind == "query" else self.embedding.passage_embed
        return np.stack(list(embed(list(texts), batch_size=len(texts)))).astype(np.float32, copy=False)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each whole text, special tokens included."""
        return [len(encoding.ids) for encoding in self.counter.encode_batch(list(texts))]


class ModelTable:
    """The models that this process has loaded, each once, and which of them lately failed to load.

    Args:
        clock: seconds that only rise.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._lock = Lock()
        self._models: dict[object, LoadedModel] = {}
        self._failures: dict[object, tuple[float, type[EncoderError], str]] = {}
        self._held = False
        self._cut_off = False

    def before_fork(self) -> None:
        """Let a load end: a child could neither finish it nor import what was being imported."""
        self._held = self._lock.acquire(timeout=_FORK_PATIENCE)

    def after_fork_in_parent(self) -> None:
        """Go on."""
        if self._held:
            self._lock.release()

    def after_fork_in_child(self) -> None:
        """Begin anew."""
        self._lock, self._cut_off = Lock(), not self._held

    def get(self, key: object, load: Callable[[], LoadedModel]) -> LoadedModel:
        """The model of `key`; the first caller loads it, others that need it meanwhile wait.

        Raises:
            EncoderError: `load` raised it, now or within the last `RETRY_AFTER_SECONDS`; or this process was forked in
                the middle of a load.
        """
        loaded = self._models.get(key)
        if loaded is not None:
            return loaded
        if self._cut_off:
            raise EncoderError(
                "a model was being loaded when this process was forked, so this process cannot load one. "
                "Fork after registry.warm_up() has returned, or start processes with the method 'spawn'."
            )
        with self._lock:
            if key not in self._models:
                self._refuse_after_failure(key)
                self._models[key] = self._load(key, load)
            return self._models[key]

    def _refuse_after_failure(self, key: object) -> None:
        if key not in self._failures:
            return
        failed_at, kind, message = self._failures[key]
        if self._clock() - failed_at < RETRY_AFTER_SECONDS:
            raise kind(message)

    def _load(self, key: object, load: Callable[[], LoadedModel]) -> LoadedModel:
        try:
            loaded = load()
        except EncoderError as error:
            # Only the words are kept: the exception itself would keep its frames and their texts alive.
            self._failures[key] = (self._clock(), type(error), str(error))
            raise
        self._failures.pop(key, None)
        return loaded


MODELS = ModelTable()
"""Shared by all encoders of the process; loading one model twice would cost its memory twice."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=MODELS.before_fork,
        after_in_parent=MODELS.after_fork_in_parent,
        after_in_child=MODELS.after_fork_in_child,
    )


def load_folder(model_name: str, folder: Path, *, digest: str, threads: int | None) -> LoadedModel:
    """Load the files of fastembed's model `model_name` from `folder`; afterwards the folder is not needed.

    Args:
        model_name: a name of fastembed's list; it decides how token vectors become one vector.
        folder: has the weights, `tokenizer.json` and their settings.
        digest: of the weights, for the fingerprint.
        threads: of one call of the model; `None` for models that have no such setting.

    Raises:
        EncoderError: the files are not a model that fastembed can load.
    """
    silence_onnxruntime()
    # Importing these takes half a second, which only those who embed shall wait for.
    with interruptible():
        import onnxruntime  # type: ignore[import-untyped] # it publishes no types
        from fastembed import TextEmbedding
        from tokenizers import Tokenizer

    onnxruntime.disable_telemetry_events()  # where the app imported it before
    try:
        # cache_dir too, else fastembed makes an empty folder in the system's temporary directory.
        embedding = TextEmbedding(model_name, cache_dir=str(folder), threads=threads, specific_model_path=str(folder))
        # Every model class of fastembed has a tokenizer; only their common base class does not say so.
        tokenizer = cast("Any", embedding.model).tokenizer
        counter = Tokenizer.from_str(tokenizer.to_str())
    except Exception as error:
        raise EncoderError(f"the files of {model_name} could not be loaded: {error}") from error
    counter.no_truncation()
    counter.no_padding()
    max_tokens = tokenizer.truncation["max_length"] if tokenizer.truncation else None
    return LoadedModel(embedding=embedding, counter=counter, max_tokens=max_tokens, digest=digest)


@contextmanager
def interruptible() -> Iterator[None]:
    """Import in here what has an extension module: one that Ctrl-C interrupts makes an ImportError of it.

    Raises:
        KeyboardInterrupt: that is what the import failed of.
    """
    try:
        yield
    except ImportError as error:
        if isinstance(error.__cause__, KeyboardInterrupt):
            raise error.__cause__ from None
        raise


def sha256_of(paths: Iterable[Path]) -> str:
    """Hex SHA-256 of the contents of `paths`, one after the other."""
    total = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            while piece := file.read(_READ_BYTES):
                total.update(piece)
    return total.hexdigest()
