# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The rule file of Prometheus, with recording rules and alerts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .alerts import Alert

# Series of monitoring/records.yml for stopped instances, hosts or clusters, with the labels that
# must match.
MAINTENANCE = {
    "instance": "on (cluster, instance) kafka_metal:maintenance:instance",
    "host": "on (cluster, host) kafka_metal:maintenance:host",
    "cluster": "on (cluster) kafka_metal:maintenance:cluster",
}
# Start or stop of the whole cluster by an operator: only heartbeats fire.
ALL_STOPPED = "on (cluster) kafka_metal:maintenance:all"
# How long an alert still inhibits others after its end: they end within a minute of their fault,
# some of them later than their cause.
INHIBITED_AFTER = "2m"
# Evaluation interval: the shortest scrape interval, that of the probe.
EVERY = "5s"
# The cluster's name before the summary, for the first line of a notification.
CLUSTER_PREFIX = "{{ with $labels.cluster }}{{ . }}: {{ end }}"


def expression(alert: Alert, alerts: Iterable[Alert] = ()) -> str:
    """PromQL of an alert, without what an operation has stopped and what other alerts inhibit.

    ``alerts`` are all alerts. Those that inhibit this one are part of its expression, not only of
    Alertmanager's configuration, so that every reader of Prometheus sees the same alerts.
    """
    if alert.severity == "heartbeat":
        return alert.expression
    exclusions = [] if alert.maintenance == "never" else [ALL_STOPPED]
    if alert.maintenance in MAINTENANCE:
        exclusions.append(MAINTENANCE[alert.maintenance])
    causes: dict[tuple[str, ...], list[str]] = {}
    for other in alerts:
        if alert.name in other.inhibits:
            causes.setdefault(other.equal, []).append(other.name)
    for equal, names in causes.items():
        firing = f'ALERTS{{alertname=~"{"|".join(names)}",alertstate="firing"}}'
        exclusions.append(f"on ({', '.join(equal)}) max_over_time({firing}[{INHIBITED_AFTER}])")
    return " unless ".join([f"({alert.expression})", *exclusions])


def labels(alert: Alert) -> dict[str, str]:
    """The labels that the rule of an alert adds: routes of a site may match them."""
    found = {"severity": alert.severity, "was": alert.was, "problem": alert.problem}
    return {name: value for name, value in found.items() if value}


def rule(alert: Alert, alerts: Iterable[Alert], runbooks: str) -> dict[str, Any]:
    """Return one of ``alerts`` as a rule of Prometheus, with a link to its runbook."""
    result: dict[str, Any] = {"alert": alert.name, "expr": expression(alert, alerts)}
    if alert.lasting:
        result["for"] = alert.lasting
    result["labels"] = labels(alert)
    result["annotations"] = {
        "summary": CLUSTER_PREFIX + alert.summary,
        "description": " ".join(alert.description.split()),
        "runbook": f"{runbooks.rstrip('/')}/{alert.name}.md",
    }
    return result


def rule_document(
    alerts: Iterable[Alert], records: Mapping[str, str], runbooks: str = "docs/operate/alerts"
) -> dict[str, Any]:
    """A rule file: first recording rules, then alerts, evaluated in this order.

    ``runbooks`` is the prefix of the names of runbook pages: a URL or a directory.
    """
    known = list(alerts)
    recorded = [{"record": name, "expr": expr} for name, expr in records.items()]
    return {
        "groups": [
            {
                "name": "kafka-metal",
                "interval": EVERY,
                "rules": recorded + [rule(alert, known, runbooks) for alert in known],
            }
        ]
    }
