# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Whether two replicas of a partition hold the same record batches."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

# Base offset and length stand before what the length counts.
PREFIX = 12
# The leader epoch behind them is the replica's own note; from the magic byte on all is equal.
CONTENT = 16
# Of the format that Kafka writes since 0.11: last offset relative to the base.
LAST_OFFSET = 23


@dataclass(frozen=True)
class Batch:
    """A record batch: its offsets and a checksum of its bytes."""

    base: int
    last: int
    crc: int


def batches(records: bytes) -> list[Batch]:
    """The complete batches in an answer to Fetch; the last one is often cut off."""
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
    """Compare what two replicas answered at ``offset``, as far as both answered."""
    reached = offset
    # One answer may reach further than the other; no `strict`: hosts may have Python 3.9.
    for left, right in zip(one, other):
        if left != right:
            return Comparison(reached, min(left.base, right.base))
        reached = max(reached, left.last + 1)
    return Comparison(reached)
