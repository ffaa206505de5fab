"""How the parts of `StoreSuite` get the stores that they test."""

from __future__ import annotations

from pathlib import Path

from streetai_core.stores.base import Store


class StoreMaking:
    """Makes the stores under test; `StoreSuite` is subclassed with `make_store`."""

    shares_data = True
    """Whether a second store made on the same folder sees the data of the first."""

    def make_store(self, folder: Path, *, busy_timeout: float = 30.0) -> Store:
        """A store whose data is in `folder`; `busy_timeout` is in seconds."""
        raise NotImplementedError(f"{type(self).__name__} must define make_store()")
