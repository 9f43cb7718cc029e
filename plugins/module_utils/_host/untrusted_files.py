# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Safe reads by root in directories that users of containers can write to.

Reads never block on a pipe, follow no links to devices or secrets, and have a size limit.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO

# Bytes. Markers and properties have a few kB, a broker's configuration up to 20 kB.
LIMIT = 1024**2


class PlantedError(OSError):
    """Not a short regular file; the message has the path, what was found and what is allowed."""


def read_content(path: str, limit: int = LIMIT) -> bytes:
    """Return the content of a regular file with at most ``limit`` bytes.

    Raises PlantedError for any other file, and OSError if it cannot be read.
    """
    with _open_regular(path) as stream:
        found = stream.read(limit + 1)
    if len(found) > limit:
        raise PlantedError(f"{path}: found more than {limit} bytes; allowed: at most {limit}")
    return found


def read_tail(path: str, limit: int) -> bytes:
    """Return the last ``limit`` bytes of a regular file; raises as ``read_content``."""
    with _open_regular(path) as stream:
        stream.seek(max(0, os.fstat(stream.fileno()).st_size - limit))
        return stream.read(limit)


def _open_regular(path: str) -> BinaryIO:
    # Opening a pipe would wait for its writer; opening some devices has side effects.
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
