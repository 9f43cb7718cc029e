"""Containers of instances that the inventory no longer has are named, and nothing else of them."""

from ansible_collections.metal.kafka.plugins.module_utils._containers.undeclared_containers import (
    split_by_declaration,
    undeclared,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._site import declared_containers
from site_inventories import site


def container(name: str, running: bool = True) -> dict:
    labels = {"kafka-metal.instance": name} if name else {}
    return {"Name": f"/a-{name}", "Config": {"Labels": labels}, "State": {"Running": running}}


def test_each_container_of_another_instance_is_a_note():
    every = [container("kafka1"), container("schema-registry2"), container("spark-worker9", False)]
    ours, others = split_by_declaration(every, ["kafka1"])
    assert ours == every[:1]
    assert [(each.level, each.where, each.text) for each in undeclared(others, "node1")] == [
        (
            "note",
            "schema-registry2",
            "schema-registry2 runs on node1, where the inventory does not have it",
        ),
        (
            "note",
            "spark-worker9",
            "spark-worker9 is stopped on node1, where the inventory does not have it",
        ),
    ]


def test_a_container_of_no_instance_is_none_of_them():
    """Such as a check that runs for seconds."""
    ours, others = split_by_declaration([container("")], [])
    assert (len(ours), others) == (1, [])


def test_a_machine_has_the_instances_of_its_hosts_and_every_pipeline():
    found = declared_containers.on_machine(site(), "m1")
    assert "kafka1" in found
    assert "kafka2" not in found
    own = site(pipeline_pipelines={"shop": {}})
    assert "pipeline-shop" in declared_containers.on_machine(own, "m1")
