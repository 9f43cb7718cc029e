# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Consumer groups: how far they are, where they are to go on, and which are to be gone; no I/O."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from .._common.messages import some
from .._common.suggestions import did_you_mean
from .._common.units import UnitError, duration_ms
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


def target_of(value: Any, now_ms: int) -> Target:
    """Where to go on, in the words of people; raises UnitError."""
    text = str(value).strip()
    if text.lower() in (EARLIEST, LATEST):
        return Target(text.lower())
    if text.isdecimal() and not isinstance(value, bool):
        return Target(OFFSET, int(text))
    ago = AGO.fullmatch(text)
    if ago:
        return Target(TIME, now_ms - duration_ms(ago[1]))
    try:
        # Python before 3.11 does not know the Z.
        moment = datetime.fromisoformat(re.sub(r"[zZ]$", "+00:00", text))
    except ValueError:
        raise UnitError(f"found {value!r}; allowed: {ALLOWED}") from None
    if moment.tzinfo is None:
        raise UnitError(f"found {value!r}, a time without its zone; allowed: {ALLOWED}")
    return Target(TIME, int(moment.timestamp() * 1000))


def resets_of(items: Sequence[Mapping[str, Any]], now_ms: int) -> list[Reset]:
    """Resets from the parameters of the module; raises GroupError with everything wrong."""
    wrong: list[str] = []
    resets: list[Reset] = []
    for number, item in enumerate(items):
        where = f"reset[{number}]"
        partitions = tuple(item.get("partitions") or ())
        topics = tuple(item.get("topics") or ())
        try:
            target = target_of(item["to"], now_ms)
        except UnitError as error:
            wrong.append(f"{where}.to: {error}")
            continue
        if partitions and len(topics) != 1:
            wrong.append(f"{where}.partitions: found {len(topics)} topics; allowed: one topic")
        if target.kind == OFFSET and (len(topics) != 1 or not partitions):
            wrong.append(f"{where}.to: found an offset; allowed: for named partitions of one topic")
        whole = [each.group for each in resets if not each.topics]
        if not topics and item["group"] in whole:
            wrong.append(f"{where}: found a second reset of all of group {item['group']}")
        resets.append(Reset(str(item["group"]), target, topics, partitions))
    if wrong:
        raise GroupError(wrong)
    return resets


def busy(group: Group) -> str:
    """Why a group must be left alone, empty when it need not."""
    if not group.members and group.state in ("Empty", "Dead", ""):
        return ""
    names = sorted({f"{member.client} at {member.host}" for member in group.members})
    who = f": {some(names)}" if names else ""
    return f"is {group.state} with {len(group.members)} members{who}; stop them first"


def keys_of(reset: Reset, group: Group, partitions: Mapping[str, int]) -> list[Key]:
    """Partitions that a reset is about; those of named topics also without a commit."""
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
    """Raise GroupError with everything that stands against the specs."""
    wrong = []
    for reset in resets:
        group = groups.get(reset.group)
        if group is None:
            near = did_you_mean(reset.group, groups)
            hint = f"; did you mean {near}?" if near else ""
            wrong.append(f"group {reset.group}: there is no such group{hint}")
            continue
        if busy(group):
            wrong.append(f"group {reset.group}: its offsets cannot be set: it {busy(group)}")
        for topic in reset.topics:
            if topic not in partitions:
                wrong.append(f"group {reset.group}: there is no topic {topic}")
            wrong += [
                f"group {reset.group}: topic {topic} has no partition {number}"
                for number in reset.partitions
                if topic in partitions and number >= partitions[topic]
            ]
        if not reset.topics and not group.offsets:
            wrong.append(f"group {reset.group}: has no offsets; name the topics")
    for name in absent:
        if name in groups and busy(groups[name]):
            wrong.append(f"group {name}: cannot be deleted: it {busy(groups[name])}")
        if any(reset.group == name for reset in resets):
            wrong.append(f"group {name}: is to be reset and to be absent")
    if wrong:
        raise GroupError(wrong)


def plan(
    groups: Mapping[str, Group],
    resets: Sequence[Reset],
    absent: Sequence[str],
    partitions: Mapping[str, int],
    bounds: Bounds,
) -> list[Step]:
    """Steps to the specs; a group that is where it shall be has none; raises GroupError."""
    check(groups, resets, absent, partitions)
    after: dict[str, dict[Key, int]] = {}
    wrong = []
    for reset in resets:
        for key in keys_of(reset, groups[reset.group], partitions):
            if key not in bounds.starts:
                # The topic of an old commit is gone: there is nothing to go on with.
                continue
            start, end = bounds.starts[key], bounds.ends[key]
            if reset.target.kind == OFFSET and not start <= reset.target.number <= end:
                wrong.append(
                    f"group {reset.group}: {key[0]}-{key[1]}: found offset {reset.target.number}; "
                    f"allowed: {start} to {end}"
                )
            # A later reset is the more special one.
            after.setdefault(reset.group, {})[key] = _offset(reset.target, key, bounds)
    if wrong:
        raise GroupError(wrong)
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
    """Where a target is in one partition; behind the last record when a time is not there yet."""
    if target.kind == EARLIEST:
        return bounds.starts[key]
    if target.kind == OFFSET:
        return target.number
    found = bounds.times.get((key, target.number), -1) if target.kind == TIME else -1
    return found if found >= 0 else bounds.ends[key]


def converge(store: Store, resets: Sequence[Reset], absent: Sequence[str], dry: bool) -> list[Step]:
    """Bring groups to the specs; returns the steps; raises GroupError."""
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
            for key in keys_of(reset, groups[reset.group], partitions)
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
    """Do the steps; raises GroupError with every blocker, whatever became of the others."""
    commits = [step for step in steps if isinstance(step, Commit)]
    removals = [step.group for step in steps if isinstance(step, Remove)]
    refused = store.commit(commits) if commits else {}
    if removals:
        refused = {**refused, **store.delete_groups(removals)}
    if refused:
        blockers = [step for step in steps if step.group in refused]
        raise GroupError([f"{step}: {refused[step.group]}" for step in blockers])
