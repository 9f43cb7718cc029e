# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Status ports of pipelines' drivers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count


def status_ports(names: Iterable[str], first: int, own: Mapping[str, int]) -> dict[str, int]:
    """The port of each pipeline: the one in ``own``, or else the next free port from ``first``.

    Removing a pipeline shifts the ports of later pipelines without a fixed port.
    """
    taken = set(own.values())
    free = (port for port in count(first) if port not in taken)
    return {name: own[name] if name in own else next(free) for name in names}
