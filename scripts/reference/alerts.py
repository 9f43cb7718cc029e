"""Alerts by severity, from monitoring/alerts."""

import re

from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.alerts import (
    SEVERITIES,
    Alert,
    parse_alerts,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.monitoring_files import (
    read_alerts,
)

from .markdown import code, table

HEAD = """# Alerts

An alert of severity `page` wakes someone, one of severity `ticket` waits for working hours. Without
`monitoring_receivers`, nobody is notified. Change limits or severity, or remove an alert, with
`monitoring_alerts`: [monitoring](../operate/guides/monitoring.md). The name of an alert links to
its page.
"""
COLUMNS = ("alert", "summary", "for", "limits", "muted by an operation")
# Scope in which a planned operation mutes the alert.
MUTED = {
    "never": "never",
    "none": "while the whole cluster starts or stops",
    "instance": "for the stopped instance",
    "host": "for the stopped host",
    "cluster": "for the whole cluster",
}


def _row(alert: Alert) -> tuple[str, ...]:
    return (
        f"[{alert.name}](../operate/alerts/{alert.name}.md)",
        re.sub(r"{{ *\$labels\.(\w+) *}}", r"*\1*", alert.summary),
        alert.lasting,
        ", ".join(f"{code(name)} {value:g}" for name, value in alert.limits.items()),
        MUTED[alert.maintenance],
    )


def page() -> str:
    """The page as Markdown."""
    alerts, parts = parse_alerts(read_alerts()), [HEAD]
    for severity in SEVERITIES:
        rows = [_row(alert) for alert in alerts if alert.severity == severity]
        parts.append(f"\n## Severity {code(severity)}\n\n{table(COLUMNS, rows)}")
    return "".join(parts)
