# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Who is told of what: the configuration of Alertmanager."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .alerts import SEVERITIES, Alert, MonitoringError

# Ways to people, as the inventory names them and as Alertmanager does.
WAYS = {
    "pagerduty": "pagerduty_configs",
    "slack": "slack_configs",
    "mail": "email_configs",
    "webhook": "webhook_configs",
}
NOBODY = "nobody"
HEARTBEAT_EVERY = "1m"

LABELS = ("cluster", "host", "instance")
# Every alert of a group on a line of its own, with the page that says what to do.
LINES = (
    "{{ range .Alerts }}{{ .Annotations.summary }}{{ with .Labels.host }} [{{ . }}]{{ end }}\n"
    "{{ .Annotations.description }}\n"
    "{{ .Annotations.runbook }}\n{{ end }}"
)
TITLE = (
    "[{{ .Status | toUpper }}] {{ .CommonLabels.alertname }}"
    "{{ with .CommonLabels.cluster }} {{ . }}{{ end }}"
)


def is_address(text: str) -> bool:
    """Whether somebody can follow it as a link."""
    return text.startswith(("http://", "https://"))


def words(way: str, runbooks: str) -> dict[str, Any]:
    """What a notification says, as far as the inventory does not say it otherwise."""
    if way == "pagerduty":
        said: dict[str, Any] = {
            "send_resolved": True,
            # Events API v2 has these and no other severities.
            "severity": "critical",
            "description": "{{ with .CommonAnnotations.summary }}{{ . }}{{ else }}"
            "{{ .CommonLabels.alertname }}: {{ .Alerts.Firing | len }} alerts{{ end }}",
            "class": "{{ .CommonLabels.alertname }}",
            "group": "{{ .CommonLabels.cluster }}",
            "component": "{{ .CommonLabels.host }}",
            "details": {
                **{label: f"{{{{ .CommonLabels.{label} }}}}" for label in LABELS},
                "runbook": "{{ (index .Alerts 0).Annotations.runbook }}",
                "alerts": LINES,
            },
        }
        if is_address(runbooks):
            said["links"] = [
                {"href": "{{ (index .Alerts 0).Annotations.runbook }}", "text": "What to do"}
            ]
        return said
    if way == "slack":
        return {
            "send_resolved": True,
            "title": TITLE,
            "text": LINES,
            "color": '{{ if eq .Status "firing" }}danger{{ else }}good{{ end }}',
        }
    if way == "mail":
        return {"send_resolved": True, "headers": {"Subject": TITLE}, "html": "", "text": LINES}
    return {"send_resolved": True}


def receiver(name: str, ways: Mapping[str, Any], runbooks: str) -> dict[str, Any]:
    """A receiver; each way is a list of Alertmanager's own configurations of it."""
    result: dict[str, Any] = {"name": name}
    for way, configurations in ways.items():
        if way not in WAYS:
            raise MonitoringError(f"receiver {name}: no way {way}; ways: {', '.join(WAYS)}")
        if not isinstance(configurations, list) or not configurations:
            raise MonitoringError(f"receiver {name}: {way} is a list of configurations")
        result[WAYS[way]] = [{**words(way, runbooks), **each} for each in configurations]
    return result


def inhibitions(alerts: Iterable[Alert]) -> list[dict[str, Any]]:
    """While an alert fires, those it inhibits are not told."""
    return [
        {
            "source_matchers": [f'alertname="{alert.name}"'],
            "target_matchers": [f'alertname=~"{"|".join(alert.inhibits)}"'],
            "equal": list(alert.equal),
        }
        for alert in alerts
        if alert.inhibits
    ]


def alertmanager_config(
    alerts: Iterable[Alert],
    receivers: Mapping[str, Mapping[str, Any]],
    runbooks: str = "docs/operate/alerts",
) -> dict[str, Any]:
    """``alertmanager.yml``. ``receivers`` holds ways by severity; without any, nobody is told.

    A page goes out within seconds, tickets of one kind together, the heartbeat every minute.
    Raises MonitoringError for a severity or a way that does not exist.
    """
    for severity in receivers:
        if severity not in SEVERITIES:
            raise MonitoringError(f"receiver {severity}: severities are {', '.join(SEVERITIES)}")
    there = [severity for severity in SEVERITIES if receivers.get(severity)]
    timing = {
        "page": {"group_wait": "5s", "group_interval": "30s", "repeat_interval": "1h"},
        "ticket": {"group_wait": "1m", "group_interval": "10m", "repeat_interval": "24h"},
        "heartbeat": {
            "group_wait": "0s",
            "group_interval": HEARTBEAT_EVERY,
            "repeat_interval": HEARTBEAT_EVERY,
        },
    }
    return {
        "route": {
            "receiver": NOBODY,
            "group_by": ["alertname", "cluster"],
            "routes": [
                {
                    "matchers": [f'severity="{severity}"'],
                    "receiver": severity if severity in there else NOBODY,
                    **timing[severity],
                }
                for severity in SEVERITIES
            ],
        },
        "inhibit_rules": inhibitions(alerts),
        "receivers": [
            {"name": NOBODY},
            *(receiver(severity, receivers[severity], runbooks) for severity in there),
        ],
    }
