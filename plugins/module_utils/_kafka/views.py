# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Leaders and in-sync replicas as each broker reports them to its clients; no I/O.

Every broker has a copy of the metadata, which the controller updates. A broker that the controller
does not reach has an old copy: its clients wait for leaders that have changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from .snapshot import Partition

# Leader and sorted in-sync replicas, by name of the partition.
View = dict[str, tuple[int, tuple[int, ...]]]


def parse(topics: Iterable[Mapping[str, Any]]) -> View:
    """Return the view in a response to a metadata request."""
    return {
        f"{topic['name']}-{part['partition_index']}": (
            int(part["leader_id"]),
            tuple(sorted(part["isr_nodes"])),
        )
        for topic in topics
        if not topic["error_code"]
        for part in topic["partitions"]
    }


def differences(views: Mapping[int, View], controller: int) -> dict[int, tuple[str, ...]]:
    """Return the partitions that a broker reports differently from the controller, by broker.

    Empty without the controller's view. Topics that only one of both has are being created or
    deleted, and do not count.
    """
    if controller not in views:
        return {}
    reference = views[controller]
    found = {
        broker: tuple(
            sorted(name for name in view.keys() & reference.keys() if view[name] != reference[name])
        )
        for broker, view in sorted(views.items())
    }
    return {broker: names for broker, names in found.items() if names}


def lasting(
    first: Mapping[int, Iterable[str]], second: Mapping[int, Iterable[str]]
) -> dict[int, tuple[str, ...]]:
    """Return the differences that two readings have in common: an election takes moments."""
    both = {
        broker: tuple(sorted(set(names) & set(second.get(broker, ()))))
        for broker, names in first.items()
    }
    return {broker: names for broker, names in both.items() if names}


def as_seen(partitions: Iterable[Partition], view: View) -> tuple[Partition, ...]:
    """Return partitions with the leaders and in-sync replicas of a view that has them."""
    return tuple(
        replace(part, leader=view[part.name][0], isr=view[part.name][1])
        if part.name in view
        else part
        for part in partitions
    )
