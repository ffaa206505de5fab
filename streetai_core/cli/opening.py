"""What the commands on a database have in common: the file, which of its memories, and the encoder that made it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from streetai_core.cli.usage import GivenPath, usable_id
from streetai_core.cli.wording import one_line
from streetai_core.errors import EncoderMismatchError, InputError
from streetai_core.rendering import command

if TYPE_CHECKING:
    from streetai_core.config import Config
    from streetai_core.encoders.base import Encoder
    from streetai_core.memory import Memory
    from streetai_core.registry import MemoryRegistry
    from streetai_core.stores.base import Store

_SHOWN_IDS = 10
"""Ids that an error lists."""

_HASHED_DIM = 384
"""Of the vectors of `--encoder hashing`; the published product takes no other length."""


def _checked(_context: click.Context, _parameter: click.Parameter, file: Path) -> Path:
    """The database that was named, if it is named by a path.

    Raises:
        ConfigError: it is a URL.
    """
    from streetai_core.stores.paths import absolute

    absolute(file, "FILE")
    return file


file_argument = click.argument("file", type=GivenPath(), callback=_checked)

memory_option = click.option(
    "--memory",
    "memory_id",
    metavar="ID",
    callback=usable_id,
    help="Which memory; may be left out where the file has only one.",
)

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON value, nothing else.")

encoder_option = click.option(
    "--encoder",
    "encoder_name",
    type=click.Choice(["default", "hashing"]),
    default="default",
    show_default=True,
    help="The embedding model, or hashed words, which need none.",
)


@dataclass(frozen=True, slots=True)
class Opened:
    """A memory of an open database."""

    registry: MemoryRegistry
    memory: Memory


@contextmanager
def open_store(file: Path) -> Iterator[Store]:
    """A database that is there.

    Raises:
        InputError: there is no such file, or it is a folder.
        StoreError: it cannot be read.
    """
    from streetai_core.stores.sqlite import SqliteStore

    if file.is_dir():
        raise InputError(f"{file} is a folder; give the database file")
    if not file.exists():
        raise InputError(f"there is no file {file}")
    with SqliteStore(file) as store:
        yield store


@contextmanager
def open_memory(
    file: Path, memory_id: str | None, config: Config | None = None, *, may_be_new: bool = False
) -> Iterator[Opened]:
    """One memory of a database, with the encoder that made its vectors.

    Args:
        file: the database.
        memory_id: which memory; `None`: the only one.
        config: its settings; `None`: those of `Config()`.
        may_be_new: whether file and memory are made where they are missing.

    Raises:
        InputError: it is not there, or there are several and none was named.
        ClickException: another encoder made its vectors; the message has the command that re-embeds.
        StoreError: the file cannot be read.
    """
    from streetai_core.registry import MemoryRegistry

    if may_be_new and memory_id is not None and not file.exists():
        with MemoryRegistry(file, config=config) as registry:
            yield Opened(registry, registry.get(memory_id))
        return
    with open_store(file) as store:
        chosen = memory_id if may_be_new and memory_id is not None else choose(file, store, memory_id)
        encoder = encoder_of(store, chosen)
        with explained(file, chosen), MemoryRegistry(store, config=config, encoder=encoder) as registry:
            yield Opened(registry, registry.get(chosen))


@contextmanager
def explained(file: Path, memory_id: str | None) -> Iterator[None]:
    """Tell who has the wrong encoder which command helps.

    Raises:
        ClickException: another encoder made the memory's vectors.
    """
    try:
        yield
    except EncoderMismatchError as error:
        chosen = ("--memory", memory_id) if memory_id else ()
        told = command("streetai", "reembed", file, *chosen)
        raise click.ClickException(
            one_line(f"another encoder made the vectors of this memory. Embed it anew with: {told}")
        ) from error


def choose(file: Path, store: Store, wanted: str | None) -> str:
    """The memory that is meant; of one that is named no other is looked at, which may be damaged.

    Raises:
        InputError: it is not there, or there are several and none was named.
        StoreError: the file cannot be read, or what is looked at is damaged.
    """
    if wanted is not None:
        with store.reading(wanted) as transaction:
            if transaction.head is not None:
                return wanted
    ids = store.memory_ids()
    if wanted is None and len(ids) == 1:
        return ids[0]
    if not ids:
        raise InputError(f"{file} has no memory yet")
    there = ", ".join(map(repr, ids[:_SHOWN_IDS])) + (" ..." if len(ids) > _SHOWN_IDS else "")
    if wanted is None:
        raise InputError(f"{file} has {len(ids)} memories; choose one with --memory: {there}")
    raise InputError(f"{file} has no memory {wanted!r}; it has {there}")


def encoder_of(store: Store, memory_id: str) -> Encoder | None:
    """The encoder that made the vectors of a memory, where the name tells; `None`: the default one."""
    from streetai_core.encoders import FastEmbedEncoder, HashingEncoder
    from streetai_core.encoders.fast_embed import MINILM

    with store.reading(memory_id) as transaction:
        head = transaction.head
    if head is None or head.encoder is None or head.dim is None:
        return None
    if head.encoder == HashingEncoder(head.dim).fingerprint:
        return HashingEncoder(head.dim)
    return FastEmbedEncoder() if head.encoder.startswith(MINILM) else None


def chosen_encoder(name: str) -> Encoder:
    """The encoder that `--encoder` names."""
    from streetai_core.encoders import HashingEncoder, default_encoder

    return HashingEncoder(_HASHED_DIM) if name == "hashing" else default_encoder()
