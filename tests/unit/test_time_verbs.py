"""scripts/time-verbs reads declarations as a verb sees them."""

import runpy
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/time-verbs"


@pytest.fixture
def declared(tmp_path, monkeypatch):
    inventory = tmp_path / "hosts.yml"
    inventory.write_text(
        "kafka:\n"
        "  hosts: {node1: {ansible_host: nowhere.invalid}}\n"
        "  vars:\n"
        "    mine: {orders: {partitions: 3}}\n"
        "    kafka_content_topics: \"{{ mine | combine({'audit': {}}) }}\"\n"
    )
    monkeypatch.setenv("INVENTORY", str(inventory))
    return runpy.run_path(str(SCRIPT))["declared"]


def test_templates_of_the_inventory_are_evaluated(declared):
    topics = {"orders": {"partitions": 3}, "audit": {}}
    assert declared("kafka", "kafka_content_topics") == topics
    assert declared("kafka", "pipeline_pipelines") == {}


def test_a_group_without_hosts_is_named(declared):
    with pytest.raises(SystemExit, match="group pipeline"):
        declared("pipeline", "pipeline_pipelines")


@pytest.mark.parametrize("rounds", ["0", "-1"])
def test_a_wrong_number_of_rounds_is_refused_before_a_verb_runs(rounds, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["time-verbs", "--rounds", rounds])
    monkeypatch.setattr("subprocess.run", lambda *_, **__: pytest.fail("a verb ran"))
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(SCRIPT), run_name="__main__")
    assert ended.value.code == 2
    assert f"found {rounds}; allowed: 1 and above" in capsys.readouterr().err
