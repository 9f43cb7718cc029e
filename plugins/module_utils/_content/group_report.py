# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Reports and diffs of consumer groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .group_model import Bounds, Group, Remove, Step


def report(groups: Mapping[str, Group], bounds: Bounds, detail: bool) -> dict[str, Any]:
    """Return groups in plain types with their lag in records; ``detail`` adds partitions."""
    found = {}
    for name in sorted(groups):
        group = groups[name]
        lags = {
            key: max(0, bounds.ends[key] - offset)
            for key, offset in group.offsets.items()
            if key in bounds.ends
        }
        found[name] = {
            "state": group.state,
            "members": [{"client": each.client, "host": each.host} for each in group.members],
            "topics": sorted({topic for topic, _ in group.offsets}),
            "lag": sum(lags.values()),
        }
        if detail:
            found[name]["partitions"] = [
                {
                    "topic": topic,
                    "partition": number,
                    "offset": group.offsets[topic, number],
                    "end": bounds.ends.get((topic, number)),
                    "lag": lags.get((topic, number)),
                }
                for topic, number in sorted(group.offsets)
            ]
    return found


def difference(steps: Iterable[Step]) -> dict[str, Any]:
    """Return the groups before and after ``steps``, for ``--diff``."""
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    for step in steps:
        if isinstance(step, Remove):
            before[step.group] = {"partitions": step.partitions}
        else:
            before[step.group] = {f"{key[0]}-{key[1]}": at for key, at in step.before.items()}
            after[step.group] = {f"{key[0]}-{key[1]}": at for key, at in step.after.items()}
    return {"before": before, "after": after}
