"""Encoders: text in, unit vectors out.

Importing this loads no model and no machine-learning library; the first text that is encoded does.
"""

import functools

from streetai_core.encoders.base import Encoder, InputKind, unit_rows
from streetai_core.encoders.cache import CachedEncoder
from streetai_core.encoders.fast_embed import FastEmbedEncoder
from streetai_core.encoders.hashing import HashingEncoder
from streetai_core.encoders.host import HostEncoder, LangChainEncoder, LlamaIndexEncoder, host_encoder
from streetai_core.encoders.offline import OfflineMiniLM, offline_available
from streetai_core.errors import InputError
from streetai_core.forking import fork_safe_lock

__all__ = [
    "CachedEncoder",
    "Encoder",
    "FastEmbedEncoder",
    "HashingEncoder",
    "HostEncoder",
    "InputKind",
    "LangChainEncoder",
    "LlamaIndexEncoder",
    "OfflineMiniLM",
    "as_encoder",
    "default_encoder",
    "offline_available",
    "unit_rows",
]

_default_lock = fork_safe_lock()


def default_encoder() -> Encoder:
    """The encoder of this process when none is given: the offline model if it is installed, else fastembed's."""
    with _default_lock:
        return _make_default()


@functools.cache
def _make_default() -> Encoder:
    return OfflineMiniLM() if offline_available() else FastEmbedEncoder()


def as_encoder(value: object) -> Encoder:
    """The encoder that `value` is or stands for.

    Args:
        value: an `Encoder`, a LangChain `Embeddings`, a LlamaIndex `BaseEmbedding`, or `None` for the default.

    Raises:
        InputError: it is none of these.
    """
    if value is None:
        return default_encoder()
    encoder = value if isinstance(value, Encoder) else host_encoder(value)
    if encoder is None:
        what = f"the class {value.__qualname__}" if isinstance(value, type) else f"a {type(value).__qualname__}"
        raise InputError(
            f"{what} is not an encoder. Give an instance of streetai_core.encoders.Encoder, a LangChain "
            "Embeddings object, a LlamaIndex BaseEmbedding object, or None for the default model."
        )
    return encoder
