# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Problems of the network between machines, from connections that they cannot make; no I/O."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .messages import shorten_list
from .platform_problem import Problem


def problems(
    failed: Mapping[str, Sequence[Mapping[str, Any]]], unreachable: Iterable[str] = ()
) -> list[Problem]:
    """Return a problem for each machine whose connections fail.

    ``failed`` has connections that services of a machine need and cannot make, by machine: each
    with ``instance``, ``machine``, ``address``, ``port`` and ``state`` (timeout, no route,
    "no result in 2.5 s"). ``unreachable`` machines have a problem of their own, which explains
    these connections.
    """
    known = set(unreachable)
    left = [
        (machine, each)
        for machine, connections in failed.items()
        for each in connections
        if not known.intersection(_machines(machine, each))
    ]
    found = []
    while left:
        machine = _most_frequent(left)
        own = [pair for pair in left if machine in _machines(*pair)]
        left = [pair for pair in left if machine not in _machines(*pair)]
        found.append(_problem(machine, own))
    return found


def _machines(client: str, connection: Mapping[str, Any]) -> tuple[str, str]:
    return client, str(connection["machine"])


def _most_frequent(pairs: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    """Return the machine with most other machines that it has no connection to."""
    others = {_machines(*pair) for pair in pairs}
    links = {tuple(sorted(each)) for each in others}
    counted = Counter(machine for each in sorted(links) for machine in each)
    return counted.most_common(1)[0][0]


def _problem(machine: str, pairs: Sequence[tuple[str, Mapping[str, Any]]]) -> Problem:
    others = sorted({other for pair in pairs for other in _machines(*pair)} - {machine})
    ports = sorted({f"{each['instance']} at {each['address']}:{each['port']}" for _, each in pairs})
    states = sorted({str(each["state"]) for _, each in pairs})
    return Problem(
        "ConnectionFails",
        machine,
        f"connections between {machine} and {shorten_list(others)} fail ({', '.join(states)}): "
        f"{shorten_list(ports)}",
    )
