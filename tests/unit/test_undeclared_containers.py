"""Containers of instances that the inventory no longer has are named, and nothing else of them."""

import re
from pathlib import Path

from ansible_collections.metal.kafka.plugins.module_utils._containers.undeclared_containers import (
    split_by_declaration,
    undeclared,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._catalogue import SERVICES
from ansible_collections.metal.kafka.plugins.plugin_utils._site import declared_containers
from site_inventories import site

ROOT = Path(__file__).resolve().parents[2]

DECLARED = {"kafka_broker": ["kafka1"], "spark_worker": [], "probe": ["probe1"], "prometheus": []}


def container(kind: str, name: str, running: bool = True) -> dict:
    labels = {"kafka-metal.service": kind, "kafka-metal.instance": name}
    return {"Name": f"/a-{name}", "Config": {"Labels": labels}, "State": {"Running": running}}


def test_each_container_of_another_instance_is_a_note():
    others = [
        container("kafka_broker", "kafka2"),
        container("spark_worker", "spark-worker9", running=False),
        container("prometheus", "prometheus1"),
    ]
    ours = [container("kafka_broker", "kafka1"), container("probe", "probe1")]
    assert split_by_declaration([*ours, *others], DECLARED) == (ours, others)
    assert [(each.level, each.where, each.text) for each in undeclared(others, "node1")] == [
        ("note", "kafka2", "kafka2 runs on node1, where the inventory does not have it"),
        (
            "note",
            "spark-worker9",
            "spark-worker9 is stopped on node1, where the inventory does not have it",
        ),
        ("note", "prometheus1", "prometheus1 runs on node1, where the inventory does not have it"),
    ]


def test_a_container_of_another_kind_is_none_of_them():
    """Such as a check that runs for seconds, or a site's own service of monitoring."""
    ours = [container("", ""), container("jmx", "jmx1")]
    assert split_by_declaration(ours, DECLARED) == (ours, [])


def test_a_machine_has_the_instances_of_its_hosts():
    found = declared_containers.on_machine(site(pipeline_pipelines={"shop": {}}), "m2")
    assert (found["node_exporter"], found["prometheus"]) == (["node-exporter2"], [])
    assert (found["kafka_broker"], found["spark_master"]) == (["kafka2"], ["spark-master2"])
    # Without hosts of pipelines, every driver is undeclared.
    assert found["pipeline"] == []


def test_each_kind_has_the_label_of_its_containers():
    """Otherwise each container of the kind would count as declared."""
    tasks = [path.read_text() for path in (ROOT / "roles").glob("*/tasks/service.yml")]
    labels = set(re.findall(r"service_kind: (\w+)$", "\n".join(tasks), re.MULTILINE))
    found = {each.container_label for each in SERVICES}
    assert labels <= found
    # The roles of Spark and monitoring use names of kinds.
    others = {each.kind for each in SERVICES if each.role in ("spark", "monitoring")}
    assert labels | others == found


def test_containers_of_monitoring_have_the_number_that_playbooks_give_them():
    assert {each.role for each in SERVICES if each.is_numbered} == {"monitoring"}
    named = (ROOT / "roles/monitoring/vars/main.yml").read_text()
    assert "__monitoring_entry | replace('_', '-') }}{{ monitoring_instance_number }}" in named
    playbook = (ROOT / "playbooks/monitoring.yml").read_text()
    for group in {each.group for each in SERVICES if each.is_numbered}:
        place = f"groups['{group}'].index(inventory_hostname) + 1"
        assert f'monitoring_instance_number: "{{{{ {place} }}}}"' in playbook
