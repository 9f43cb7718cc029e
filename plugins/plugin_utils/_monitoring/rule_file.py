# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Alerts and recorded figures as a rule file of Prometheus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .alerts import Alert

# What an operation has stopped, as monitoring/records.yml computes it, and the labels in which an
# alert about it agrees.
MAINTENANCE = {
    "instance": "on (cluster, instance) kafka_metal:maintenance:instance",
    "host": "on (cluster, host) kafka_metal:maintenance:host",
    "cluster": "on (cluster) kafka_metal:maintenance:cluster",
}
# Between two looks at all rules: as long as the shortest between two readings, those of the probe.
EVERY = "5s"
# Who is meant, before what happened: both stand in a notification's first line.
WHO = "{{ with $labels.cluster }}{{ . }}: {{ end }}"


def expression(alert: Alert) -> str:
    """PromQL of an alert, silent while an operation has stopped what it is declared to be about."""
    if alert.maintenance in MAINTENANCE:
        return f"({alert.expression}) unless {MAINTENANCE[alert.maintenance]}"
    return alert.expression


def labels(alert: Alert) -> dict[str, str]:
    """The labels that the rule of an alert adds: routes of a site may match them."""
    return {"severity": alert.severity} | ({"was": alert.was} if alert.was else {})


def rule(alert: Alert, runbooks: str) -> dict[str, Any]:
    """One alert in Prometheus' words."""
    result: dict[str, Any] = {"alert": alert.name, "expr": expression(alert)}
    if alert.lasting:
        result["for"] = alert.lasting
    result["labels"] = labels(alert)
    result["annotations"] = {
        "summary": WHO + alert.summary,
        "description": " ".join(alert.description.split()),
        "runbook": f"{runbooks.rstrip('/')}/{alert.name}.md",
    }
    return result


def rule_document(
    alerts: Iterable[Alert], records: Mapping[str, str], runbooks: str = "docs/operate/alerts"
) -> dict[str, Any]:
    """A rule file: first what is recorded, then the alerts, evaluated in this order.

    ``runbooks`` is put before the names of runbook pages: an address, or a folder.
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
