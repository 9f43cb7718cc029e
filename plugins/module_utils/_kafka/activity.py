# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Decide whether clients use a cluster, from two reads of its state; no I/O."""

from __future__ import annotations

from collections.abc import Mapping

from .._problems.messages import shorten_list

# States of groups with members; Empty and Dead groups have none.
ACTIVE = {"stable", "preparingrebalance", "completingrebalance", "assigning", "reconciling"}
NAMED = 3
# Topic and group of the probe, which always writes and reads a little.
PROBE = "kafka-metal-probe"
OURS = {PROBE}


def activity_messages(
    before: Mapping[str, int], after: Mapping[str, int], groups: Mapping[str, str], seconds: float
) -> list[str]:
    """Return messages on clients that use the cluster; none if it is unused.

    ``before`` and ``after`` are end offsets summed over the partitions of each topic, ``groups``
    the state of each consumer group. Kafka's internal topics do not count, because a group that
    commits has members. The probe of the monitoring does not count either.
    """
    written = {
        topic: after[topic] - before[topic]
        for topic in sorted(before)
        if topic in after
        and after[topic] > before[topic]
        and not topic.startswith("__")
        and topic not in OURS
    }
    found = []
    if written:
        total = sum(written.values())
        topics = shorten_list([f"{topic} ({count})" for topic, count in written.items()], NAMED)
        found.append(f"{total} records were written within {seconds:g} s: {topics}")
    active = sorted(
        name
        for name, state in groups.items()
        if name not in OURS and state.lower().replace("_", "").replace("-", "") in ACTIVE
    )
    if active:
        found.append(f"{len(active)} consumer groups have members: {shorten_list(active, NAMED)}")
    return found
