"""What an examination of a database file found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

Severity = Literal["damage", "problem", "note"]
"""damage: something stored cannot be read, or is not what was written. problem: something will go wrong, or be refused.
note: good to know, nothing to do."""

SEVERITIES: tuple[Severity, ...] = ("damage", "problem", "note")
"""The worst first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was found."""

    severity: Severity
    what: str
    """What was found."""
    advice: str
    """What to do about it."""
    memory_id: str | None = None
    """Whose rows it is about; `None`: the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryHealth:
    """One memory of the file."""

    memory_id: str
    rows: Mapping[str, int]
    """Table -> rows that are whole."""
    damaged: Mapping[str, int]
    """Table -> rows that are damaged, missing, or not found by an index; tables without any are left out."""
    encoder: str | None
    """Fingerprint of what made its vectors; `None`: it has none."""

    @property
    def whole(self) -> bool:
        """Whether everything that was stored is there as it was written."""
        return not self.damaged


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """The state of a database file."""

    path: str
    readable: bool
    """Whether it could be opened and examined at all."""
    findings: tuple[Finding, ...]
    """The worst first."""
    memories: tuple[MemoryHealth, ...] = ()
    """By id; those whose row of counters is damaged are findings only."""
    size_bytes: int = 0
    log_bytes: int = 0
    """Of the write-ahead log. What was deleted lately may be in it until it is copied."""
    free_bytes: int = 0
    """Of pages that hold nothing."""
    schema_version: int = 0
    sqlite_version: str = ""

    @property
    def healthy(self) -> bool:
        """Whether there is nothing to do: no damage and no problem."""
        return self.readable and all(finding.severity == "note" for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        values = asdict(self)
        values["memories"] = [{**asdict(one), "whole": one.whole} for one in self.memories]
        values["findings"] = [asdict(one) for one in self.findings]
        return {"healthy": self.healthy, **values}
