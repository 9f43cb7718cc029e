# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Room that is kept on each data disk for the day on which it is full.

A log dir without room goes offline, and then nothing that Kafka deletes frees any: a broker needs
some to start and to delete. The reserve is a file beside the log dir that one command gives free.
"""

from __future__ import annotations

import os

FILE = ".kafka-metal-reserve"
# Never more than this part of a disk, and never made where less than that part would stay free: a
# reserve that was given free comes back once its disk has room.
PART, FREE_PART = 0.02, 0.15
_MIB = 1024**2


def wanted(declared: int, size: int) -> int:
    """Bytes of the reserve on a file system of ``size`` bytes, whole MiB."""
    return int(min(declared, size * PART)) // _MIB * _MIB


def missing(declared: int, size: int, free: int, present: int) -> int:
    """Bytes the reserve file is to have, 0 where it stays as it is.

    ``present`` are the bytes it takes now. Too much is left alone: `make disk-reserve` is for that.
    """
    goal = wanted(declared, size)
    if goal <= present or free - (goal - present) < size * FREE_PART:
        return 0
    return goal


def read(mount: str, declared: int) -> int:
    """``missing`` for the file system that is mounted at ``mount``; 0 when it does not answer."""
    try:
        of = os.statvfs(mount)
        present = _taken(mount)
    except OSError:
        return 0
    return missing(declared, of.f_blocks * of.f_frsize, of.f_bavail * of.f_frsize, present)


def _taken(mount: str) -> int:
    try:
        return os.stat(f"{mount}/{FILE}").st_blocks * 512
    except FileNotFoundError:
        return 0


def make(mount: str, size: int) -> None:
    """Allocate the reserve. Raises OSError; what it had allocated by then is free again."""
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
