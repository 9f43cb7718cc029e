"""Memory for the page cache: the calculation is printed, and too little memory is a note."""

from typing import Any

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._preflight.checks import budget, check

GIB = 1024**3


class Machine:
    """One machine with a broker and a Spark worker."""

    def __init__(self) -> None:
        self.groups = {"metal": ["m1"], "kafka": ["kafka1"], "spark_worker": ["worker1"]}
        self.hosts: dict[str, dict[str, Any]] = {
            "m1": {"ansible_host": "10.0.0.1"},
            "kafka1": {
                "ansible_host": "10.0.0.1",
                "kafka_broker_heap": "6g",
                "kafka_broker_write_rate": "100m",
            },
            "worker1": {"ansible_host": "10.0.0.1", "spark_worker_memory": "8g"},
        }
        self.facts: dict[str, Any] = {"m1": {"memory": 32 * GIB}}

    def budget(self) -> list[str]:
        return budget(self.hosts, self.groups, self.facts)

    def problems(self, fatal: bool) -> list[str]:
        """Problems of the page cache."""
        found = check(self.hosts, self.groups, self.facts)
        places = ("page cache", "kafka_broker_write_rate", "kafka_broker_memory")
        own = [p for p in found if p.where in places and p.fatal is fatal]
        return [f"{p.host}: {p.where}: {p.found}; {p.allowed}" for p in own]


def test_calculation_of_a_machine_is_printed():
    assert Machine().budget() == [
        "m1: 32.0 GiB of memory - 6.0 GiB heap of brokers - 8.0 GiB other services "
        "- 512 MiB reserve = 17.5 GiB for the page cache; 2.9 GiB wanted (30 s at 100 MiB/s)"
    ]
    assert Machine().problems(fatal=False) == Machine().problems(fatal=True) == []


def test_default_write_rate_is_50_mib_per_second():
    machine = Machine()
    del machine.hosts["kafka1"]["kafka_broker_write_rate"]
    assert machine.budget()[0].endswith("1.5 GiB wanted (30 s at 50 MiB/s)")


def test_too_little_page_cache_is_a_note():
    machine = Machine()
    machine.facts["m1"]["memory"] = 16 * GIB
    assert machine.problems(fatal=True) == []
    assert machine.problems(fatal=False) == [
        "m1: page cache: 1.5 GiB: 16.0 GiB of memory less 6.0 GiB heap of brokers, 8.0 GiB "
        "other services and 512 MiB reserve; at least 2.9 GiB, 30 s of 100 MiB/s "
        "(kafka_broker_write_rate): with less, consumers and followers read from disk, which "
        "slows down writes"
    ]


@pytest.mark.parametrize(("memory", "fits"), [("8g", False), ("10g", True), ("", True)])
def test_container_limit_must_include_page_cache(memory, fits):
    machine = Machine()
    machine.hosts["kafka1"]["kafka_broker_memory"] = memory
    assert ("kafka1: kafka_broker_memory: 8.0 GiB" in "".join(machine.problems(False))) is not fits


def test_container_limit_is_not_counted_as_heap():
    machine = Machine()
    machine.hosts["kafka1"]["kafka_broker_memory"] = "20g"
    assert "6.0 GiB heap of brokers" in machine.budget()[0]


def test_brokers_on_one_machine_add_up():
    machine = Machine()
    machine.groups["kafka"].append("kafka2")
    machine.hosts["kafka2"] = dict(machine.hosts["kafka1"])
    assert "12.0 GiB heap of brokers" in machine.budget()[0]
    assert "5.9 GiB wanted (30 s at 200 MiB/s)" in machine.budget()[0]


def test_invalid_write_rate_is_fatal():
    machine = Machine()
    machine.hosts["kafka1"]["kafka_broker_write_rate"] = "fast"
    assert len(machine.problems(fatal=True)) == 1
    assert "kafka1: kafka_broker_write_rate: 'fast'" in machine.problems(fatal=True)[0]


def test_machine_without_memory_fact_has_no_budget():
    machine = Machine()
    machine.facts = {}
    assert machine.budget() == []
    assert machine.problems(fatal=False) == []
