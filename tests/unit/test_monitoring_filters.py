"""What the role is given, in Ansible's own words."""

import json

import pytest
import yaml
from ansible.errors import AnsibleFilterError
from ansible_collections.metal.kafka.plugins.filter.monitoring import FilterModule

filters = FilterModule().filters()


def test_every_job_has_a_file_of_targets_that_restarts_nothing():
    files = filters["target_files"](
        {"node": [{"address": "h:9100", "cluster": "c", "host": "h", "instance": "h"}]}
    )
    found = {each["name"]: each for each in files}
    assert json.loads(found["targets-kafka.json"]["content"]) == []
    assert json.loads(found["targets-node.json"]["content"])[0]["targets"] == ["h:9100"]
    assert {each["static"] for each in files} == {""}


def test_the_rules_of_a_site_have_its_changes_and_its_runbooks():
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


def test_an_alert_that_a_site_left_out_is_named_in_no_inhibition():
    text = filters["alert_routes"]({}, {"DiskSlow": False})
    assert "DiskSlow" not in text
    assert "FileSystemBroken" in text


@pytest.mark.parametrize(
    ("name", "arguments", "blocker"),
    [
        ("alert_rules", [{"DiskSlow": {"limits": {"minutes": 1}}}], "no limit minutes"),
        ("alert_routes", [{"urgent": {}}, {}], "receiver urgent"),
        ("scrape_config", [["a:1"], {"kafak": {}}], "job kafak"),
        ("target_files", [{"kafak": []}], "job kafak"),
    ],
)
def test_a_declaration_that_cannot_be_is_an_error_that_names_it(name, arguments, blocker):
    with pytest.raises(AnsibleFilterError, match=blocker):
        filters[name](*arguments)
