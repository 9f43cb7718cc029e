"""What each screen shows of a fault and when, as measured by the drills screens_of_*."""

import json
from pathlib import Path

from .markdown import code, table

MEASURED = Path(__file__).resolve().parents[2] / "docs/operate/planted-faults.json"
HEAD = """# Faults on the screens

Two drills inject each of these faults into a running platform that nothing else uses, and read
every screen until the fault is over: `make drill D="screens_of_machines screens_of_services"`. They
write the seconds of this table. A run of `make status` itself takes several seconds, which are
included.

- *shows*: the problem with its kind, as [`make status`](../operate/verbs/status.md) and the
  cluster's page list it.
- *status*, *page*, *alert*: seconds from the fault until `make status`, the cluster's page and a
  firing alert name it. Empty: this screen cannot show it. Only `make status` reads machines; the
  page needs the exporter, and alerts need Prometheus.
- *over*: seconds from the repair until all of them are well again.
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
