# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Bind mounts of data disks: the parent directory of their mount points, or each mount point.

The engine checks each source of a bind mount when it starts a container, and does not start it
after an I/O error. The parent directory is on another disk, so a container that binds it starts
with faulty disks too. Mounts of the host propagate into it: a disk that is mounted later is
visible without a restart.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from .. import mount_table

# System directories; their other content must not be visible to a broker.
SYSTEM = {
    *("/", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib64", "/media", "/mnt", "/opt"),
    *("/proc", "/root", "/run", "/sbin", "/srv", "/sys", "/tmp", "/usr", "/usr/local", "/var"),
    *(
        "/var/cache",
        "/var/lib",
        "/var/lib/docker",
        "/var/lib/kafka-metal",
        "/var/local",
        "/var/log",
    ),
    *("/var/opt", "/var/spool", "/var/tmp"),
}


def is_within(path: str, folder: str) -> bool:
    """Whether ``path`` is ``folder`` or below it."""
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def mounts_propagate(path: str, mountinfo: str) -> bool:
    """Whether later mounts below ``path`` propagate to a container that binds it.

    ``mountinfo`` is the text of /proc/self/mountinfo. The last mount on a point counts.
    """
    best, found = "", False
    for row in mount_table.rows(mountinfo):
        if is_within(path, row.point) and len(row.point) >= len(best):
            best, found = row.point, row.follows
    return found


def disk_binds(
    paths: Sequence[str], mounts: Sequence[str], others: Iterable[str], mountinfo: str
) -> list[dict[str, str]]:
    """Return bind mounts in Compose's format for a container that uses ``paths``.

    ``mounts`` are mount points of declared disks. For a path on one of them the parent directory
    of the mount point is bound. The mount point itself is bound if the parent is a system
    directory, contains one of ``others`` (directories of other containers) or does not propagate
    mounts. A path on no declared disk is bound as it is.
    """
    used = [mount for mount in mounts if any(is_within(path, mount) for path in paths)]
    # Directories on the container's own disks are visible in any case.
    foreign = [each for each in others if not any(is_within(each, mount) for mount in used)]
    sources: dict[str, bool] = {}
    for path in paths:
        mount = next((each for each in mounts if is_within(path, each)), None)
        parent = os.path.dirname(mount) if mount else ""
        follows = (
            mount is not None
            and parent not in SYSTEM
            and not any(is_within(each, parent) for each in foreign)
            and mounts_propagate(parent, mountinfo)
        )
        sources[parent if follows else mount or path] = follows
    followed = [source for source, follows in sources.items() if follows]
    return [
        {"type": "bind", "source": source, "target": source}
        | ({"propagation": "rslave"} if follows else {})
        for source, follows in sources.items()
        if not any(source != above and is_within(source, above) for above in followed)
    ]
