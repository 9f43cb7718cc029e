"""Metrics by job, from monitoring/series.yml and monitoring/records.yml."""

from pathlib import Path

import yaml

from .markdown import code, table

HEAD = """# Metrics

Prometheus collects these metrics. Alerts and dashboards use no others: a test compares them. Each
metric also has the labels `cluster`, `host`, `job` and `instance`. The unit `time` is a moment in
seconds since 1970; the unit `state` is 1 or 0.
"""
EVERY = "every"


def _rows(entries: dict) -> list[tuple[str, ...]]:
    return [
        (code(name), each["type"], each["unit"], ", ".join(map(code, each.get("labels") or ())),
         each["meaning"])
        for name, each in sorted(entries.items())
    ]  # fmt: skip


def page(root: Path) -> str:
    """The page as Markdown."""
    jobs = yaml.safe_load((root / "monitoring/series.yml").read_text(encoding="utf-8"))
    recorded = yaml.safe_load((root / "monitoring/records.yml").read_text(encoding="utf-8"))
    parts = [HEAD]
    for job, entries in jobs.items():
        title = "Every target" if job == EVERY else f"Job `{job}`"
        columns = ("metric", "type", "unit", "labels", "meaning")
        parts.append(f"\n## {title}\n\n{table(columns, _rows(entries))}")
    rows = [(code(name), code(" ".join(str(expr).split()))) for name, expr in recorded.items()]
    parts.append(f"\n## Recording rules\n\n{table(('metric', 'expression'), rows)}")
    return "".join(parts)
