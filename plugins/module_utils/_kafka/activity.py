# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Whether somebody uses a cluster: a decision over two looks at it, no I/O."""

from __future__ import annotations

from collections.abc import Mapping

from .._common.messages import some

# Groups with members; Empty and Dead ones have none.
ACTIVE = {"stable", "preparingrebalance", "completingrebalance", "assigning", "reconciling"}
NAMED = 3
# Topic and group of the probe, which writes and reads always and takes next to nothing.
PROBE = "kafka-metal-probe"
OURS = {PROBE}


def signs(
    before: Mapping[str, int], after: Mapping[str, int], groups: Mapping[str, str], seconds: float
) -> list[str]:
    """Messages that say who uses the cluster; none when nobody does.

    ``before`` and ``after`` are end offsets summed over the partitions of each topic, ``groups``
    the state of each consumer group. Kafka's own topics do not count: a group that commits is
    active itself. Neither does what watches the cluster.
    """
    grown = {
        topic: after[topic] - before[topic]
        for topic in sorted(before)
        if topic in after
        and after[topic] > before[topic]
        and not topic.startswith("__")
        and topic not in OURS
    }
    found = []
    if grown:
        total = sum(grown.values())
        topics = some([f"{topic} ({count})" for topic, count in grown.items()], NAMED)
        found.append(f"{total} records were written within {seconds:g} s: {topics}")
    active = sorted(
        name
        for name, state in groups.items()
        if name not in OURS and state.lower().replace("_", "").replace("-", "") in ACTIVE
    )
    if active:
        found.append(f"{len(active)} consumer groups have members: {some(active, NAMED)}")
    return found
