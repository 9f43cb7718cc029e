"""Spark masters: unique names, and leader election."""

import pytest
from preflight_sites import Faults, ValidSite, problems


def second(**variables):
    """Plants a second master on the second machine."""

    def plant(site):
        master = site.hosts["master1"] | {"ansible_host": "10.0.0.2", "spark_address": "10.0.0.2"}
        site.groups["spark_master"].append("master2")
        site.hosts["master2"] = master | {"spark_master_name": "master2", **variables}

    return plant


def alone(site):
    """Plants a second master, and removes the ZooKeeper ensemble."""
    second()(site)
    site.groups["zookeeper"] = []


def with_certificates(site):
    """Plants a second master where users authenticate by certificate."""
    second()(site)
    for host in site.hosts.values():
        host["security_mode"] = "mtls"


FAULTS: Faults = {
    "two masters of one name": (
        second(spark_master_name="master1"),
        ["master2: spark_master_name: found master1, also used by master1", "a unique name"],
    ),
    "two masters without leader election": (
        alone,
        ["spark_master: group: found 2 masters and no ensemble for their leader election"],
    ),
    "two masters in an ensemble that users may write to": (
        with_certificates,
        ["2 masters in mode mtls", "one master, or mode tls_scram"],
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_reported_with_value_and_remedy(name):
    plant, expected = FAULTS[name]
    site = ValidSite()
    plant(site)
    found = [each for each in problems(site) if "spark_master" in each]
    for text in expected:
        assert any(text in each for each in found), found


def test_two_masters_with_zookeeper_are_accepted():
    site = ValidSite()
    second()(site)
    assert problems(site) == []
