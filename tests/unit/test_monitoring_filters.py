"""Filters of the monitoring role, with Ansible's types."""

import json

import pytest
import yaml
from ansible.errors import AnsibleFilterError
from ansible_collections.metal.kafka.plugins.filter.monitoring import FilterModule

filters = FilterModule().filters()


def test_every_job_has_a_target_file_without_restart():
    files = filters["target_files"](
        {"node": [{"address": "h:9100", "cluster": "c", "host": "h", "instance": "h"}]}
    )
    found = {each["name"]: each for each in files}
    assert json.loads(found["targets-kafka.json"]["content"]) == []
    assert json.loads(found["targets-node.json"]["content"])[0]["targets"] == ["h:9100"]
    assert {each["static"] for each in files} == {""}


def test_rules_have_changes_and_runbooks_of_the_site():
    text = filters["alert_rules"](
        {"DiskSlow": False, "BrokerDown": {"for": "3m"}}, "https://wiki/kafka"
    )
    rules = {
        rule["alert"]: rule
        for rule in yaml.safe_load(text)["groups"][0]["rules"]
        if "alert" in rule
    }
    assert "DiskSlow" not in rules
    assert rules["BrokerDown"]["for"] == "3m"
    assert rules["BrokerDown"]["annotations"]["runbook"] == "https://wiki/kafka/BrokerDown.md"


def test_removed_alert_is_in_no_inhibition():
    text = filters["alert_routes"]({}, {"DiskSlow": False})
    assert "DiskSlow" not in text
    assert "FileSystemBroken" in text


@pytest.mark.parametrize(
    ("name", "arguments", "blocker"),
    [
        ("alert_rules", [{"DiskSlow": {"limits": {"minutes": 1}}}], "found minutes; allowed: "),
        ("alert_routes", [{"urgent": {}}, {}], "monitoring_receivers: found urgent"),
        ("scrape_config", [["a:1"], {"kafak": {}}], "monitoring_scrape_options: found job kafak"),
        ("target_files", [{"kafak": []}], "monitoring_targets: found job kafak"),
    ],
)
def test_invalid_declaration_is_an_error_with_its_name(name, arguments, blocker):
    with pytest.raises(AnsibleFilterError, match=blocker):
        filters[name](*arguments)
