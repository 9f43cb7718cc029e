# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Compare the record batches of two replicas of a partition."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

# Bytes of base offset and length, which the length does not include.
PREFIX = 12
# Position of the magic byte. The leader epoch before it may differ between replicas.
CONTENT = 16
# Position of the last offset relative to the base, in batches of format 2 (Kafka 0.11 and later).
LAST_OFFSET = 23


@dataclass(frozen=True)
class Batch:
    """A record batch: its offsets and a checksum of its bytes."""

    base: int
    last: int
    crc: int


def parse_batches(records: bytes) -> list[Batch]:
    """Return the complete batches of a fetch response; the last one is often truncated."""
    found = []
    at = 0
    while at + PREFIX <= len(records):
        base, length = struct.unpack_from(">qi", records, at)
        end = at + PREFIX + length
        if length <= 0 or end > len(records):
            break
        last = base
        if records[at + CONTENT] >= 2:
            last += struct.unpack_from(">i", records, at + LAST_OFFSET)[0]
        found.append(Batch(base, last, zlib.crc32(records[at + CONTENT : end])))
        at = end
    return found


@dataclass(frozen=True)
class Comparison:
    """Offset up to which two replicas are equal, and the offset of the first difference if any."""

    next: int
    differs: int | None = None


def compare(offset: int, one: Sequence[Batch], other: Sequence[Batch]) -> Comparison:
    """Compare the batches of two replicas from ``offset`` on, as far as both responses reach."""
    reached = offset
    # The lists may differ in length; without `strict`, because hosts may have Python 3.9.
    for left, right in zip(one, other):
        if left != right:
            return Comparison(reached, min(left.base, right.base))
        reached = max(reached, left.last + 1)
    return Comparison(reached)
