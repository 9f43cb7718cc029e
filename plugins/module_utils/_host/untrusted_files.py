# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Reads by root in directories that belong to users of containers, who may put anything there.

Never waits for a pipe, follows no link to a device or to a secret, and reads no more than a little.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO

# Markers, properties and labels have a few kB; configuration of a broker with all its listeners 20.
LIMIT = 1024**2


class PlantedError(OSError):
    """Something else than a short regular file; the message has path, find and what is allowed."""


def content(path: str, limit: int = LIMIT) -> bytes:
    """All of a regular file that has at most ``limit`` bytes.

    Raises PlantedError for anything else, and OSError where it cannot be read.
    """
    with _opened(path) as stream:
        found = stream.read(limit + 1)
    if len(found) > limit:
        raise PlantedError(f"{path}: found more than {limit} bytes; allowed: at most {limit}")
    return found


def tail(path: str, limit: int) -> bytes:
    """The last bytes of a regular file, ``limit`` at most; raises as ``content`` does."""
    with _opened(path) as stream:
        stream.seek(max(0, os.fstat(stream.fileno()).st_size - limit))
        return stream.read(limit)


def _opened(path: str) -> BinaryIO:
    # Opening a pipe would wait for its writer, and opening some devices does something.
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise PlantedError(f"{path}: found a link; allowed: a regular file") from error
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise PlantedError(f"{path}: found no regular file; allowed: a regular file")
    return open(handle, "rb")
