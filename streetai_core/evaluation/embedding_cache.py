"""Embeddings on disk, so that a benchmark that is run again embeds nothing again."""

from __future__ import annotations

import os
import re
import sys
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np

from streetai_core.encoders.base import Encoder, InputKind
from streetai_core.encoders.cache import KEY_BYTES, text_key
from streetai_core.encoders.wrapped import WrappedEncoder
from streetai_core.errors import InputError
from streetai_core.forking import fork_safe_lock
from streetai_core.types import Matrix, Vector

_SAVED_EVERY = 2_000
"""New vectors after which the file is written: seconds to a minute of a model's work, the most that a crash loses."""


def default_folder() -> Path:
    """Where programs of this user keep what they can make again."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
    else:
        base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "streetai" / "embeddings"


class DiskCachedEncoder(WrappedEncoder):
    """Another encoder whose vectors are kept in one NumPy file, named after its fingerprint.

    Texts are kept as hashes only. Call `save` when done. Several processes may share the folder: each adds what the
    file has when it saves; of two that save at the same moment one may lose vectors, which are then made again.

    Args:
        encoder: does the work.
        folder: made if it is not there.

    Raises:
        InputError: the folder cannot be written, which is better known before an hour of embedding than after it.
    """

    def __init__(self, encoder: Encoder, folder: Path) -> None:
        super().__init__(encoder)
        slug = re.sub(r"[^A-Za-z0-9.]+", "-", encoder.fingerprint).strip("-")
        self._path = folder / f"{slug}.npz"
        with self._writing():
            folder.mkdir(parents=True, exist_ok=True)
            TemporaryFile(dir=folder).close()
        self._lock = fork_safe_lock()
        self._rows = self._read()
        self._unsaved = 0
        self.encoded = 0
        """Texts that the encoder was given."""

    def encode(self, texts: Sequence[str], kind: InputKind = "document") -> Matrix:
        """Unit vectors of `texts`, shape (len(texts), dim) float32, made only where the file has none.

        Raises:
            EncoderError: the encoder failed, or returned something that is not `len(texts)` finite vectors of `dim`.
            InputError: the folder cannot be written any more.
        """
        if not texts:
            return self._encoder.encode(texts, kind)
        keys = [self._key(text, kind) for text in texts]
        with self._lock:
            missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._rows}
        for start in range(0, len(missing), _SAVED_EVERY):
            part = dict(list(missing.items())[start : start + _SAVED_EVERY])
            encoded = self._encoder.encode(list(part.values()), kind)
            with self._lock:
                self._rows.update(zip(part, encoded, strict=True))
                self._unsaved += len(part)
                self.encoded += len(part)
            if self._unsaved >= _SAVED_EVERY:
                self.save()
        with self._lock:
            return np.stack([self._rows[key] for key in keys])

    def save(self) -> None:
        """Write what is new to the file; a reader sees the old file or the new one, never a part.

        Raises:
            InputError: the folder cannot be written any more.
        """
        with self._lock, self._writing():
            if not self._unsaved:
                return
            self._rows = {**self._read(), **self._rows}
            self._path.parent.mkdir(parents=True, exist_ok=True)
            part = self._path.with_name(f"{self._path.name}.{os.getpid()}.part")
            keys = np.frombuffer(b"".join(self._rows), dtype=np.uint8).reshape(-1, KEY_BYTES)
            try:
                with part.open("wb") as file:
                    np.savez(file, keys=keys, vectors=np.stack(list(self._rows.values())))
                part.replace(self._path)
            finally:
                part.unlink(missing_ok=True)
            self._unsaved = 0

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Name the folder in errors of writing it.

        Raises:
            InputError: in place of the system's error.
        """
        try:
            yield
        except OSError as error:
            raise InputError(
                f"cannot keep embeddings in {str(self._path.parent)!r}: {error.strerror or error}. Give another "
                "folder, with --embeddings, or as XDG_CACHE_HOME (on Windows LOCALAPPDATA)"
            ) from error

    def _read(self) -> dict[bytes, Vector]:
        """What the file holds; nothing if it is missing or damaged, since all of it can be made again."""
        try:
            # Opened here, because NumPy leaves a damaged file open.
            with self._path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
                keys, vectors = stored["keys"], stored["vectors"]
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return {}
        fits = keys.ndim == 2 and vectors.shape == (len(keys), self.dim)  # noqa: PLR2004 - a matrix
        if not fits or vectors.dtype != np.float32 or not np.isfinite(vectors).all():
            return {}
        return {key.tobytes(): vector for key, vector in zip(keys, vectors, strict=True)}

    def _key(self, text: str, kind: InputKind) -> bytes:
        return text_key(text, kind, symmetric=self._encoder.symmetric)
