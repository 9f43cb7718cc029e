# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The immutable flag of a directory (chattr +i), which prevents writes even by root."""

from __future__ import annotations

import fcntl
import os
import struct

# ioctl(2) requests that chattr uses, for ext4, XFS, btrfs and overlay.
_GET_FLAGS, SET_FLAGS, IMMUTABLE = 0x80086601, 0x40086602, 0x10


def read_flags(descriptor: int) -> int:
    """Return all flags of an open directory; raises OSError if the file system has none."""
    buffer = bytearray(struct.calcsize("l"))
    fcntl.ioctl(descriptor, _GET_FLAGS, buffer)
    return int(struct.unpack("l", bytes(buffer))[0])


def is_immutable(folder: str) -> bool:
    """Whether the immutable flag is set; False if the file system has no flags."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return bool(read_flags(descriptor) & IMMUTABLE)
    except OSError:
        # The file system has no such flag; make_immutable reports the error.
        return False
    finally:
        os.close(descriptor)


def make_immutable(folder: str) -> None:
    """Set the flag; raises OSError if the file system has none."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.ioctl(descriptor, SET_FLAGS, struct.pack("l", read_flags(descriptor) | IMMUTABLE))
    finally:
        os.close(descriptor)
