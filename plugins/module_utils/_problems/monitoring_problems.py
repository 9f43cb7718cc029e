# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Problems that monitoring reports: firing alerts, silences, and unreadable metrics; no I/O."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from . import pipeline_problems, problem_kinds
from .platform_problem import Problem

# Severity of an alert that always fires, as a test of notifications.
HEARTBEAT = "heartbeat"


def from_prometheus(alerts: Iterable[Mapping[str, Any]]) -> list[Problem]:
    """Return a problem for each firing alert in Prometheus' response (/api/v1/alerts)."""
    return [
        _alert(each["labels"], each.get("annotations") or {}, str(each.get("activeAt") or ""))
        for each in alerts
        if each.get("state") == "firing" and each["labels"].get("severity") != HEARTBEAT
    ]


def _alert(labels: Mapping[str, str], annotations: Mapping[str, str], since: str) -> Problem:
    """Return the problem of an alert; its label ``problem`` has the kind if it is not its own."""
    name = labels["alertname"]
    severity = labels.get("severity", "")
    # Notifications of several clusters have the cluster before the summary.
    summary = str(annotations.get("summary") or "").removeprefix(f"{labels.get('cluster')}: ")
    # The alert of a whole service has the group of its instances after the kind.
    kind, _, group = labels.get("problem", name).partition("@")
    return Problem(
        kind=kind,
        where=group or place(labels),
        text=f"alert {name}: {summary}" if summary else f"alert {name} fires",
        command=str(annotations.get("runbook") or ""),
        since=seconds(since),
        alerts=(name,),
        read=False,
        severity=severity if severity in problem_kinds.SEVERITIES else problem_kinds.TICKET,
    )


def place(labels: Mapping[str, str]) -> str:
    """Return where an alert is, in the words of problems; empty for the whole cluster."""
    # Series of the exporter are about other services, and their instance is the exporter.
    named = [labels.get(name) for name in ("master", "endpoint", "instance", "host")]
    return pipeline_problems.place(labels) or next(filter(None, named), "")


def seconds(moment: str) -> float:
    """Return seconds since 1970 of a time such as 2026-01-31T12:00:00.123456789Z; else 0."""
    try:
        found = datetime.strptime(moment[:19], "%Y-%m-%dT%H:%M:%S")
    except ValueError:
        return 0.0
    return found.replace(tzinfo=UTC).timestamp()


def unreadable(
    targets: Iterable[Mapping[str, Any]], down_without_metrics: Collection[str] = ()
) -> list[Problem]:
    """Return a problem for each target in Prometheus' response whose metrics cannot be read.

    ``down_without_metrics`` are the instances that are down then. Their alerts take more than a
    minute, so that a restart raises none.
    """
    return [
        _unreadable(each, down_without_metrics) for each in targets if each.get("health") == "down"
    ]


def _unreadable(target: Mapping[str, Any], down_without_metrics: Collection[str]) -> Problem:
    labels = target["labels"]
    where, reason = str(labels.get("instance") or target.get("scrapeUrl") or ""), _reason(target)
    if where in down_without_metrics:
        # Like an alert, it is added to the problem of a screen that reads the service itself.
        text = f"{where} does not respond to Prometheus: {reason}"
        return Problem("ServiceDown", where, text, read=False)
    text = f"Prometheus cannot read metrics of {where}: {reason}"
    return Problem("MetricsUnreadable", where, text)


def without_target(targets: Iterable[Mapping[str, Any]], scraped: Iterable[str]) -> list[Problem]:
    """Return a problem for each instance that should be scraped and is no target of Prometheus."""
    known = {each["labels"].get("instance") for each in targets}
    return [
        Problem("MetricsUnreadable", name, f"Prometheus has no target {name}", "make up")
        for name in scraped
        if name not in known
    ]


def without_rules(groups: Iterable[Mapping[str, Any]], where: str) -> list[Problem]:
    """Return a problem if Prometheus' response (/api/v1/rules?type=alert) has no rule."""
    if any(each.get("rules") for each in groups):
        return []
    text = f"{where} has no rules of alerts: nothing can fire"
    return [Problem("AlertsUnread", where, text, "make up")]


def _reason(target: Mapping[str, Any]) -> str:
    """Return the error of a target without its address: Get "ADDRESS": ERROR."""
    error = str(target.get("lastError") or "no response")
    return error.partition('": ')[2] if error.startswith('Get "') else error


def silenced(silences: Iterable[Mapping[str, Any]]) -> list[Problem]:
    """Return a note for each active silence in Alertmanager's response (/api/v2/silences)."""
    return [
        Problem(
            "AlertsSilenced",
            str(each.get("id") or ""),
            f"alerts with {_matchers(each)} are silenced until {each.get('endsAt')} by "
            f"{each.get('createdBy')}: {each.get('comment')}",
        )
        for each in silences
        if (each.get("status") or {}).get("state") == "active"
    ]


def _matchers(silence: Mapping[str, Any]) -> str:
    """Return the matchers of a silence as Alertmanager writes them: alertname=~"Disk.*"."""
    found = []
    for each in silence.get("matchers") or ():
        equal, regex = each.get("isEqual", True), each.get("isRegex", False)
        sign = ("=~" if regex else "=") if equal else ("!~" if regex else "!=")
        found.append(f"{each['name']}{sign}{each['value']}")
    return ", ".join(found)
