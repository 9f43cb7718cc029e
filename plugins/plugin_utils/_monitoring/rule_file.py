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
# Evaluation interval: the shortest scrape interval, that of the probe.
EVERY = "5s"
# The cluster's name before the summary, for the first line of a notification.
CLUSTER_PREFIX = "{{ with $labels.cluster }}{{ . }}: {{ end }}"


def expression(alert: Alert) -> str:
    """PromQL of an alert, without the scope that an operation has stopped."""
    if alert.maintenance in MAINTENANCE:
        return f"({alert.expression}) unless {MAINTENANCE[alert.maintenance]}"
    return alert.expression


def labels(alert: Alert) -> dict[str, str]:
    """The labels that the rule of an alert adds: routes of a site may match them."""
    return {"severity": alert.severity} | ({"was": alert.was} if alert.was else {})


def rule(alert: Alert, runbooks: str) -> dict[str, Any]:
    """Return an alert as a rule of Prometheus, with a link to its runbook."""
    result: dict[str, Any] = {"alert": alert.name, "expr": expression(alert)}
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
    recorded = [{"record": name, "expr": expr} for name, expr in records.items()]
    return {
        "groups": [
            {
                "name": "kafka-metal",
                "interval": EVERY,
                "rules": recorded + [rule(alert, runbooks) for alert in alerts],
            }
        ]
    }
