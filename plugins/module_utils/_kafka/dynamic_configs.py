# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Plan dynamic changes of broker settings from the current to the declared values; no I/O.

Every key is in server.properties too, so a starting broker has the declared values. A dynamic
value is stored in Kafka's metadata, overrides the file and survives restarts. A running broker
keeps the values of the file with which it started. So a key that is no longer declared may need
its default as a dynamic value until the next restart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from .._problems.config_values import Value, are_equal
from .live_keys import LISTENER_KEY, OTHER_UNITS, UNLIMITED, is_live

ON_BROKER = "DYNAMIC_BROKER_CONFIG"
ON_CLUSTER = "DYNAMIC_DEFAULT_BROKER_CONFIG"
FROM_FILE = "STATIC_BROKER_CONFIG"
DEFAULT = "DEFAULT_CONFIG"


@dataclass(frozen=True)
class Entry:
    """A key of a running broker: the effective value, and the value of each source.

    ``text`` is effective. Sources in ``levels``: dynamic on the broker, dynamic on the cluster, the
    file with which the broker started, the default. ``fixed``: only a restart can change it.
    """

    text: str | None
    kind: str
    levels: Mapping[str, str]
    fixed: bool = False

    def without(self, *sources: str) -> str | None:
        """Return the value that would be effective without these sources."""
        for source in (ON_BROKER, ON_CLUSTER, FROM_FILE, DEFAULT):
            if source not in sources and source in self.levels:
                return self.levels[source]
        return None


@dataclass(frozen=True)
class Spec:
    """Declared ``live`` values of one broker, and ``previous`` keys that earlier runs set.

    ``restarts``: the broker will restart before the steps, so its new file applies.
    """

    broker: int
    live: Mapping[str, str]
    previous: frozenset[str] = frozenset()
    restarts: bool = False


@dataclass(frozen=True)
class Step:
    """Set one key of one broker to ``value``; None removes the dynamic value of the broker."""

    broker: int
    key: str
    before: str | None
    value: str | None
    # The effective value after the removal.
    after: str | None = None

    @property
    def spec(self) -> str:
        """Return the declared and the current value, without the broker."""
        return f"{self.key} = {format_value(self.value)} (now {format_value(self.before)})"

    def __str__(self) -> str:
        """Return the message for this step."""
        target = (
            self.value if self.value is not None else f"{format_value(self.after)} (no longer set)"
        )
        return (
            f"broker {self.broker}: {self.key} {format_value(self.before)} -> {target}, no restart"
        )


def format_value(text: str | None) -> str:
    """Return a value for a message."""
    return "(default)" if text is None else text or "(empty)"


@dataclass(frozen=True)
class Plan:
    """Steps, messages on undeclared keys, and messages on keys that need a restart."""

    steps: tuple[Step, ...] = ()
    foreign: tuple[str, ...] = ()
    later: tuple[str, ...] = ()


def same_value(kind: str, one: str | None, other: str | None) -> bool:
    """Whether both texts are the same value for Kafka."""
    if one is None or other is None:
        return one is other
    return are_equal(Value(one, kind), other)


def default_value(key: str, entries: Mapping[str, Entry]) -> str | None:
    """Return the value of an undeclared ``key`` on a new broker, None if unknown."""
    found = entries[key].without(ON_BROKER, FROM_FILE)
    if found is not None:
        return found
    if LISTENER_KEY.fullmatch(key):
        return str(UNLIMITED)
    for other, unit in OTHER_UNITS.get(key, ()):
        text = entries[other].text if other in entries else None
        if text is not None:
            return str(int(text) * unit)
    return None


def plan(spec: Spec, entries: Mapping[str, Entry]) -> Plan:
    """Return the steps to ``spec`` of one broker; ``entries`` are all its keys."""
    steps, foreign, later = [], [], []
    entries = with_listener_limits(entries, spec.live)
    for key, text in sorted(spec.live.items()):
        entry = entries.get(key)
        if entry is None or entry.fixed:
            later.append(f"broker {spec.broker}: its Kafka version changes {key} by a restart only")
        elif not same_value(entry.kind, effective_value(entry, text, spec.restarts), text):
            steps.append(Step(spec.broker, key, entry.text, text))
    for key in sorted(entries):
        entry = entries[key]
        if key in spec.live:
            continue
        if key in spec.previous and not entry.fixed:
            step = reset_step(spec, key, entries)
            if step:
                steps.append(step)
            elif (
                default_value(key, entries) is None
                and FROM_FILE in entry.levels
                and not spec.restarts
            ):
                later.append(f"broker {spec.broker}: {key} returns to its default at next restart")
        elif is_redundant(key, entries):
            steps.append(Step(spec.broker, key, entry.text, None, entry.text))
        elif note := foreign_note(spec.broker, key, entries):
            foreign.append(note)
    return Plan(tuple(steps), tuple(foreign), tuple(later))


def with_listener_limits(entries: Mapping[str, Entry], wanted: Iterable[str]) -> dict[str, Entry]:
    """Return ``entries`` with all wanted limits of listeners, as changeable keys.

    Brokers list only limits that are set, and mark them as read-only.
    """
    found = {
        key: replace(entry, fixed=False, kind="INT") if LISTENER_KEY.fullmatch(key) else entry
        for key, entry in entries.items()
    }
    missing = [key for key in wanted if LISTENER_KEY.fullmatch(key) and key not in found]
    return {**found, **{key: Entry(None, "INT", {}) for key in missing}}


def effective_value(entry: Entry, text: str, restarts: bool) -> str | None:
    """Return the effective value, or the future one if the broker restarts with ``text``."""
    if not restarts:
        return entry.text
    return entry.levels.get(ON_BROKER, text)


def reset_step(spec: Spec, key: str, entries: Mapping[str, Entry]) -> Step | None:
    """Return the step that resets an undeclared key to the value of a new broker, or None."""
    entry, target = entries[key], default_value(key, entries)
    below = target if spec.restarts else entry.without(ON_BROKER)
    # A key without its own default takes it from a key in another unit, if nothing overrides it.
    bare = below is None and FROM_FILE not in entry.levels
    if bare or same_value(entry.kind, below, target):
        dropped = Step(spec.broker, key, entry.text, None, target)
        return dropped if ON_BROKER in entry.levels else None
    if target is None or same_value(entry.kind, entry.text, target):
        return None
    return Step(spec.broker, key, entry.text, target)


def is_redundant(key: str, entries: Mapping[str, Entry]) -> bool:
    """Whether a dynamic value only repeats the default.

    Earlier runs leave such values: they overrode the broker's old file until its restart.
    """
    entry = entries[key]
    if ON_BROKER not in entry.levels or {ON_CLUSTER, FROM_FILE} & set(entry.levels):
        return False
    return is_live(key) and same_value(entry.kind, entry.text, default_value(key, entries))


def foreign_note(broker: int, key: str, entries: Mapping[str, Entry]) -> str | None:
    """Return a message on an undeclared dynamic value; None if there is none."""
    entry = entries[key]
    source = next((level for level in (ON_BROKER, ON_CLUSTER) if level in entry.levels), None)
    # A default that an earlier run set to override the broker's old file.
    pinned = source == ON_BROKER and same_value(entry.kind, entry.text, default_value(key, entries))
    if source is None or pinned:
        return None
    scope = "all brokers" if source == ON_CLUSTER else f"broker {broker}"
    value = format_value(entry.levels[source])
    return f"{scope}: {key} = {value} was set at run time and is not declared"


def difference(steps: Iterable[Step]) -> dict[str, dict[str, Any]]:
    """Return the changed keys before and after ``steps``, for ``--diff``."""
    sides: dict[str, dict[str, Any]] = {"before": {}, "after": {}}
    for step in steps:
        name = f"broker {step.broker}"
        sides["before"].setdefault(name, {})[step.key] = step.before
        value = step.after if step.value is None else step.value
        sides["after"].setdefault(name, {})[step.key] = value
    return sides
