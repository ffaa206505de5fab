"""Encoders that use the embedding model of a host framework, recognised by its methods."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Protocol

from streetai_core.encoders.base import Encoder, InputKind, unit_rows
from streetai_core.encoders.patience import TIMEOUT, Patience
from streetai_core.errors import EncoderError, InputError
from streetai_core.types import Matrix

_PROBE = "How long is a vector?"
"""Embedded once when the dimension is asked for before anything else was embedded."""

Rows = Sequence[Sequence[float]]

_ENDLESS = Patience(None)


class LangChainEmbeddings(Protocol):
    """What LangChain calls `Embeddings`."""

    def embed_documents(self, texts: list[str]) -> Rows:
        """One embedding a text."""

    def embed_query(self, text: str) -> Sequence[float]:
        """The embedding of a question."""


class LlamaIndexEmbedding(Protocol):
    """What LlamaIndex calls `BaseEmbedding`."""

    def get_text_embedding_batch(self, texts: list[str]) -> Rows:
        """One embedding a text."""

    def get_query_embedding(self, query: str) -> Sequence[float]:
        """The embedding of a question."""


class HostEncoder(Encoder):
    """An embedding model that the application already has. Write `_embed_documents` and `_embed_query`.

    Args:
        model: the host's object.
        name: what to call it in fingerprints. `None`: its module, class and model name. Two models with one name
            would be taken for the same.
        timeout: seconds to wait for the vector of a question, and one more for each text beyond the first, once the
            model has worked: what is asked is then answered by words alone, as when it fails. `None`: no limit.

    Raises:
        InputError: `timeout` is no number above 0.
    """

    def __init__(self, model: object, *, name: str | None = None, timeout: float | None = TIMEOUT) -> None:
        if timeout is not None and (
            isinstance(timeout, bool) or not isinstance(timeout, int | float) or not timeout > 0
        ):
            raise InputError(f"timeout must be None or a number of seconds above 0, got {timeout!r}")
        self._patience = Patience(timeout)
        self._name = _name_of(model) if name is None else name
        self._dim: int | None = None
        self._seen = False
        """Whether a vector has shown the dimension; else it is what a fingerprint says."""

    @property
    def fingerprint(self) -> str:
        """Name and dimension; the weights of a host's model cannot be looked at."""
        return f"{self._name}/{self.dim}"

    @property
    def dim(self) -> int:
        """Length of a vector, learned from the first one; if there is none yet, one short text is embedded."""
        if self._dim is None:
            self.embed([_PROBE], "document")
        return self._dim or 0

    def made(self, fingerprint: str) -> bool:
        """Whether vectors under this fingerprint are the model's; by name alone if it fails and none was seen yet.

        So a process that starts in an outage can use the memory. If the vectors are of another length when the model
        works again, it is told then.
        """
        try:
            return super().made(fingerprint)
        except EncoderError:
            name, _, dim = fingerprint.rpartition("/")
            if name != self._name or not dim.isdecimal():
                raise
            self._dim = int(dim)
            return True

    def embed(self, texts: Sequence[str], kind: InputKind) -> Matrix:
        """The host's embeddings of `texts`, shape (len(texts), dim).

        Raises:
            EncoderError: the host's model failed, or did not return one finite vector a text, all of one length.
        """
        try:
            # The first call may have to load the model, or to fetch it.
            patience = self._patience if self._worked else _ENDLESS
            rows = patience.call(lambda: self._rows_of(texts, kind), len(texts))
        except Exception as error:
            raise EncoderError(f"{self._name} could not embed {len(texts)} texts: {error}") from error
        if not self._seen:
            self._dim, self._seen = _length_of_first(rows), True
        return unit_rows(rows, rows=len(texts), dim=self._dim or 0)

    def _rows_of(self, texts: Sequence[str], kind: InputKind) -> Rows:
        """What the host's model returns."""
        return [self._embed_query(text) for text in texts] if kind == "query" else self._embed_documents(list(texts))

    @abstractmethod
    def _embed_documents(self, texts: list[str]) -> Rows:
        """One embedding a text."""

    @abstractmethod
    def _embed_query(self, text: str) -> Sequence[float]:
        """The embedding of a question."""


class LangChainEncoder(HostEncoder):
    """Any LangChain `Embeddings`.

    Args:
        embeddings: the LangChain object.
        name: what to call it in fingerprints.
        timeout: seconds to wait for the vector of a question; `None`: no limit.
    """

    def __init__(
        self, embeddings: LangChainEmbeddings, *, name: str | None = None, timeout: float | None = TIMEOUT
    ) -> None:
        super().__init__(embeddings, name=name, timeout=timeout)
        self._embeddings = embeddings

    def _embed_documents(self, texts: list[str]) -> Rows:
        return self._embeddings.embed_documents(texts)

    def _embed_query(self, text: str) -> Sequence[float]:
        return self._embeddings.embed_query(text)


class LlamaIndexEncoder(HostEncoder):
    """Any LlamaIndex `BaseEmbedding`.

    Args:
        embedding: the LlamaIndex object.
        name: what to call it in fingerprints.
        timeout: seconds to wait for the vector of a question; `None`: no limit.
    """

    def __init__(
        self, embedding: LlamaIndexEmbedding, *, name: str | None = None, timeout: float | None = TIMEOUT
    ) -> None:
        super().__init__(embedding, name=name, timeout=timeout)
        self._embedding = embedding

    def _embed_documents(self, texts: list[str]) -> Rows:
        return self._embedding.get_text_embedding_batch(texts)

    def _embed_query(self, text: str) -> Sequence[float]:
        return self._embedding.get_query_embedding(text)


_HOSTS: tuple[tuple[tuple[str, str], Callable[..., HostEncoder]], ...] = (
    (("embed_documents", "embed_query"), LangChainEncoder),
    (("get_text_embedding_batch", "get_query_embedding"), LlamaIndexEncoder),
)
"""By which methods a framework's embedding model is known."""


def host_encoder(model: object) -> HostEncoder | None:
    """The encoder over a host's embedding model; `None` if `model` is no such object."""
    if isinstance(model, type):
        return None  # A class has the methods too, but nothing that they could run on.
    for methods, encoder in _HOSTS:
        if all(callable(getattr(model, method, None)) for method in methods):
            return encoder(model)
    return None


def _name_of(model: object) -> str:
    """Module, class and, where the object tells it, the name of the model."""
    named = (getattr(model, attribute, None) for attribute in ("model", "model_name"))
    model_name = next((value for value in named if isinstance(value, str)), "")
    return f"{type(model).__module__}.{type(model).__qualname__}:{model_name}"


def _length_of_first(rows: Rows) -> int:
    try:
        length = len(rows[0])
    except (TypeError, IndexError) as error:
        raise EncoderError(f"the encoder returned something that is not a list of vectors: {error}") from error
    if length == 0:
        raise EncoderError("the encoder returned vectors of length 0")
    return length
