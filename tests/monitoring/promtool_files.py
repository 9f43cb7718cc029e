"""Convert the cases of our alerts to unit tests of promtool.

A case lists series and, at some moments, the labels of the alerts that fire. The labels that the
rule adds are appended. `heals` is the moment of the first sample after the fault: the alert fires
until then and ends within a minute. `ends`, for alerts about an event, is when it no longer fires.
`promtool check rules` checks the templates of the annotations.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.alerts import Alert
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.promql import series_names

CAUSES = re.compile(r'ALERTS\{alertname=~"([^"]*)"')
HERE = Path(__file__).parent


def read_cases() -> dict[str, list[dict[str, Any]]]:
    """Return the cases by name of the alert."""
    cases: dict[str, list[dict[str, Any]]] = {}
    for path in sorted((HERE / "cases").glob("*.yml")):
        for name, found in yaml.safe_load(path.read_text()).items():
            assert name not in cases, f"{path.name}: cases of {name} are also in another file"
            cases[name] = found
    return cases


def read_scenarios() -> list[dict[str, Any]]:
    """Return scenarios: series of ordinary events during which no alert fires."""
    return yaml.safe_load((HERE / "scenarios.yml").read_text())


def series(values: Mapping[str, str]) -> list[dict[str, str]]:
    # Repeated zeros must be written 0+0x20: YAML and promtool read 0x20 as the number 32.
    assert all(isinstance(written, str) for written in values.values()), values
    return [{"series": name, "values": written} for name, written in values.items()]


# The fault may have ended up to a scrape interval, 15 s, before the first sample that shows it.
END_S = 60 - 15
UNITS = {"s": 1, "m": 60, "h": 3600}


def seconds(moment: str) -> int:
    """Return a duration such as 1m30s in seconds."""
    parts = re.findall(r"(\d+)([smh])", moment)
    assert "".join(map("".join, parts)) == moment, moment
    return sum(int(number) * UNITS[unit] for number, unit in parts)


def moments(case: Mapping[str, Any]) -> dict[str, list[dict[str, str]]]:
    """Return the alerts that fire by moment, with those that `heals` and `ends` add."""
    result = dict(case["at"])
    if "heals" in case:
        last = max((m for m, fires in case["at"].items() if fires), key=seconds)
        healed = seconds(case["heals"])
        assert seconds(last) < healed, f"{case['name']}: fires at {last}, after it heals"
        # Long enough for the end of a short fault and a new start: the alert does not come back.
        result |= {f"{healed - 5}s": case["at"][last]}
        result |= {f"{healed + after}s": [] for after in range(END_S, END_S + 180, 15)}
    if "ends" in case:
        result |= {case["ends"]: []}
    return result


def of_case(alert: Alert, case: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a case to a test of promtool."""
    # Written anew, not taken from rule_file.py: the case checks what the rule adds.
    labels_of_rule = {"severity": alert.severity, "was": alert.was, "problem": alert.problem}
    added = {name: value for name, value in labels_of_rule.items() if value}
    return {
        "name": f"{alert.name}: {case['name']}",
        "interval": case.get("interval", "15s"),
        "input_series": series(case["series"]),
        "alert_rule_test": [
            {
                "eval_time": moment,
                "alertname": alert.name,
                "exp_alerts": [{"exp_labels": {**labels, **added}} for labels in fires],
            }
            for moment, fires in moments(case).items()
        ],
    }


def of_scenario(alerts: Iterable[Alert], scenario: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a scenario to a test of promtool: no alert fires at any half minute."""
    last = int(scenario["until"].removesuffix("m")) * 60
    return {
        "name": scenario["name"],
        "interval": "15s",
        "input_series": series(scenario["series"]),
        "alert_rule_test": [
            {"eval_time": f"{second}s", "alertname": alert.name, "exp_alerts": []}
            for alert in alerts
            for second in range(0, last, 30)
            if alert.severity != "heartbeat"
        ],
    }


def with_causes(rules: Iterable[Mapping[str, Any]], alerts: Iterable[str]) -> set[str]:
    """Return names of alerts with those that inhibit them, directly or not."""
    named = {
        rule["alert"]: set(re.findall(r"\w+", " ".join(re.findall(CAUSES, rule["expr"]))))
        for rule in rules
        if "alert" in rule
    }
    result: set[str] = set()
    found = set(alerts)
    while found - result:
        result |= found
        found = {cause for name in result for cause in named[name]}
    return result


def needed(document: Mapping[str, Any], alerts: Iterable[str]) -> dict[str, Any]:
    """Return a rule file with only these alerts, their causes and the recording rules they use.

    Fewer rules make promtool faster. Annotations are dropped, because tests would have to repeat
    their text.
    """
    (group,) = document["groups"]
    wanted = with_causes(group["rules"], alerts)
    rules: list[dict[str, Any]] = []
    for rule in reversed(group["rules"]):
        if rule.get("alert") in wanted or rule.get("record") in wanted:
            wanted |= series_names(rule["expr"])
            rules.append({key: value for key, value in rule.items() if key != "annotations"})
    return {"groups": [{**group, "rules": rules[::-1]}]}
