# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Bind mounts of data disks: of the directory above their mount points, or of each disk.

The engine looks at each source of a bind mount when it starts a container, and refuses the start
when a disk answers with an I/O error. The directory above the mount points is on another disk, so a
container that is bound to it starts whatever its disks do, and its mounts follow those of the host:
a disk that is unmounted and mounted there is seen without a restart.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from .. import mount_table

# Directories of the system, whose other content a broker must not see.
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


def within(path: str, folder: str) -> bool:
    """Whether ``path`` is ``folder`` or lies below it."""
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def propagates(path: str, mountinfo: str) -> bool:
    """Whether mounts that are made below ``path`` reach a container bound to it.

    ``mountinfo`` is the text of /proc/self/mountinfo. Of mounts on one point the last one counts.
    """
    best, found = "", False
    for row in mount_table.rows(mountinfo):
        if within(path, row.point) and len(row.point) >= len(best):
            best, found = row.point, row.follows
    return found


def disk_binds(
    paths: Sequence[str], mounts: Sequence[str], others: Iterable[str], mountinfo: str
) -> list[dict[str, str]]:
    """Bind mounts, in the words of the Compose specification, for a container that uses ``paths``.

    ``mounts`` are mount points of declared disks. A path on one of them is reached by the directory
    above that mount point, unless this is a directory of the system, holds one of ``others`` (what
    does not belong to the container) or does not hand on mounts: then by the mount point itself. A
    path on no declared disk is bound as it is.
    """
    used = [mount for mount in mounts if any(within(path, mount) for path in paths)]
    # What is on a disk of the container is visible with it anyway.
    foreign = [each for each in others if not any(within(each, mount) for mount in used)]
    sources: dict[str, bool] = {}
    for path in paths:
        mount = next((each for each in mounts if within(path, each)), None)
        parent = os.path.dirname(mount) if mount else ""
        follows = (
            mount is not None
            and parent not in SYSTEM
            and not any(within(each, parent) for each in foreign)
            and propagates(parent, mountinfo)
        )
        sources[parent if follows else mount or path] = follows
    followed = [source for source, follows in sources.items() if follows]
    return [
        {"type": "bind", "source": source, "target": source}
        | ({"propagation": "rslave"} if follows else {})
        for source, follows in sources.items()
        if not any(source != above and within(source, above) for above in followed)
    ]
