"""Containers of instances that the inventory no longer has are named, and nothing else of them."""

from ansible_collections.metal.kafka.plugins.module_utils._containers.undeclared_containers import (
    split_by_declaration,
    undeclared,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._site import declared_containers
from site_inventories import site

DECLARED = {"kafka_broker": ["kafka1"], "spark_worker": [], "probe": ["*"], "prometheus": []}


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
    # Containers of monitoring have numbers.
    assert (found["node_exporter"], found["prometheus"]) == (["*"], [])
    assert (found["kafka_broker"], found["spark_master"]) == (["kafka2"], ["spark-master2"])
    # Without hosts of pipelines, every driver is undeclared.
    assert found["pipeline"] == []
