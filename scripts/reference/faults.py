"""What each screen shows of a fault and when, as measured by the drills screens_of_*."""

import json
from pathlib import Path

from .markdown import code, table

MEASURED = Path(__file__).resolve().parents[2] / "docs/operate/planted-faults.json"
HEAD = """# Faults on the screens

This page answers which screen reports a fault, and after how many seconds. Use it to choose what
to monitor, and to know how long to wait before you trust a screen.

Two drills inject each of these faults into a running test platform that nothing else uses, and
read every screen until the fault is over. They write this table:
`make drill D="screens_of_machines screens_of_services"`. The seconds include the run of
`make status` itself, which takes several seconds.

- *shows*: the kind and the text of the problem, as [`make status`](../operate/verbs/status.md) and
  the [cluster's page](../operate/guides/monitoring.md#the-page-of-a-cluster) list it. What to do is
  in [messages of make status](../operate/verbs/status.md#what-can-fail), or on the page of the
  alert.
- *status*, *page*, *alert*: seconds from the fault until `make status`, the cluster's page and a
  firing alert report it. Empty: this screen does not report it. Only `make status` reads machines;
  the page needs the exporter, and alerts need Prometheus.
- *over*: seconds from the repair until no screen reports it any more.
"""
PLATFORMS = {
    "metal": "Machines, brokers and ZooKeeper servers",
    "local": "Services, pipelines and monitoring",
}
COLUMNS = ("fault", "shows", "status", "page", "alert", "over")
SCREENS = ("status", "page", "alert")


def _row(name: str, row: dict) -> tuple[str, ...]:
    alert = f"[{row['alert']}](../operate/alerts/{row['alert']}.md)" if row["alert"] else ""
    seconds = {each: f"{row['shown'][each]} s" for each in row["shown"]}
    if alert and "alert" in seconds:
        severity = "page" if row["pages"] else "ticket"
        seconds["alert"] = f"{seconds['alert']}, {severity} {alert}"
    # The text is of a running system.
    shows = f"{row['kind'] or row['alert']}: {code(row['text'].replace('`', ''))}"
    over = f"{max(row['over'].values())} s" if row["over"] else ""
    return (name, shows, *(seconds.get(each, "") for each in SCREENS), over)


def page() -> str:
    """The page as Markdown."""
    measured, parts = json.loads(MEASURED.read_text(encoding="utf-8")), [HEAD]
    for platform, title in PLATFORMS.items():
        rows = [_row(*each) for each in measured.get(platform, {}).items()]
        parts.append(f"\n## {title}\n\n{table(COLUMNS, rows)}")
    return "".join(parts)
