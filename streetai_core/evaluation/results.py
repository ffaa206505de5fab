"""Results on disk: what is done of a run is kept, and every file is whole or not there."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from streetai_core.errors import InputError

_DIGEST_LENGTH = 16
"""Hex digits of a key in a file's name: 64 bits."""

_PARTS = "parts"
"""Folder of the results of single conversations."""


class ResultsFolder:
    """Where a benchmark writes.

    Args:
        path: made at the first write.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def part(self, label: str, key: Mapping[str, Any]) -> list[dict[str, Any]] | None:
        """The rows that an earlier run saved under this key; `None` if there are none, or the file is damaged."""
        try:
            with self._part_path(label, key).open(encoding="utf-8") as lines:
                return [json.loads(line) for line in lines]
        except (OSError, ValueError):
            return None

    def save_part(self, label: str, key: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> None:
        """Keep the rows of a part of a run.

        Args:
            label: for people who look into the folder.
            key: everything that the rows depend on, as JSON values.
            rows: JSON values.

        Raises:
            InputError: the folder cannot be written.
        """
        self._write(self._part_path(label, key), _lines(rows))

    def kept(
        self, label: str, key: Mapping[str, Any], make: Callable[[], Sequence[Mapping[str, Any]]]
    ) -> tuple[list[dict[str, Any]], bool]:
        """The rows of a part of a run, made and saved now if no earlier run did, and whether one did.

        Raises:
            InputError: the folder cannot be written.
        """
        rows = self.part(label, key)
        if rows is not None:
            return rows, True
        self.save_part(label, key, made := make())
        return [dict(row) for row in made], False

    def save(self, name: str, summary: Mapping[str, Any]) -> Path:
        """Write `name`.json, and return its path.

        Raises:
            InputError: the folder cannot be written.
        """
        path = self.path / f"{name}.json"
        self._write(path, json.dumps(summary, indent=2, ensure_ascii=False) + "\n")
        return path

    def save_rows(self, name: str, rows: Iterable[Mapping[str, Any]]) -> Path:
        """Write `name`.jsonl, one row a line, and return its path.

        Raises:
            InputError: the folder cannot be written.
        """
        path = self.path / f"{name}.jsonl"
        self._write(path, _lines(rows))
        return path

    def _part_path(self, label: str, key: Mapping[str, Any]) -> Path:
        digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:_DIGEST_LENGTH]
        slug = re.sub(r"[^A-Za-z0-9.]+", "-", label).strip("-")
        return self.path / _PARTS / f"{slug}-{digest}.jsonl"

    def _write(self, path: Path, text: str) -> None:
        """Write a file that is there as a whole or not at all."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_name(f"{path.name}.{os.getpid()}.part")
            try:
                part.write_text(text, encoding="utf-8", newline="\n")
                part.replace(path)
            finally:
                part.unlink(missing_ok=True)
        except OSError as error:
            raise InputError(f"cannot write the results to {str(path.parent)!r}: {error.strerror or error}") from error


def _lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
