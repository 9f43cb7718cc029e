# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Declared alerts: their validation, and changes of a site."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from string import Template
from typing import Any

# page: immediate action; ticket: action within a day; heartbeat: proves that notifications work.
SEVERITIES = ("page", "ticket", "heartbeat")
# Scope of the maintenance that silences an alert: none, the instance or the machine in its labels,
# or its whole cluster.
MAINTENANCE = ("loud", "instance", "host", "cluster")
KEYS = {
    "severity",
    "expr",
    "for",
    "limits",
    "maintenance",
    "summary",
    "description",
    "inhibits",
    "equal",
    "was",
}
NAME = re.compile(r"[A-Z][A-Za-z0-9]*")
DURATION = re.compile(r"(\d+[smhd])+")


class MonitoringError(ValueError):
    """A declaration of monitoring is invalid; the message has its name and the blocker."""


@dataclass(frozen=True)
class Alert:
    """One alert. ``expr`` is PromQL in which ``$name`` is replaced by the limit of that name.

    While it fires, the alerts it ``inhibits`` send no notifications if the labels ``equal`` match.
    ``was`` is the name in the previous release; its rule has it as a label.
    """

    name: str
    severity: str
    expr: str
    summary: str
    description: str
    lasting: str = ""
    limits: Mapping[str, float] = field(default_factory=dict)
    maintenance: str = "loud"
    inhibits: tuple[str, ...] = ()
    equal: tuple[str, ...] = ("cluster",)
    was: str = ""

    @property
    def expression(self) -> str:
        """PromQL with the values of the limits."""
        limits = {name: f"{value:g}" for name, value in self.limits.items()}
        return Template(self.expr).safe_substitute(limits)


def parse_alert(name: str, entry: Any) -> Alert:
    """Read the declared alert ``name``; raises MonitoringError if it is invalid."""
    if not NAME.fullmatch(name):
        raise MonitoringError(f"alert {name}: the name must be in CamelCase")
    if not isinstance(entry, Mapping):
        raise MonitoringError(f"alert {name}: must be a mapping with {', '.join(sorted(KEYS))}")
    unknown = sorted(set(entry) - KEYS)
    if unknown:
        raise MonitoringError(f"alert {name}: unknown key {unknown[0]}; known: {sorted(KEYS)}")
    for key in ("severity", "expr", "summary", "description"):
        if not entry.get(key):
            raise MonitoringError(f"alert {name}: has no {key}")
    for key, allowed in (("severity", SEVERITIES), ("maintenance", MAINTENANCE)):
        if key in entry and entry[key] not in allowed:
            raise MonitoringError(f"alert {name}: {key} {entry[key]} is none of {allowed}")
    was = entry.get("was", "")
    if was and not (isinstance(was, str) and NAME.fullmatch(was)):
        raise MonitoringError(f"alert {name}: was {was!r} is not the name of an alert")
    lasting = str(entry.get("for", ""))
    if lasting and not DURATION.fullmatch(lasting):
        raise MonitoringError(f"alert {name}: for {lasting} is not a duration such as 30s")
    limits = dict(entry.get("limits") or {})
    used = set(re.findall(r"\$([a-z]\w*)", entry["expr"]))
    if used != set(limits):
        raise MonitoringError(
            f"alert {name}: the expression uses limits {sorted(used)}; declared: {sorted(limits)}"
        )
    for limit, value in limits.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise MonitoringError(f"alert {name}: limit {limit} is not a number: {value!r}")
    return Alert(
        name=name,
        severity=entry["severity"],
        expr=" ".join(entry["expr"].split()),
        summary=entry["summary"],
        description=entry["description"],
        lasting=lasting,
        limits=limits,
        maintenance=entry.get("maintenance", "loud"),
        inhibits=tuple(entry.get("inhibits", ())),
        equal=tuple(entry.get("equal", ("cluster",))),
        was=was,
    )


def parse_alerts(entries: Mapping[str, Any]) -> list[Alert]:
    """Read declared alerts in order; raises MonitoringError for the first invalid one."""
    alerts = [parse_alert(name, entry) for name, entry in entries.items()]
    renamed = _renamed(entries)
    for alert in alerts:
        if alert.was in entries:
            raise MonitoringError(f"alert {alert.name}: was {alert.was}, which is declared too")
        for other in alert.inhibits:
            if other in renamed:
                raise MonitoringError(
                    f"alert {alert.name}: inhibits {other}, which is now named {renamed[other]}"
                )
            if other not in entries or other == alert.name:
                raise MonitoringError(f"alert {alert.name}: inhibits {other}, no other alert")
    return alerts


def apply_site_changes(entries: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``entries`` with a site's changes: keys of an alert, or ``false`` to remove it.

    ``limits`` are merged. A site can add alerts. Removed alerts are also removed from ``inhibits``
    of others. Raises MonitoringError for an unknown limit or alert.
    """
    result = dict(entries)
    renamed = _renamed(entries)
    for name, change in changes.items():
        if name in renamed:
            raise MonitoringError(f"alert {name}: is now named {renamed[name]}; use that name")
        if change is False:
            if name not in entries:
                raise MonitoringError(f"alert {name}: does not exist, so it cannot be removed")
            del result[name]
        elif not isinstance(change, Mapping):
            raise MonitoringError(f"alert {name}: a change must be a mapping of its keys, or false")
        else:
            old = entries.get(name, {})
            result[name] = {**old, **change}
            if "limits" in change and "expr" not in change:
                unknown = sorted(set(change["limits"]) - set(old.get("limits", {})))
                if unknown:
                    known = sorted(old.get("limits", {}))
                    raise MonitoringError(f"alert {name}: no limit {unknown[0]}; limits: {known}")
                result[name]["limits"] = {**old.get("limits", {}), **change["limits"]}
    removed = set(entries) - set(result)
    return {name: _without(entry, removed) for name, entry in result.items()}


def _renamed(entries: Mapping[str, Any]) -> dict[str, str]:
    """New names by old name, of alerts that were renamed since the previous release."""
    return {entry["was"]: name for name, entry in entries.items() if entry.get("was")}


def _without(entry: Mapping[str, Any], removed: Iterable[str]) -> dict[str, Any]:
    if "inhibits" not in entry:
        return dict(entry)
    names = set(removed)
    return {**entry, "inhibits": [other for other in entry["inhibits"] if other not in names]}
