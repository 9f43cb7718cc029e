"""Masters of Spark: names of their own, and a way to agree who leads."""

import pytest
from preflight_sites import Faults, Sound, problems


def second(**variables):
    """Plants a second master on the second machine."""

    def plant(site):
        master = site.hosts["master1"] | {"ansible_host": "10.0.0.2", "spark_address": "10.0.0.2"}
        site.groups["spark_master"].append("master2")
        site.hosts["master2"] = master | {"spark_master_name": "master2", **variables}

    return plant


def alone(site):
    """Plants a second master, and takes the ensemble away."""
    second()(site)
    site.groups["zookeeper"] = []


def with_certificates(site):
    """Plants a second master where users show certificates."""
    second()(site)
    for host in site.hosts.values():
        host["security_mode"] = "mtls"


FAULTS: Faults = {
    "two masters of one name": (
        second(spark_master_name="master1"),
        ["master2: spark_master_name: found master1, as master1 has it", "a name of its own"],
    ),
    "two masters that cannot agree who leads": (
        alone,
        ["spark_master: group: found 2 masters and no ensemble in which they agree who leads"],
    ),
    "two masters in an ensemble that users may write to": (
        with_certificates,
        ["2 masters in mode mtls", "one master, or mode tls_scram"],
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_with_find_and_remedy(name):
    plant, expected = FAULTS[name]
    site = Sound()
    plant(site)
    told = [each for each in problems(site) if "spark_master" in each]
    for text in expected:
        assert any(text in each for each in told), told


def test_two_masters_of_an_ensemble_are_let_be():
    site = Sound()
    second()(site)
    assert problems(site) == []
