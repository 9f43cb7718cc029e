# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Which driver answers at which port."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count


def status_ports(names: Iterable[str], first: int, own: Mapping[str, int]) -> dict[str, int]:
    """The port of each pipeline: its own in ``own``, else the next one from ``first`` that is free.

    A pipeline that is taken away moves those behind it, but none that has a port of its own.
    """
    taken = set(own.values())
    free = (port for port in count(first) if port not in taken)
    return {name: own[name] if name in own else next(free) for name in names}
