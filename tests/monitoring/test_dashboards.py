"""promtool accepts every query of every panel. Results need a running cluster."""

import json
from pathlib import Path

import yaml

DASHBOARDS = Path(__file__).resolve().parents[2] / "monitoring" / "dashboards"


def test_every_query_of_every_panel_is_valid_promql(folder, promtool):
    queries = [
        (path.stem, panel["title"], target["expr"].replace("$cluster", "x"))
        for path in sorted(DASHBOARDS.glob("*.json"))
        for panel in json.loads(path.read_text())["panels"]
        for target in panel.get("targets", [])
    ]
    assert len(queries) > 80
    rules = [
        {"record": f"panel:{number}", "expr": expr, "labels": {"panel": f"{board}: {title}"}}
        for number, (board, title, expr) in enumerate(queries)
    ]
    document = {"groups": [{"name": "panels", "rules": rules}]}
    (folder / "panels.yml").write_text(yaml.safe_dump(document))
    done = promtool("check", "rules", "panels.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(queries)} rules found" in done.stdout
