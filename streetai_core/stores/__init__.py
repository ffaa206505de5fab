"""Stores: the durable truth."""

from streetai_core.stores.base import Store
from streetai_core.stores.reference import ReferenceStore
from streetai_core.stores.sqlite import SqliteStore

__all__ = ["ReferenceStore", "SqliteStore", "Store"]
