"""Metrics by job, from monitoring/series.yml and monitoring/records.yml."""

from collections.abc import Mapping
from typing import Any

from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.monitoring_files import (
    read_records,
    read_series,
)

from .markdown import code, table

HEAD = """# Metrics

Prometheus collects these metrics. Alerts and dashboards use no others: a test compares them. Each
metric also has the labels `cluster`, `host`, `job` and `instance`. The unit `time` is a moment in
seconds since 1970; the unit `state` is 1 or 0.
"""
COLUMNS = ("metric", "type", "unit", "labels", "meaning")
EVERY = "every"


def _rows(entries: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, ...]]:
    return [
        (code(name), each["type"], each["unit"], ", ".join(map(code, each.get("labels") or ())),
         each["meaning"])
        for name, each in sorted(entries.items())
    ]  # fmt: skip


def page() -> str:
    """The page as Markdown."""
    parts = [HEAD]
    for job, entries in read_series().items():
        title = "Every target" if job == EVERY else f"Job `{job}`"
        parts.append(f"\n## {title}\n\n{table(COLUMNS, _rows(entries))}")
    rows = [(code(name), code(" ".join(expr.split()))) for name, expr in read_records().items()]
    parts.append(f"\n## Recording rules\n\n{table(('metric', 'expression'), rows)}")
    return "".join(parts)
