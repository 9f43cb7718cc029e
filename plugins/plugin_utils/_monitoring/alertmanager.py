# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The configuration of Alertmanager: routes and receivers of alerts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .alerts import SEVERITIES, Alert, MonitoringError
from .known_options import check_channel, check_mapping

# Key of versions.yml.
IMAGE = "alertmanager"
# Variable with the channels by severity.
VARIABLE = "monitoring_receivers"
# Notification channels: names in the inventory, and keys of Alertmanager.
CHANNELS = {
    "pagerduty": "pagerduty_configs",
    "slack": "slack_configs",
    "mail": "email_configs",
    "webhook": "webhook_configs",
}
# Name of the receiver without channels.
NO_RECEIVER = "none"
HEARTBEAT_EVERY = "1m"

LABELS = ("cluster", "host", "instance")
# Summary, description and runbook of each alert of a group.
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
    """Whether the text is a URL."""
    return text.startswith(("http://", "https://"))


def defaults(channel: str, runbooks: str) -> dict[str, Any]:
    """Default configuration of a channel, which the inventory can override."""
    if channel == "pagerduty":
        found: dict[str, Any] = {
            "send_resolved": True,
            # One of the severities of Events API v2.
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
            found["links"] = [
                {"href": "{{ (index .Alerts 0).Annotations.runbook }}", "text": "What to do"}
            ]
        return found
    if channel == "slack":
        return {
            "send_resolved": True,
            "title": TITLE,
            "text": LINES,
            "color": '{{ if eq .Status "firing" }}danger{{ else }}good{{ end }}',
        }
    if channel == "mail":
        return {"send_resolved": True, "headers": {"Subject": TITLE}, "html": "", "text": LINES}
    return {"send_resolved": True}


def receiver(
    name: str, channels: Mapping[str, Any], runbooks: str, known: bool = True
) -> dict[str, Any]:
    """A receiver; each channel has a list of Alertmanager's configurations for it.

    ``known``: their keys are those of known_options.
    """
    result: dict[str, Any] = {"name": name}
    check_mapping(f"{VARIABLE}.{name}", channels)
    for channel, configurations in channels.items():
        if channel not in CHANNELS:
            allowed = ", ".join(CHANNELS)
            raise MonitoringError(f"{VARIABLE}.{name}: found {channel}; allowed: {allowed}")
        if not isinstance(configurations, list) or not configurations:
            # Not the value, which may be a secret.
            raise MonitoringError(
                f"{VARIABLE}.{name}.{channel}: found no list, or an empty one; allowed: a list of "
                "configurations"
            )
        for index, each in enumerate(configurations):
            check_channel(f"{VARIABLE}.{name}.{channel}[{index}]", channel, each, known)
        own = [{**defaults(channel, runbooks), **each} for each in configurations]
        result[CHANNELS[channel]] = own
    return result


def inhibitions(alerts: Iterable[Alert]) -> list[dict[str, Any]]:
    """Inhibition rules: while an alert fires, the alerts that it inhibits send no notifications."""
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
    known: bool = True,
) -> dict[str, Any]:
    """``alertmanager.yml``. ``receivers`` has channels by severity; without any, none is notified.

    Pages are sent within seconds, tickets of one alert in groups, the heartbeat every minute.
    Raises MonitoringError for an unknown severity or channel, and unless the version's options are
    not ``known``, for an unknown key.
    """
    check_mapping(VARIABLE, receivers)
    for severity in receivers:
        if severity not in SEVERITIES:
            allowed = ", ".join(SEVERITIES)
            raise MonitoringError(f"{VARIABLE}: found {severity}; allowed: {allowed}")
    declared = [severity for severity in SEVERITIES if receivers.get(severity)]
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
            "receiver": NO_RECEIVER,
            "group_by": ["alertname", "cluster"],
            "routes": [
                {
                    "matchers": [f'severity="{severity}"'],
                    "receiver": severity if severity in declared else NO_RECEIVER,
                    **timing[severity],
                }
                for severity in SEVERITIES
            ],
        },
        "inhibit_rules": inhibitions(alerts),
        "receivers": [
            {"name": NO_RECEIVER},
            *(receiver(severity, receivers[severity], runbooks, known) for severity in declared),
        ],
    }
