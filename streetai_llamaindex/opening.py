"""Which engine a component works on: one per file and process, found again by everything that was serialised.

An `Opening` stands for a `MemoryRegistry` and makes it when it is first needed, so that constructors do no I/O.
Openings are kept for the process under their address, plain JSON that goes into `to_dict()`: a memory that comes back
from JSON, from a pickle or in a copied `Context` finds the same engine by it, and in another process opens the file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict
from uuid import uuid4
from weakref import WeakSet, WeakValueDictionary

from streetai_core import Config, MemoryRegistry
from streetai_core.config import STRATEGIES
from streetai_core.encoders import CachedEncoder, as_encoder, default_encoder
from streetai_core.errors import InputError
from streetai_core.forking import fork_safe_lock
from streetai_core.stores import ReferenceStore, SqliteStore
from streetai_core.stores.paths import database
from streetai_llamaindex.unknown_strategy import UnknownStrategy


class Address(TypedDict):
    """Where an engine is; nothing but JSON."""

    engine: str
    """Names the opening in this process; another process does not know it."""
    path: str | None
    """The database file; `None`: the engine lives in this process only."""
    encoder: str | None
    """Name of the embedding model; `None`: the default one."""
    config: dict[str, object] | None
    """Settings; `None`: the default ones."""


class Lease:
    """One component's use of an opening; the engine is closed with its last lease."""

    __slots__ = ("__weakref__",)


@dataclass(frozen=True)
class _Key:
    """What two components must have in common to share an engine that neither of them was given."""

    path: str
    encoder: int | None
    """Identity of the embedding model: two of one name can still differ. `None`: the default one."""
    config: Config


class Opening:
    """A registry that is made when it is first needed. Safe to use from several threads.

    Make one with `opening_of` or `reopened`, and hold a lease of it for as long as it is used.
    """

    def __init__(
        self,
        *,
        registry: MemoryRegistry | None = None,
        path: str | None = None,
        embed_model: object = None,
        config: Config | None = None,
        missing: str | None = None,
    ) -> None:
        """Remember how to open.

        Args:
            registry: an engine that somebody else opened, and closes.
            path: else the database file; `None`: in RAM.
            embed_model: the model of an engine that is opened here.
            config: its settings.
            missing: why it cannot be opened; the error of its first use.
        """
        self.token = uuid4().hex
        self._given = registry
        self._made: MemoryRegistry | None = None
        self._path = path
        self._embed_model = embed_model
        self._config = config
        self._missing = missing
        self._lock = fork_safe_lock()
        self._leases: WeakSet[Lease] = WeakSet()

    @property
    def registry(self) -> MemoryRegistry:
        """The engine, opened now if it was not.

        Raises:
            InputError: what is needed to open it is not there.
            MissingExtraError: the embedding model needs a package that is not installed.
        """
        if self._given is not None:
            return self._given
        with self._lock:
            if self._missing is not None:
                raise InputError(self._missing)
            if self._made is None:
                store = ReferenceStore() if self._path is None else SqliteStore(self._path)
                self._made = MemoryRegistry(store, config=self._config, encoder=self._embed_model)
            return self._made

    @property
    def opened(self) -> MemoryRegistry | None:
        """The engine, if it is open. Waits for nothing, so that a finalizer may ask."""
        return self._made if self._given is None else self._given

    @property
    def path(self) -> str | None:
        """The database file; `None` if there is none."""
        if self._given is None:
            return self._path
        return self._given.store.path if isinstance(self._given.store, SqliteStore) else None

    @property
    def config(self) -> Config | None:
        """The settings; `None`: the default ones."""
        return self._config if self._given is None else self._given.config

    @property
    def can_open(self) -> bool:
        """Whether nothing is known to be missing."""
        return self._missing is None

    @property
    def is_persistent(self) -> bool:
        """Whether what is stored outlives the process."""
        if self._given is None:
            return self._path is not None
        return not isinstance(self._given.store, ReferenceStore)

    @property
    def address(self) -> Address:
        """What finds this engine again: in this process for sure, in another one by its file."""
        config = self.config
        return Address(
            engine=self.token,
            path=self.path,
            encoder=encoder_name(self._embed_model if self._given is None else self._given.encoder),
            config=None if config is None or config == Config() else config.to_dict(),
        )

    def lease(self) -> Lease:
        """Say that a component uses the engine, for as long as it holds what this returns."""
        lease = Lease()
        with self._lock:
            self._leases.add(lease)
        return lease

    def release(self, lease: Lease) -> None:
        """Give a lease back; closes an engine that was opened here and that nobody uses any more."""
        with self._lock:
            self._leases.discard(lease)
            if not self._leases:
                self._close()

    @property
    def is_used(self) -> bool:
        """Whether anybody holds a lease of it."""
        return bool(self._leases)

    def close_if_unused(self) -> None:
        """Close an engine that nobody holds a lease of."""
        with self._lock:
            if not self._leases:
                self._close()

    def _close(self) -> None:
        """Close what was opened here; the next use opens it again, except what was in RAM only."""
        made, self._made = self._made, None
        if made is None:
            return
        if self._path is None:
            self._missing = "this memory was in RAM and is closed; make a new one"
        # Last, so that a child that is forked meanwhile opens the file again, and has no engine that is half closed.
        made.close()


_lock = fork_safe_lock()
_by_key: dict[_Key, Opening] = {}
"""Openings by path. An entry goes when nobody holds a lease and another path is opened."""
_by_token: WeakValueDictionary[str, Opening] = WeakValueDictionary()
_by_registry: WeakValueDictionary[int, Opening] = WeakValueDictionary()
"""By the identity of the registry; the opening keeps the registry alive, so an identity is never taken twice."""


def check_unset(registry: MemoryRegistry | None, *, embed_model: object, config: object) -> None:
    """Refuse a registry that comes with what it has settled itself: one of the two would be ignored in silence.

    Args:
        registry: what was given as such; `None`: nothing, and anything goes.
        embed_model: `None`: not given.
        config: `None`: not given.

    Raises:
        InputError: a registry and one of the others are given.
    """
    if registry is not None and (embed_model is not None or config is not None):
        raise InputError("embed_model and config belong to the registry; give them to the MemoryRegistry instead")


def opening_of(
    registry: MemoryRegistry | None = None,
    *,
    path: str | os.PathLike[str] | None = None,
    embed_model: object = None,
    config: Config | None = None,
) -> Opening:
    """The opening for what a component was given. No I/O on it; engines on other files that nobody uses are closed.

    Args:
        registry: wins over all the others, and stays the caller's to close.
        path: the database file; `None`: in RAM, gone with the process.
        embed_model: a LlamaIndex `BaseEmbedding` or a StreetAI `Encoder`; `None`: all-MiniLM-L6-v2. LlamaIndex's
            `Settings.embed_model` is never asked.
        config: the settings.

    Raises:
        InputError: an argument cannot be used.
        ConfigError: the path is a URL.
    """
    file = _checked(path, embed_model, config)
    if registry is not None:
        return _of_registry(registry)
    if file is None:
        return _kept(Opening(embed_model=embed_model, config=config))
    key = _Key(os.path.realpath(file), None if embed_model is None else id(embed_model), config or Config())
    unused: list[Opening] = []
    with _lock:
        found = _by_key.get(key)
        if found is None:
            unused = [_by_key.pop(other) for other, opening in list(_by_key.items()) if not opening.is_used]
            found = _by_key[key] = Opening(path=key.path, embed_model=embed_model, config=config)
            _by_token[found.token] = found
    # So that a server with a file per user does not collect them; and outside the lock, for a disk may be slow.
    for opening in unused:
        opening.close_if_unused()
    return found


def reopened(address: Mapping[str, object], *, embed_model: object = None) -> Opening:
    """The opening that an address stands for: the same one in this process, else one on the same file. No I/O.

    Args:
        address: what `Opening.address` was.
        embed_model: needed in another process than the one that made the address, if the engine had one.

    Returns:
        An opening. If the address cannot be followed, as an engine in the RAM of another process cannot, it is one
        whose use raises an `InputError` that says what to give.
    """
    with _lock:
        found = _by_token.get(str(address.get("engine")))
    if found is not None and embed_model is None:
        return found
    path, name = address.get("path"), address.get("encoder")
    settings = address.get("config")
    config = _written_config(settings, path) if isinstance(settings, Mapping) else None
    if not isinstance(path, str):
        return opening_of(embed_model=embed_model, config=config)
    if name is not None and embed_model is None:
        alike = _opened_alike(os.path.realpath(path), str(name))
        return alike or _kept(
            Opening(
                path=path,
                config=config,
                missing=(
                    f"the memory in {path} was made with the embedding model {name}, which is not known in this "
                    "process. Give it as from_dict(data, embed_model=...), or open the file with it beforehand"
                ),
            )
        )
    return opening_of(path=path, embed_model=embed_model, config=config)


def encoder_name(embed_model: object) -> str | None:
    """What an embedding model is called in an address; `None` for the default one.

    Nothing is embedded and no model is loaded for it.
    """
    model = embed_model.wrapped if isinstance(embed_model, CachedEncoder) else embed_model
    if model is None or model is default_encoder():
        return None
    named = (getattr(model, attribute, None) for attribute in ("model_name", "model"))
    model_name = next((value for value in named if isinstance(value, str)), "")
    return f"{type(model).__module__}.{type(model).__qualname__}:{model_name}"


def _of_registry(registry: MemoryRegistry) -> Opening:
    """The one opening of an engine that somebody else opened."""
    if not isinstance(registry, MemoryRegistry):
        raise InputError(f"registry must be a streetai_core.MemoryRegistry, got {type(registry).__name__}")
    with _lock:
        found = _by_registry.get(id(registry))
        if found is None:
            found = _by_registry[id(registry)] = Opening(registry=registry)
            _by_token[found.token] = found
        return found


def _kept(opening: Opening) -> Opening:
    """An opening that is found by its token as long as anybody holds it."""
    with _lock:
        _by_token[opening.token] = opening
    return opening


def _opened_alike(path: str, name: str) -> Opening | None:
    """The latest opening of a file in this process whose model has this name."""
    with _lock:
        known = list(_by_token.values())
    alike = [
        one
        for one in known
        if one.can_open
        and one.path is not None
        and os.path.realpath(one.path) == path
        and one.address["encoder"] == name
    ]
    return alike[-1] if alike else None


def _written_config(settings: Mapping[str, Any], path: object) -> Config:
    """The settings that were written; with a strategy of the user's own if this process has opened the file with it."""
    name = settings.get("strategy")
    if not isinstance(name, str) or name in STRATEGIES:
        return Config.from_dict(settings)
    with _lock:
        known = list(_by_token.values())
    on_file = [
        one for one in known if one.path is not None and os.path.realpath(one.path) == os.path.realpath(str(path))
    ]
    alike = [one.config for one in on_file if one.config is not None and one.config.to_dict() == settings]
    return alike[-1] if alike else Config.from_dict({**settings, "strategy": UnknownStrategy(name)})


def _checked(path: str | os.PathLike[str] | None, embed_model: object, config: object) -> str | None:
    """The path, made absolute. Refuses where it is given what opening would refuse later.

    Raises:
        InputError: naming the argument.
        ConfigError: the path is a URL.
    """
    if config is not None and not isinstance(config, Config):
        raise InputError(f"config must be a streetai_core.Config, got {type(config).__name__}")
    if embed_model is not None:
        as_encoder(embed_model)
    if isinstance(path, MemoryRegistry):
        raise InputError("path must be a file's path, got a MemoryRegistry, which goes into registry=")
    return None if path is None else database(path)
