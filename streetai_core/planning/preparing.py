"""From a caller's message to checked text, chunks and vectors: everything that needs no lock."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import partial
from typing import Any

import numpy as np

from streetai_core.config import Config
from streetai_core.encoders.base import Encoder, counted_tokens, token_limit
from streetai_core.errors import InputError
from streetai_core.planning.told import Told, told
from streetai_core.stores.values import utc
from streetai_core.text.chunking import Limits, split
from streetai_core.text.clean import check_id, clean, is_blank
from streetai_core.tokens import TokenCounter, count_stored
from streetai_core.types import ROLES, SOURCES, Chunk, Matrix, NewMessage
from streetai_core.vectors import rounded

Progress = Callable[[int, int], None]
"""Called with (chunks embedded so far, chunks in all)."""

Known = Callable[[Sequence[str]], Collection[str]]
"""Tells which of some ids belong to messages that are stored already."""

_SLICE = 1024
"""Chunks embedded between two calls of `progress`; also bounds the memory of a bulk import."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A message that is ready to be stored."""

    message: NewMessage
    """Cleaned; its time is there, and aware."""
    sanitised: bool
    tokens: int
    chunks: Sequence[Chunk]
    vectors: Matrix
    """Shape (len(chunks), dim): the numbers that are stored, in whatever precision."""
    told: Told | None
    """`None` if it cannot be recalled."""
    is_known: bool = False
    """Whether it was stored already when it was looked at: it is neither cut nor embedded again."""


def prepare(
    messages: Sequence[NewMessage],
    *,
    encoder: Encoder,
    config: Config,
    counter: TokenCounter,
    now: datetime,
    progress: Progress | None = None,
    known: Known | None = None,
) -> list[Prepared | None]:
    """Check, clean, chunk and embed messages; `None` for a blank one without metadata, which is not stored.

    Args:
        messages: what was said.
        encoder: whose vectors they get.
        config: the settings.
        counter: tells what resending them costs.
        now: the time of messages without one, aware.
        progress: called now and then while they are embedded.
        known: asked once for the ids that were given; what is stored already is not embedded again. `None`: nothing is.

    Raises:
        InputError: a message cannot be stored; the error says which and why.
        EncoderError: the model failed.
    """
    checked = [check(message, now, number) for number, message in enumerate(messages)]
    ids = [message.message_id for message, _ in checked if message.message_id is not None]
    there = known(ids) if known is not None and ids else ()
    chunked = [[] if message.message_id in there else _chunks(message, encoder, config) for message, _ in checked]
    texts = [
        message.content[chunk.start : chunk.end].strip()
        for (message, _), chunks in zip(checked, chunked, strict=True)
        for chunk in chunks
    ]
    vectors = encode_all(texts, encoder, config, progress)
    prepared: list[Prepared | None] = []
    first = 0
    for (message, sanitised), chunks in zip(checked, chunked, strict=True):
        own = vectors[first : first + len(chunks)]
        first += len(chunks)
        if is_blank(message.content) and not message.metadata:
            prepared.append(None)
            continue
        tokens = count_stored(message, counter)
        prepared.append(
            Prepared(
                message=message,
                sanitised=sanitised,
                tokens=tokens,
                chunks=chunks,
                vectors=own,
                told=told(message) if chunks else None,
                is_known=message.message_id in there,
            )
        )
    return prepared


def check(message: NewMessage, now: datetime, number: int = 0) -> tuple[NewMessage, bool]:
    """The message with clean text and an aware time, by default `now`, and whether characters of it were replaced.

    Raises:
        InputError: wrong type or role, a bad id, or metadata that is not plain JSON.
    """
    if not isinstance(message, NewMessage):
        raise InputError(f"message {number} must be a NewMessage, got {type(message).__name__}")
    if not isinstance(message.content, str):
        raise InputError(f"content of message {number} must be a str, got {type(message.content).__name__}")
    if message.role not in ROLES:
        raise InputError(f"role of message {number} must be one of {', '.join(ROLES)}, got {message.role!r}")
    if message.name is not None and not isinstance(message.name, str):
        raise InputError(f"name of message {number} must be a str, got {type(message.name).__name__}")
    _check_provenance(message, number)
    content, sanitised = clean(message.content)
    return replace(
        message,
        content=content,
        # The values of the vocabulary in place of those given, which may be equal to them and something else.
        role=ROLES[ROLES.index(message.role)],
        source=None if message.source is None else SOURCES[SOURCES.index(message.source)],
        conversation_id=_id(message.conversation_id, f"conversation_id of message {number}"),
        message_id=_id(message.message_id, f"message_id of message {number}"),
        # A blank one, as forms and exports have it, names nobody: it would make a person beside those without a name.
        name=None if message.name is None or is_blank(message.name) else clean(message.name)[0],
        created_at=_aware(message.created_at, number) or now,
        metadata=plain_json(message.metadata, f"metadata of message {number}"),
        trust=None if message.trust is None else float(message.trust),
        writer=_id(message.writer, f"writer of message {number}"),
    ), sanitised


def _id(value: str | None, what: str) -> str | None:
    """An id, if there is one."""
    return None if value is None else check_id(value, what)


def _check_provenance(message: NewMessage, number: int) -> None:
    """Source and trust.

    Raises:
        InputError: naming the one that cannot be used.
    """
    if message.source is not None and message.source not in SOURCES:
        raise InputError(f"source of message {number} must be one of {', '.join(SOURCES)}, got {message.source!r}")
    trust = message.trust
    if trust is not None and (isinstance(trust, bool) or not isinstance(trust, int | float) or not 0 <= trust <= 1):
        raise InputError(f"trust of message {number} must be a number from 0 to 1, got {trust!r}")


def plain_json(values: Mapping[str, Any] | None, what: str) -> dict[str, Any] | None:
    """A copy of `values` that is nothing but JSON; text in it is cleaned like content.

    Raises:
        InputError: something in it is not str, int, float, bool, None, list or dict, a number is not finite, or a key
            is no str.
    """
    if values is None:
        return None
    if not isinstance(values, Mapping):
        raise InputError(f"{what} must be a mapping, got {type(values).__name__}")
    try:
        text = json.dumps(dict(values), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(
            f"{what} must be plain JSON (str, int, finite float, bool, None, list, dict): {error}"
        ) from error
    _check_keys(values, what)
    copy: dict[str, Any] = json.loads(clean(text)[0], object_pairs_hook=partial(_each_once, what))
    return copy


def _check_keys(values: Mapping[str, Any], what: str) -> None:
    """Refuse keys that are no text: JSON would make text of them, and what is read would not be what was written.

    Raises:
        InputError: naming the first one.
    """
    left: list[Any] = [values]
    while left:
        value = left.pop()
        if isinstance(value, Mapping):
            for key in value:
                if not isinstance(key, str):
                    raise InputError(f"{what} has the key {key!r}, and keys of JSON are text: give it as {str(key)!r}")
            left += value.values()
        elif isinstance(value, list | tuple):
            left += value


def _each_once(what: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON.

    Raises:
        InputError: two keys are the same when they are clean, so that one value would be lost.
    """
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = next(name for name, count in Counter(name for name, _ in pairs).items() if count > 1)
        raise InputError(f"{what} has two keys that are {twice!r} when they are clean; one value would be lost")
    return values


def _aware(moment: datetime | None, number: int) -> datetime | None:
    """A time with a zone; UTC if it has none. What is a subclass of `datetime`, as pandas has one, becomes one."""
    if moment is None:
        return None
    utc(moment, f"created_at of message {number}")
    moment = datetime.combine(moment.date(), moment.timetz())
    return moment.replace(tzinfo=timezone.utc) if moment.tzinfo is None else moment


def _chunks(message: NewMessage, encoder: Encoder, config: Config) -> list[Chunk]:
    """The chunks of a message, if its role can be recalled."""
    if message.role not in config.signal_roles or is_blank(message.content):
        return []
    limits = Limits.of(config)
    if message.role == "tool":
        limits = replace(limits, max_chunks=min(limits.max_chunks, config.max_tool_chunks))
    counts = partial(counted_tokens, encoder)
    return split(message.content, limits, count_tokens=counts, max_tokens=token_limit(encoder))


def encode_all(texts: Sequence[str], encoder: Encoder, config: Config, progress: Progress | None = None) -> Matrix:
    """Vectors of all texts with the numbers that are stored, in slices when there are many.

    Everything is made of these: what is computed in RAM is what comes out of the rows again, to the bit.
    """
    if not texts:
        return np.zeros((0, 0), dtype=np.float32)
    slices = []
    for start in range(0, len(texts), _SLICE):
        slices.append(encoder.encode(texts[start : start + _SLICE], "document"))
        if progress is not None:
            progress(min(start + _SLICE, len(texts)), len(texts))
    return rounded(slices[0] if len(slices) == 1 else np.vstack(slices), config.vector_precision)
