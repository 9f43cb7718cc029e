"""Memory for the page cache: the arithmetic is shown, and a warning says what does not fit."""

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

    def said(self, fatal: bool) -> list[str]:
        """Problems that are about the page cache."""
        found = check(self.hosts, self.groups, self.facts)
        words = ("page cache", "kafka_broker_write_rate", "kafka_broker_memory")
        mine = [p for p in found if p.where in words and p.fatal is fatal]
        return [f"{p.host}: {p.where}: {p.found}; {p.allowed}" for p in mine]


def test_the_arithmetic_of_a_machine_is_shown():
    assert Machine().budget() == [
        "m1: 32.0 GiB of memory - 6.0 GiB heap of brokers - 8.0 GiB other services "
        "- 512 MiB reserve = 17.5 GiB for the page cache; 2.9 GiB wanted (30 s at 100 MiB/s)"
    ]
    assert Machine().said(fatal=False) == Machine().said(fatal=True) == []


def test_a_rate_that_nobody_gave_is_50_mib_a_second():
    machine = Machine()
    del machine.hosts["kafka1"]["kafka_broker_write_rate"]
    assert machine.budget()[0].endswith("1.5 GiB wanted (30 s at 50 MiB/s)")


def test_a_cache_that_does_not_fit_is_a_warning_and_no_refusal():
    machine = Machine()
    machine.facts["m1"]["memory"] = 16 * GIB
    assert machine.said(fatal=True) == []
    assert machine.said(fatal=False) == [
        "m1: page cache: 1.5 GiB: 16.0 GiB of memory less 6.0 GiB heap of brokers, 8.0 GiB "
        "other services and 512 MiB reserve; at least 2.9 GiB, 30 s of 100 MiB/s "
        "(kafka_broker_write_rate): with less, consumers and followers read from the disks that "
        "are written to"
    ]


@pytest.mark.parametrize(("memory", "fits"), [("8g", False), ("10g", True), ("", True)])
def test_a_container_s_limit_has_room_for_its_page_cache(memory, fits):
    machine = Machine()
    machine.hosts["kafka1"]["kafka_broker_memory"] = memory
    assert ("kafka1: kafka_broker_memory: 8.0 GiB" in "".join(machine.said(False))) is not fits


def test_the_limit_of_a_broker_is_not_taken_for_its_heap():
    machine = Machine()
    machine.hosts["kafka1"]["kafka_broker_memory"] = "20g"
    assert "6.0 GiB heap of brokers" in machine.budget()[0]


def test_brokers_that_share_a_machine_add_up():
    machine = Machine()
    machine.groups["kafka"].append("kafka2")
    machine.hosts["kafka2"] = dict(machine.hosts["kafka1"])
    assert "12.0 GiB heap of brokers" in machine.budget()[0]
    assert "5.9 GiB wanted (30 s at 200 MiB/s)" in machine.budget()[0]


def test_a_rate_that_is_no_size_is_refused():
    machine = Machine()
    machine.hosts["kafka1"]["kafka_broker_write_rate"] = "fast"
    assert len(machine.said(fatal=True)) == 1
    assert "kafka1: kafka_broker_write_rate: 'fast'" in machine.said(fatal=True)[0]


def test_a_machine_that_did_not_tell_its_memory_has_no_budget():
    machine = Machine()
    machine.facts = {}
    assert machine.budget() == []
    assert machine.said(fatal=False) == []
