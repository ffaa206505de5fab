"""What made a result: version, commit, code, machine, command."""

from __future__ import annotations

import hashlib
import platform
import subprocess
import sys
from collections.abc import Iterable
from datetime import datetime, timezone
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from streetai_core import __version__
from streetai_core.evaluation.datasets import Dataset

_PACKAGES = ("numpy", "faiss-cpu", "fastembed", "onnxruntime", "sqlite-utils")
"""Whose versions can change a figure."""

_GIT_SECONDS = 10
"""A git that takes longer is not waited for; a result without a commit is still a result."""


def provenance() -> dict[str, Any]:
    """Date, versions, commit and command of this run, as JSON values, without names of folders."""
    return {
        "date": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "version": __version__,
        "git": git_version(),
        "code": code_digest(["streetai_core"]),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "packages": {name: found for name in _PACKAGES if (found := _version(name)) is not None},
        "command": " ".join(["streetai", *(_without_folder(argument) for argument in sys.argv[1:])]),
    }


def described(dataset: Dataset) -> dict[str, Any]:
    """Which data were measured on, and what looks wrong in them, as JSON values."""
    return {
        "name": dataset.name,
        "sha256": dataset.digest,
        "source": dataset.source,
        "licence": dataset.licence,
        "conversations": [recording.recording_id for recording in dataset.recordings],
        "warnings": list(dataset.warnings),
    }


def git_version() -> str | None:
    """Commit of the package's source, with `+changes` if files differ from it; `None` outside of a git checkout."""
    folder = Path(__file__).parent
    commit = _git(folder, "rev-parse", "--short", "HEAD")
    # A package installed below somebody else's checkout is not in its index.
    if not commit or not _git(folder, "ls-files", "../__init__.py"):
        return None
    return f"{commit}+changes" if _git(folder, "status", "--porcelain", "--", "..") else commit


def code_digest(packages: Iterable[str]) -> str:
    """SHA-256, hex, of the Python files of packages: equal for equal code, whatever was committed.

    Raises:
        ModuleNotFoundError: a package is not installed.
    """
    return hashlib.sha256("".join(_digest_of(package) for package in sorted(packages)).encode()).hexdigest()


@cache
def _digest_of(package: str) -> str:
    spec = find_spec(package)
    if spec is None:
        raise ModuleNotFoundError(f"there is no package {package!r}", name=package)
    total = hashlib.sha256()
    for folder in spec.submodule_search_locations or []:
        for path in sorted(Path(folder).rglob("*.py")):
            total.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    if not spec.submodule_search_locations and spec.origin:
        total.update(Path(spec.origin).read_bytes())
    return total.hexdigest()


def _git(folder: Path, *arguments: str) -> str:
    """What git prints; empty if there is no git, or no checkout."""
    try:
        done = subprocess.run(  # noqa: S603 - fixed arguments
            ["git", *arguments],  # noqa: S607 - whichever git the user has
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
            timeout=_GIT_SECONDS,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _without_folder(argument: str) -> str:
    option, equals, value = argument.rpartition("=")
    return f"{option}{equals}{Path(value).name}" if "/" in value or "\\" in value else argument
