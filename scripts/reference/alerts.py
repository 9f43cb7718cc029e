"""Alerts, from monitoring/alerts."""

import re
from pathlib import Path

import yaml

from .markdown import code, table

HEAD = """# Alerts

An alert of severity `page` goes to the person on call at once, one of severity `ticket` waits for
the morning. Change limits or severity, or remove an alert, with `monitoring_alerts`:
[monitoring](../operate/guides/monitoring.md). The name of an alert links to its page.
"""
# Scope in which a planned operation mutes the alert.
MUTED = {
    "loud": "never",
    "instance": "for the stopped instance",
    "host": "for the stopped host",
    "cluster": "for the whole cluster",
}


def _summary(text: str) -> str:
    return re.sub(r"{{ *\$labels\.(\w+) *}}", r"*\1*", text)


def _row(name: str, alert: dict) -> tuple[str, ...]:
    limits = ", ".join(f"{code(key)} {value}" for key, value in (alert.get("limits") or {}).items())
    return (
        f"[{name}](../operate/alerts/{name}.md)", alert["severity"], _summary(alert["summary"]),
        str(alert.get("for", "")), limits, MUTED[alert.get("maintenance", "loud")],
    )  # fmt: skip


def page(root: Path) -> str:
    """The page as Markdown."""
    parts = [HEAD]
    for path in sorted((root / "monitoring/alerts").glob("*.yml")):
        alerts = yaml.safe_load(path.read_text(encoding="utf-8"))
        columns = ("alert", "severity", "summary", "for", "limits", "muted by an operation")
        rows = [_row(name, alert) for name, alert in alerts.items()]
        parts.append(f"\n## {path.stem.capitalize()}\n\n{table(columns, rows)}")
    return "".join(parts)
