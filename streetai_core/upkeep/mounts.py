"""Which file system a file is on: SQLite's log needs shared memory, which network file systems do not have."""

from __future__ import annotations

import os
import re
from pathlib import Path

_MOUNTS = Path("/proc/mounts")
"""Where Linux tells; other systems do not, in a file."""

_NETWORK = frozenset(
    {
        *("9p", "afs", "beegfs", "ceph", "cifs", "coda", "gfs", "gfs2", "glusterfs", "gpfs", "lustre", "ncpfs"),
        *("nfs", "nfs4", "ocfs2", "orangefs", "smb3", "smbfs", "vboxsf", "webdav"),
        *("fuse.ceph", "fuse.gcsfuse", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "fuse.vmhgfs-fuse"),
    }
)
"""Types of file systems that other machines, real or virtual, write at the same time."""

_ESCAPED = re.compile(r"\\([0-7]{3})")
"""Spaces and the like in a mount point, as octal numbers."""


def network_file_system(path: str, mounts: str | None = None) -> str | None:
    """The type of the network file system that a file is on; `None` if it is on none, or nobody can tell.

    Args:
        path: the file; need not be there.
        mounts: the list of mounts in the form of `/proc/mounts`; `None`: this machine's.
    """
    if mounts is None:
        try:
            mounts = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")
        except OSError:
            return None
    real = os.path.realpath(path)
    found, longest = None, -1
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:  # noqa: PLR2004 - device, place, type
            continue
        place, kind = _ESCAPED.sub(lambda match: chr(int(match[1], 8)), fields[1]), fields[2]
        # A later mount on the same place covers the earlier one.
        if _is_below(real, place) and len(place) >= longest:
            found, longest = kind, len(place)
    return found if found in _NETWORK else None


def _is_below(path: str, folder: str) -> bool:
    return folder in ("/", path) or path.startswith(folder.rstrip("/") + "/")
