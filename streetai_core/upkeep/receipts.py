"""What an erasure did, to keep or to show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

Scope = Literal["message", "conversation", "author", "everything"]
"""What was asked to be forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Proof of an erasure. Holds nothing of what was erased."""

    memory_id: str
    scope: Scope
    found: bool
    """Whether there was anything to erase. False for what was never there, and for what was erased before: nothing is
    kept by which one could tell the two apart."""
    rows: Mapping[str, int]
    """Table -> how many rows were deleted from it; tables without any are left out."""
    files: tuple[str, ...]
    """The files that were searched for what was erased, byte by byte; none if nothing was erased, or there are none."""
    residual: int
    """Places in these files where 12 bytes of it still stand; those left out that a stored row has too."""
    pending: tuple[str, ...]
    """What could not be done yet and why. `MemoryRegistry.settle`, and the next write to the file, try again."""
    erased_at: datetime

    @property
    def complete(self) -> bool:
        """Whether nothing is left to do or to find; also if nothing was `found`, so that a request may be repeated."""
        return not self.residual and not self.pending

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "memory_id": self.memory_id,
            "scope": self.scope,
            "found": self.found,
            "rows": dict(self.rows),
            "files": list(self.files),
            "residual": self.residual,
            "pending": list(self.pending),
            "erased_at": self.erased_at.isoformat(),
            "complete": self.complete,
        }
