# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Declared alerts: their validation, and changes of a site."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from string import Template
from typing import Any

from ...module_utils._problems import problem_kinds

# page: immediate action; ticket: action within a day; heartbeat: proves that notifications work.
SEVERITIES = ("page", "ticket", "heartbeat")
# Scope of the maintenance that silences an alert: none, the instance or the machine in its labels,
# or its whole cluster. All but ``never`` are silent while an operator starts or stops the cluster.
MAINTENANCE = ("none", "instance", "host", "cluster", "never")
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
    "problem",
}
REQUIRED = ("severity", "expr", "summary", "description")
TEXTS = ("expr", "summary", "description")
# Variable of a site with its alerts, and changes of the collection's alerts.
VARIABLE = "monitoring_alerts"
NAME = re.compile(r"[A-Z][A-Za-z0-9]*")
DURATION = re.compile(r"(\d+[smhd])+")


class MonitoringError(ValueError):
    """A declaration of monitoring is invalid; the message has its path and allowed values."""


@dataclass(frozen=True)
class Alert:
    """One alert. ``expr`` is PromQL in which ``$name`` is replaced by the limit of that name.

    While it fires, the alerts it ``inhibits`` send no notifications if the labels ``equal`` match.
    ``was`` is the name in the previous release; its rule has it as a label. So it has ``problem``,
    the kind of problem that screens show for it, as KIND or, for a whole service, KIND@GROUP.
    """

    name: str
    severity: str
    expr: str
    summary: str
    description: str
    lasting: str = ""
    limits: Mapping[str, float] = field(default_factory=dict)
    maintenance: str = "none"
    inhibits: tuple[str, ...] = ()
    equal: tuple[str, ...] = ("cluster",)
    was: str = ""
    problem: str = ""

    @property
    def expression(self) -> str:
        """PromQL with the values of the limits."""
        limits = {name: f"{value:g}" for name, value in self.limits.items()}
        return Template(self.expr).safe_substitute(limits)


def parse_alert(name: str, entry: Any) -> Alert:
    """Read the declared alert ``name``; raises MonitoringError if it is invalid."""
    where = f"{VARIABLE}.{name}"
    if not NAME.fullmatch(name):
        raise MonitoringError(f"{VARIABLE}: found {name!r}; allowed: a name in CamelCase")
    if not isinstance(entry, Mapping):
        raise MonitoringError(f"{where}: found {entry!r}; allowed: a mapping of {_all(KEYS)}")
    unknown = sorted(set(entry) - KEYS)
    if unknown:
        raise MonitoringError(f"{where}: found key {unknown[0]}; allowed: {_all(KEYS)}")
    for key in REQUIRED:
        if not entry.get(key):
            raise MonitoringError(f"{where}: found no {key}; required: {', '.join(REQUIRED)}")
    for key in TEXTS:
        if not isinstance(entry.get(key, ""), str):
            raise MonitoringError(f"{where}.{key}: found {entry[key]!r}; allowed: a text")
    for key in ("inhibits", "equal"):
        if not _is_texts(entry.get(key, [])):
            raise MonitoringError(f"{where}.{key}: found {entry[key]!r}; allowed: a list of names")
    if not isinstance(entry.get("limits") or {}, Mapping):
        raise MonitoringError(
            f"{where}.limits: found {entry['limits']!r}; allowed: a mapping of numbers"
        )
    for key, allowed in (("severity", SEVERITIES), ("maintenance", MAINTENANCE)):
        if key in entry and entry[key] not in allowed:
            raise MonitoringError(
                f"{where}.{key}: found {entry[key]}; allowed: {', '.join(allowed)}"
            )
    was = entry.get("was", "")
    if was and not (isinstance(was, str) and NAME.fullmatch(was)):
        raise MonitoringError(f"{where}.was: found {was!r}; allowed: a name in CamelCase")
    problem = str(entry.get("problem", ""))
    if problem and problem.partition("@")[0] not in problem_kinds.KINDS:
        raise MonitoringError(
            f"{where}.problem: found {problem}; allowed: {_all(problem_kinds.KINDS)}"
        )
    lasting = str(entry.get("for", ""))
    if lasting and not DURATION.fullmatch(lasting):
        raise MonitoringError(f"{where}.for: found {lasting}; allowed: a duration such as 30s")
    limits = dict(entry.get("limits") or {})
    used = set(re.findall(r"\$([a-z]\w*)", entry["expr"]))
    if used != set(limits):
        raise MonitoringError(
            f"{where}.limits: found {_all(limits)}; required: the limits in expr, {_all(used)}"
        )
    for limit, value in limits.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise MonitoringError(f"{where}.limits.{limit}: found {value!r}; allowed: a number")
    return Alert(
        name=name,
        severity=entry["severity"],
        expr=" ".join(entry["expr"].split()),
        summary=entry["summary"],
        description=entry["description"],
        lasting=lasting,
        limits=limits,
        maintenance=entry.get("maintenance", "none"),
        inhibits=tuple(entry.get("inhibits", ())),
        equal=tuple(entry.get("equal", ("cluster",))),
        was=was,
        problem=problem,
    )


def parse_alerts(entries: Mapping[str, Any]) -> list[Alert]:
    """Read declared alerts in order; raises MonitoringError for the first invalid one."""
    alerts = [parse_alert(name, entry) for name, entry in entries.items()]
    renamed = _renamed(entries)
    for alert in alerts:
        if alert.was in entries:
            raise MonitoringError(
                f"{VARIABLE}.{alert.name}.was: found {alert.was}, which is an alert; allowed: "
                "a former name"
            )
        for other in alert.inhibits:
            if other in renamed:
                raise MonitoringError(
                    f"{VARIABLE}.{alert.name}.inhibits: found {other}; allowed: {renamed[other]}, "
                    "its new name"
                )
            if other not in entries or other == alert.name:
                raise MonitoringError(
                    f"{VARIABLE}.{alert.name}.inhibits: found {other}; allowed: names of other "
                    "alerts"
                )
    return alerts


def apply_site_changes(entries: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``entries`` with a site's changes: keys of an alert, or ``false`` to remove it.

    ``limits`` are merged. A site can add alerts. Removed alerts are also removed from ``inhibits``
    of others. Raises MonitoringError for an unknown limit or alert.
    """
    if not isinstance(changes, Mapping):
        raise MonitoringError(f"{VARIABLE}: found {changes!r}; allowed: a mapping of alerts")
    result = dict(entries)
    renamed = _renamed(entries)
    for name, change in changes.items():
        if name in renamed:
            raise MonitoringError(
                f"{VARIABLE}: found {name}; allowed: {renamed[name]}, its new name"
            )
        if change is False:
            if name not in entries:
                raise MonitoringError(
                    f"{VARIABLE}.{name}: found false, but no such alert exists; allowed: names of "
                    "existing alerts"
                )
            del result[name]
        elif not isinstance(change, Mapping):
            raise MonitoringError(
                f"{VARIABLE}.{name}: found {change!r}; allowed: a mapping of the keys to change, "
                "or false to remove the alert"
            )
        else:
            old = entries.get(name, {})
            result[name] = {**old, **change}
            if isinstance(change.get("limits"), Mapping) and "expr" not in change:
                unknown = sorted(set(change["limits"]) - set(old.get("limits", {})))
                if unknown:
                    raise MonitoringError(
                        f"{VARIABLE}.{name}.limits: found {unknown[0]}; allowed: "
                        f"{_all(old.get('limits', {}))}"
                    )
                result[name]["limits"] = {**old.get("limits", {}), **change["limits"]}
    removed = set(entries) - set(result)
    return {name: _without(entry, removed) for name, entry in result.items()}


def _is_texts(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value)


def _all(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def _renamed(entries: Mapping[str, Any]) -> dict[str, str]:
    """New names by old name, of alerts that were renamed since the previous release."""
    return {entry["was"]: name for name, entry in entries.items() if entry.get("was")}


def _without(entry: Mapping[str, Any], removed: Iterable[str]) -> dict[str, Any]:
    if not _is_texts(entry.get("inhibits")):
        return dict(entry)
    names = set(removed)
    return {**entry, "inhibits": [other for other in entry["inhibits"] if other not in names]}
