"""The files that commands write."""

from __future__ import annotations

import os
from pathlib import Path

from streetai_core.errors import InputError
from streetai_core.stores.paths import followed
from streetai_core.upkeep.files import beside, check_file


def free_place(output: Path, database: Path, *, force: bool) -> Path:
    """Where a file may be written; behind a link, the file that it leads to.

    Args:
        output: what the user gave.
        database: what is read.
        force: whether a file that is there may be replaced.

    Raises:
        InputError: it may not be written.
    """
    place = Path(followed(output))
    # `Path.resolve` raises what nobody expects for a link that leads to itself.
    if os.path.realpath(place) in beside(os.path.realpath(database)):
        raise InputError(f"{output} is the database itself, or a part of it")
    check_file(str(place))
    if place.exists() and not force:
        raise InputError(f"{output} is there already; give --force to replace it")
    return place
