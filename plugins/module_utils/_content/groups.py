# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Plan resets and deletions of consumer groups; no I/O."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from .._common.suggestions import did_you_mean
from .._common.units import UnitError, duration_ms
from .._problems.messages import shorten_list
from .group_model import (
    EARLIEST,
    LATEST,
    OFFSET,
    TIME,
    Bounds,
    Commit,
    Group,
    GroupError,
    Key,
    Remove,
    Reset,
    Step,
    Store,
    Target,
)

AGO = re.compile(r"(.+?)\s+ago")
ALLOWED = (
    "earliest, latest, an offset, a time with its zone such as 2026-03-01T12:00:00+01:00, or a "
    "duration such as 2h ago"
)


def parse_target(value: Any, now_ms: int) -> Target:
    """Return the target of a user's value; raises UnitError."""
    text = str(value).strip()
    if text.lower() in (EARLIEST, LATEST):
        return Target(text.lower())
    if text.isdecimal() and not isinstance(value, bool):
        return Target(OFFSET, int(text))
    ago = AGO.fullmatch(text)
    if ago:
        return Target(TIME, now_ms - duration_ms(ago[1]))
    try:
        # Python before 3.11 does not parse the suffix Z.
        moment = datetime.fromisoformat(re.sub(r"[zZ]$", "+00:00", text))
    except ValueError:
        raise UnitError(f"found {value!r}; allowed: {ALLOWED}") from None
    if moment.tzinfo is None:
        raise UnitError(f"found {value!r}, a time without its zone; allowed: {ALLOWED}")
    return Target(TIME, int(moment.timestamp() * 1000))


def parse_resets(items: Sequence[Mapping[str, Any]], now_ms: int) -> list[Reset]:
    """Return the resets of the module's parameters; raises GroupError with all errors."""
    errors: list[str] = []
    resets: list[Reset] = []
    for number, item in enumerate(items):
        where = f"reset[{number}]"
        partitions = tuple(item.get("partitions") or ())
        topics = tuple(item.get("topics") or ())
        try:
            target = parse_target(item["to"], now_ms)
        except UnitError as error:
            errors.append(f"{where}.to: {error}")
            continue
        if partitions and len(topics) != 1:
            errors.append(f"{where}.partitions: found {len(topics)} topics; allowed: one topic")
        if target.kind == OFFSET and (len(topics) != 1 or not partitions):
            errors.append(
                f"{where}.to: found an offset; allowed: for named partitions of one topic"
            )
        whole = [each.group for each in resets if not each.topics]
        if not topics and item["group"] in whole:
            errors.append(f"{where}: found a second reset of all of group {item['group']}")
        resets.append(Reset(str(item["group"]), target, topics, partitions))
    if errors:
        raise GroupError(errors)
    return resets


def busy_reason(group: Group) -> str:
    """Return why a group must not be changed; empty if it may be changed."""
    if not group.members and group.state in ("Empty", "Dead", ""):
        return ""
    names = sorted({f"{member.client} at {member.host}" for member in group.members})
    members = f": {shorten_list(names)}" if names else ""
    return f"is {group.state} with {len(group.members)} members{members}; stop them first"


def reset_partitions(reset: Reset, group: Group, partitions: Mapping[str, int]) -> list[Key]:
    """Return the partitions of a reset; of named topics also those without a committed offset."""
    committed = [key for key in group.offsets if reset.covers(key)]
    named = [
        (topic, number)
        for topic in reset.topics
        for number in range(partitions.get(topic, 0))
        if reset.covers((topic, number))
    ]
    return sorted({*committed, *named})


def check(
    groups: Mapping[str, Group],
    resets: Sequence[Reset],
    absent: Sequence[str],
    partitions: Mapping[str, int],
) -> None:
    """Raise GroupError with all blockers of the resets and deletions."""
    errors = []
    for reset in resets:
        group = groups.get(reset.group)
        if group is None:
            near = did_you_mean(reset.group, groups)
            hint = f"; did you mean {near}?" if near else ""
            errors.append(f"group {reset.group}: does not exist{hint}")
            continue
        if busy_reason(group):
            errors.append(
                f"group {reset.group}: its offsets cannot be set: it {busy_reason(group)}"
            )
        for topic in reset.topics:
            if topic not in partitions:
                errors.append(f"group {reset.group}: topic {topic} does not exist")
            errors += [
                f"group {reset.group}: topic {topic} has no partition {number}"
                for number in reset.partitions
                if topic in partitions and number >= partitions[topic]
            ]
        if not reset.topics and not group.offsets:
            errors.append(f"group {reset.group}: has no offsets; name the topics")
    for name in absent:
        if name in groups and busy_reason(groups[name]):
            errors.append(f"group {name}: cannot be deleted: it {busy_reason(groups[name])}")
        if any(reset.group == name for reset in resets):
            errors.append(f"group {name}: is declared under reset and under absent")
    if errors:
        raise GroupError(errors)


def plan(
    groups: Mapping[str, Group],
    resets: Sequence[Reset],
    absent: Sequence[str],
    partitions: Mapping[str, int],
    bounds: Bounds,
) -> list[Step]:
    """Return the steps to the resets and deletions, none for unchanged groups.

    Raises GroupError.
    """
    check(groups, resets, absent, partitions)
    after: dict[str, dict[Key, int]] = {}
    errors = []
    for reset in resets:
        for key in reset_partitions(reset, groups[reset.group], partitions):
            if key not in bounds.starts:
                # The topic of an old committed offset was deleted.
                continue
            start, end = bounds.starts[key], bounds.ends[key]
            if reset.target.kind == OFFSET and not start <= reset.target.number <= end:
                errors.append(
                    f"group {reset.group}: {key[0]}-{key[1]}: found offset {reset.target.number}; "
                    f"allowed: {start} to {end}"
                )
            # The last reset of a partition wins.
            after.setdefault(reset.group, {})[key] = _offset(reset.target, key, bounds)
    if errors:
        raise GroupError(errors)
    steps: list[Step] = []
    for name in sorted(after):
        now = groups[name].offsets
        changes = {key: offset for key, offset in after[name].items() if now.get(key) != offset}
        if changes:
            before = {key: now[key] for key in changes if key in now}
            steps.append(Commit(name, before, changes))
    return steps + [
        Remove(name, len(groups[name].offsets)) for name in sorted(set(absent)) if name in groups
    ]


def _offset(target: Target, key: Key, bounds: Bounds) -> int:
    """Return the offset of a target in one partition; a time after the last record is the end."""
    if target.kind == EARLIEST:
        return bounds.starts[key]
    if target.kind == OFFSET:
        return target.number
    found = bounds.times.get((key, target.number), -1) if target.kind == TIME else -1
    return found if found >= 0 else bounds.ends[key]


def converge(store: Store, resets: Sequence[Reset], absent: Sequence[str], dry: bool) -> list[Step]:
    """Apply resets and deletions; return the steps; raises GroupError."""
    wanted = sorted({*(reset.group for reset in resets), *absent})
    if not wanted:
        return []
    groups = store.read_groups(None)
    partitions = store.read_partitions(
        {topic for reset in resets for topic in reset.topics}
        | {
            key[0]
            for reset in resets
            if reset.group in groups
            for key in groups[reset.group].offsets
        }
    )
    check(groups, resets, absent, partitions)
    keys: set[Key] = set()
    times: dict[int, set[Key]] = {}
    for reset in resets:
        found = [
            key
            for key in reset_partitions(reset, groups[reset.group], partitions)
            if key[1] < partitions.get(key[0], 0)
        ]
        keys.update(found)
        if reset.target.kind == TIME:
            times.setdefault(reset.target.number, set()).update(found)
    bounds = Bounds({}, {})
    for moment in times or {-1: set[Key]()}:
        more = store.read_bounds(keys, dict.fromkeys(times.get(moment, ()), moment))
        bounds = Bounds(more.starts, more.ends, {**bounds.times, **more.times})
    steps = plan(groups, resets, absent, partitions, bounds)
    if not dry:
        carry_out(store, steps)
    return steps


def carry_out(store: Store, steps: Sequence[Step]) -> None:
    """Apply all steps; raises one GroupError with every blocker."""
    commits = [step for step in steps if isinstance(step, Commit)]
    removals = [step.group for step in steps if isinstance(step, Remove)]
    refused = store.commit(commits) if commits else {}
    if removals:
        refused = {**refused, **store.delete_groups(removals)}
    if refused:
        blockers = [step for step in steps if step.group in refused]
        raise GroupError([f"{step}: {refused[step.group]}" for step in blockers])
