"""promtool evaluates our rules: alerts fire in time, and do not fire when they should not."""

import pytest
import yaml
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.alerts import parse_alerts
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.monitoring_files import (
    read_alerts,
    read_records,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._monitoring.rule_file import rule_document
from promtool_files import needed, of_case, of_scenario, read_cases, read_scenarios

ALERTS = {alert.name: alert for alert in parse_alerts(read_alerts())}
DOCUMENT = rule_document(ALERTS.values(), read_records())


def write(folder, name, alerts, tests, every="5s"):
    """Write the rules of some alerts and their tests for promtool; return the name of the file.

    ``every``: evaluation interval, because promtool ignores the interval in the rule file.
    """
    (folder / f"rules-{name}.yml").write_text(yaml.safe_dump(needed(DOCUMENT, alerts)))
    content = {"rule_files": [f"rules-{name}.yml"], "evaluation_interval": every, "tests": tests}
    (folder / f"tests-{name}.yml").write_text(yaml.safe_dump(content))
    return f"tests-{name}.yml"


def test_promtool_accepts_rules_and_their_templates(folder, promtool):
    (folder / "rules.yml").write_text(yaml.safe_dump(DOCUMENT))
    done = promtool("check", "rules", "rules.yml")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(ALERTS) + len(read_records())} rules found" in done.stdout


def test_every_alert_passes_its_cases(folder, promtool):
    files = [
        write(folder, name, [name], [of_case(ALERTS[name], case) for case in cases])
        for name, cases in read_cases().items()
    ]
    done = promtool("test", "rules", *files)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]


@pytest.mark.parametrize("scenario", read_scenarios(), ids=lambda each: each["name"])
def test_no_alert_fires_during_ordinary_events(scenario, folder, promtool):
    file = write(folder, "all", ALERTS, [of_scenario(ALERTS.values(), scenario)], "15s")
    done = promtool("test", "rules", file)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]


def test_a_case_with_a_wrong_expectation_fails(folder, promtool):
    case = {
        "name": "an offline partition without an alert",
        "series": {'kafka_controller_offline_partitions{cluster="a"}': "3x20"},
        "at": {"2m": []},
    }
    name = "PartitionsOffline"
    file = write(folder, name, [name], [of_case(ALERTS[name], case)])
    assert promtool("test", "rules", file).returncode != 0
