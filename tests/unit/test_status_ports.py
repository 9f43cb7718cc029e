"""Status ports of pipelines: a site may fix the port of a pipeline by its name."""

from ansible_collections.metal.kafka.plugins.filter.pipeline import FilterModule

endpoints = FilterModule().filters()["status_endpoints"]


def test_ports_follow_the_order_of_declarations():
    found = endpoints({"payments": {}, "orders": {}}, "node1", "4050", {})
    assert found == {"payments": "node1:4050", "orders": "node1:4051"}


def test_fixed_port_stays_when_another_pipeline_is_removed():
    own = {"orders": 4051, "audit": "4060"}
    before = endpoints({"payments": {}, "orders": {}, "shop": {}, "audit": {}}, "n", 4050, own)
    after = endpoints({"orders": {}, "shop": {}, "audit": {}}, "n", 4050, own)

    assert before["shop"] == "n:4052"
    assert after == {"orders": "n:4051", "shop": "n:4050", "audit": "n:4060"}
