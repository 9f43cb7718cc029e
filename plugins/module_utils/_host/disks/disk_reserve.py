# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""A reserve on each data disk, to be deleted when the disk is full.

A log dir without free space goes offline, and Kafka can delete nothing from it then: a broker needs
some space to start and to delete. `make disk-reserve` deletes the reserve, a file on the disk.
"""

from __future__ import annotations

import os

FILE = ".kafka-metal-reserve"
# Never more than PART of a disk, and created only if FREE_PART stays free: a deleted reserve comes
# back once its disk has space.
PART, FREE_PART = 0.02, 0.15
_MIB = 1024**2


def reserve_bytes(declared: int, size: int) -> int:
    """Return the bytes of the reserve on a file system of ``size`` bytes, in whole MiB."""
    return int(min(declared, size * PART)) // _MIB * _MIB


def missing_reserve_bytes(declared: int, size: int, free: int, present: int) -> int:
    """Return the bytes that the reserve file should have, 0 if it is not to be changed.

    ``present`` is its current size. A larger file is not reduced: use `make disk-reserve`.
    """
    goal = reserve_bytes(declared, size)
    if goal <= present or free - (goal - present) < size * FREE_PART:
        return 0
    return goal


def read(mount: str, declared: int) -> int:
    """Return ``missing_reserve_bytes`` for the mount ``mount``; 0 if it cannot be read."""
    try:
        of = os.statvfs(mount)
        present = _taken(mount)
    except OSError:
        return 0
    return missing_reserve_bytes(
        declared, of.f_blocks * of.f_frsize, of.f_bavail * of.f_frsize, present
    )


def _taken(mount: str) -> int:
    try:
        return os.stat(f"{mount}/{FILE}").st_blocks * 512
    except FileNotFoundError:
        return 0


def allocate(mount: str, size: int) -> None:
    """Allocate the reserve. Raises OSError; a partial file is removed."""
    path = f"{mount}/{FILE}"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        os.posix_fallocate(descriptor, 0, size)
        os.fsync(descriptor)
    except OSError:
        os.unlink(path)
        raise
    finally:
        os.close(descriptor)
