"""Which image beside an SQLite database fits it, and what is read of a memory that came from one."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from streetai_core.errors import StoreError
from streetai_core.stores.images import Content, Image, Images
from streetai_core.stores.rows import Row
from streetai_core.stores.types import Head

_log = logging.getLogger(__name__)

Select = Callable[..., list[Row]]
"""Executes a query with its values and gives all its rows."""

_LAST_ENTRY = """
SELECT version, hex(digest) FROM journal WHERE memory_key = ? AND version <= ? ORDER BY version DESC LIMIT 1
"""
_LAST_STEP = """
SELECT version, position, crc FROM credits WHERE memory_key = ? AND version <= ?
ORDER BY version DESC, position DESC LIMIT 1
"""
DELETION = "SELECT deletion_version FROM memories WHERE memory_key = ?"
"""No row if the memory itself is gone."""


def fitting_image(images: Images, select: Select, key: int, head: Head) -> Image | None:
    """The image of a memory, if what it was made of is still there; one that never fits again is deleted.

    Args:
        images: those beside the database.
        select: reads the database.
        key: the memory's number in it.
        head: the memory's row.
    """
    image = images.open(key)
    if image is None:
        return None
    of_this = image.proof[:2] == [head.token, head.generation]
    if of_this and image.version > head.version:
        # Somebody has gone on since this transaction began; or this is an old copy of the database.
        image.close()
        return None
    if head.deletion_version <= image.version and image.proof == _proof(select, key, head, image.version):
        return image
    image.close()
    with suppress(StoreError):
        images.drop(key)
    return None


def keep_image(images: Images, select: Select, key: int, head: Head, content: Content) -> None:
    """Write the image of a memory as it is at `head`; where that is not possible, there is none."""
    try:
        images.keep(key, head.version, _proof(select, key, head, head.version), content)
    except OSError as error:
        _log.info("no image of a memory is kept, so opening it takes longer: %s", error)


def _proof(select: Select, key: int, head: Head, version: int) -> list[Any]:
    """What tells a version of a memory from that of any other copy of the database.

    Each version but the first was made by a change of messages, which is in the journal with a hash of all before it,
    or by learning, whose steps carry the time of day. So two lines of events that are not the same up to a version
    differ in the last of one or the other.
    """
    last = [select(statement, key, version) for statement in (_LAST_ENTRY, _LAST_STEP)]
    return [head.token, head.generation, [list(row) for rows in last for row in rows]]
