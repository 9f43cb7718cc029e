# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Keys of a broker that Kafka changes while it runs, and the steps to what is declared; no I/O.

Every key stands in server.properties too, so that a broker that starts is right from its first
moment. A value that is set at run time lies above the file, in Kafka's own metadata, and survives
restarts. What a broker took from its file when it started stays below until it starts again: a key
that is no longer declared may need its default set at run time until then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from .config_values import Value, same
from .live_keys import LISTENER_KEY, OTHER_UNITS, UNLIMITED, is_live

ON_BROKER = "DYNAMIC_BROKER_CONFIG"
ON_CLUSTER = "DYNAMIC_DEFAULT_BROKER_CONFIG"
FROM_FILE = "STATIC_BROKER_CONFIG"
DEFAULT = "DEFAULT_CONFIG"


@dataclass(frozen=True)
class Entry:
    """A key of a running broker: the value at each level that has one.

    ``text`` is in force. ``levels`` maps a source to the value it gives: on the broker, on the
    cluster, from the file the broker started with, the default.
    """

    text: str | None
    kind: str
    levels: Mapping[str, str]
    fixed: bool = False

    def without(self, *sources: str) -> str | None:
        """The value that would be in force without those levels."""
        for source in (ON_BROKER, ON_CLUSTER, FROM_FILE, DEFAULT):
            if source not in sources and source in self.levels:
                return self.levels[source]
        return None


@dataclass(frozen=True)
class Spec:
    """What one broker shall have: ``live`` values, and ``previous`` keys that we set before.

    ``restarts`` says that it will start anew before anything is set: then its file gives them.
    """

    broker: int
    live: Mapping[str, str]
    previous: frozenset[str] = frozenset()
    restarts: bool = False


@dataclass(frozen=True)
class Step:
    """One key of one broker gets ``value``; None drops what was set on the broker at run time."""

    broker: int
    key: str
    before: str | None
    value: str | None
    # What is in force once it is dropped.
    after: str | None = None

    @property
    def spec(self) -> str:
        """What is declared, and what is, without the broker."""
        return f"{self.key} = {shown(self.value)} (now {shown(self.before)})"

    def __str__(self) -> str:
        """One message."""
        became = self.value if self.value is not None else f"{shown(self.after)} (no longer set)"
        return f"broker {self.broker}: {self.key} {shown(self.before)} -> {became}, no restart"


def shown(text: str | None) -> str:
    """A value for a sentence."""
    return "(default)" if text is None else text or "(empty)"


@dataclass(frozen=True)
class Plan:
    """Steps, and messages on keys that nobody declared or that only a restart can change."""

    steps: tuple[Step, ...] = ()
    foreign: tuple[str, ...] = ()
    later: tuple[str, ...] = ()


def alike(kind: str, one: str | None, other: str | None) -> bool:
    """Whether Kafka reads both texts as one value."""
    if one is None or other is None:
        return one is other
    return same(Value(one, kind), other)


def fresh(key: str, entries: Mapping[str, Entry]) -> str | None:
    """The value of an undeclared ``key`` on a broker that has just started, None if unknown."""
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
    """Steps that bring one broker to ``spec``; ``entries`` are all its keys."""
    steps, foreign, later = [], [], []
    entries = with_listeners(entries, spec.live)
    for key, text in sorted(spec.live.items()):
        entry = entries.get(key)
        if entry is None or entry.fixed:
            later.append(f"broker {spec.broker}: its version of Kafka takes {key} with a restart")
        elif not alike(entry.kind, in_force(entry, text, spec.restarts), text):
            steps.append(Step(spec.broker, key, entry.text, text))
    for key in sorted(entries):
        entry = entries[key]
        if key in spec.live:
            continue
        if key in spec.previous and not entry.fixed:
            step = taken_back(spec, key, entries)
            if step:
                steps.append(step)
            elif fresh(key, entries) is None and FROM_FILE in entry.levels and not spec.restarts:
                later.append(f"broker {spec.broker}: {key} gets its default with the next restart")
        elif redundant(key, entries):
            steps.append(Step(spec.broker, key, entry.text, None, entry.text))
        elif note := not_ours(spec.broker, key, entries):
            foreign.append(note)
    return Plan(tuple(steps), tuple(foreign), tuple(later))


def with_listeners(entries: Mapping[str, Entry], wanted: Iterable[str]) -> dict[str, Entry]:
    """``entries`` with limits of listeners: a broker lists those that are set, as fixed ones."""
    found = {
        key: replace(entry, fixed=False, kind="INT") if LISTENER_KEY.fullmatch(key) else entry
        for key, entry in entries.items()
    }
    missing = [key for key in wanted if LISTENER_KEY.fullmatch(key) and key not in found]
    return {**found, **{key: Entry(None, "INT", {}) for key in missing}}


def in_force(entry: Entry, text: str, restarts: bool) -> str | None:
    """The value in force, or the one that will be when the broker starts with ``text``."""
    if not restarts:
        return entry.text
    return entry.levels.get(ON_BROKER, text)


def taken_back(spec: Spec, key: str, entries: Mapping[str, Entry]) -> Step | None:
    """The step after which a key that is no longer declared has the value of a fresh broker."""
    entry, target = entries[key], fresh(key, entries)
    below = target if spec.restarts else entry.without(ON_BROKER)
    # A key without a default of its own is given in another unit below; nothing is in its way.
    bare = below is None and FROM_FILE not in entry.levels
    if bare or alike(entry.kind, below, target):
        dropped = Step(spec.broker, key, entry.text, None, target)
        return dropped if ON_BROKER in entry.levels else None
    if target is None or alike(entry.kind, entry.text, target):
        return None
    return Step(spec.broker, key, entry.text, target)


def redundant(key: str, entries: Mapping[str, Entry]) -> bool:
    """Whether a value was set at run time that the broker has without it, as its default.

    We leave such ones behind: a default that was set because the broker's old file was in its way.
    """
    entry = entries[key]
    if ON_BROKER not in entry.levels or {ON_CLUSTER, FROM_FILE} & set(entry.levels):
        return False
    return is_live(key) and alike(entry.kind, entry.text, fresh(key, entries))


def not_ours(broker: int, key: str, entries: Mapping[str, Entry]) -> str | None:
    """A sentence on a value that was set at run time and that nobody declared."""
    entry = entries[key]
    source = next((level for level in (ON_BROKER, ON_CLUSTER) if level in entry.levels), None)
    # A default that we set, and that the broker's old file would be in the way of.
    pinned = source == ON_BROKER and alike(entry.kind, entry.text, fresh(key, entries))
    if source is None or pinned:
        return None
    scope = "all brokers" if source == ON_CLUSTER else f"broker {broker}"
    value = shown(entry.levels[source])
    return f"{scope}: {key} = {value} was set at run time and is not declared"


def difference(steps: Iterable[Step]) -> dict[str, dict[str, Any]]:
    """Before and after of the keys that ``steps`` touch, for ``--diff``."""
    sides: dict[str, dict[str, Any]] = {"before": {}, "after": {}}
    for step in steps:
        name = f"broker {step.broker}"
        sides["before"].setdefault(name, {})[step.key] = step.before
        value = step.after if step.value is None else step.value
        sides["after"].setdefault(name, {})[step.key] = value
    return sides
