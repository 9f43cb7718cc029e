"""Who needs a certificate, and under which names others reach whoever shows it."""

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._security import (
    certificate_names as certificates,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._site import people
from ansible_collections.metal.kafka.plugins.plugin_utils._site.inventory import Inventory
from site_inventories import site


def by_name(inventory: Inventory) -> dict[str, dict]:
    """Certificates by their name in the store."""
    return {each["name"]: each for each in people.certificates(inventory)}


def test_a_broker_shows_every_name_that_its_listeners_advertise_or_bind():
    listeners = {
        "SHOP": {"bind": "0.0.0.0", "advertise": "kafka1.example.org", "port": 9092},
        "AMONG": {"bind": "10.0.0.1", "advertise": "10.0.0.1", "port": 9192},
    }
    broker = by_name(site(kafka_broker_listeners=listeners))["kafka1"]

    assert broker["dns"] == ["kafka1.example.org", "m1", "localhost"]
    # The address that stands for all is no name.
    assert broker["ips"] == ["10.0.0.1", "127.0.0.1"]
    assert broker["usages"] == ["server", "client"]


def test_brokers_are_told_apart_by_each_other_and_one_to_the_ensemble():
    found = by_name(site())

    assert found["kafka1"]["common_name"] != found["kafka2"]["common_name"]
    assert found["kafka1-ensemble"]["common_name"] == found["kafka2-ensemble"]["common_name"]


def test_who_only_connects_serves_nobody():
    found = by_name(site(security_mode="mtls"))

    for name in ("operator", "kafka1-ensemble", "demo"):
        assert found[name]["usages"] == ["client"]


def test_a_server_of_the_ensemble_is_reached_by_brokers_and_by_itself():
    server = by_name(site(zookeeper_address="10.0.0.3"))["zk3"]

    assert (server["dns"], server["ips"]) == (["m3", "localhost"], ["10.0.0.3", "127.0.0.1"])


def test_servers_of_the_ensemble_know_each_other_by_an_authority_of_their_own():
    found = by_name(site())

    assert found["zk3-quorum"] == {
        **found["zk3"],
        "name": "zk3-quorum",
        "authority": "quorum",
    }
    assert "authority" not in found["zk3"]


def test_masters_of_spark_come_into_the_ensemble_as_clients_where_they_agree_there():
    assert by_name(site(spark_address="10.0.0.1"))["spark-master1-ensemble"] == {
        "name": "spark-master1-ensemble",
        "common_name": "spark-masters",
        "dns": [],
        "ips": ["10.0.0.1"],
        "usages": ["client"],
    }
    assert "spark-master1-ensemble" not in by_name(site(security_mode="mtls"))


def test_the_proxy_of_a_machine_is_reached_by_name_or_address_and_comes_in_nowhere():
    assert by_name(site(monitoring_address="10.0.0.1"))["metrics-m1"] == {
        "name": "metrics-m1",
        "common_name": "metrics",
        "dns": ["m1"],
        "ips": ["10.0.0.1"],
        "usages": ["server"],
    }
    assert "metrics-m1" not in by_name(site(monitoring_proxied=False))


def test_an_ipv6_address_in_brackets_is_an_address():
    assert by_name(site(monitoring_address="[fd00::1]"))["metrics-m1"]["ips"] == ["fd00::1"]


PLATFORM = people.certificates(site())


@pytest.mark.parametrize("certificate", PLATFORM, ids=lambda each: each["name"])
def test_no_user_has_a_name_for_which_the_platform_issues_a_certificate(certificate):
    assert certificates.reserved(certificate["name"])
    assert certificates.reserved(certificate["common_name"])


@pytest.mark.parametrize(
    "name", ["spark-rpc", "spark-pages", "monitoring-web", "metrics-proxy", "operator", "broker-9"]
)
def test_no_user_has_the_name_of_a_secret_of_the_platform(name):
    assert certificates.reserved(name)


@pytest.mark.parametrize(
    "name", ["shop", "metrics2", "broker", "ensemble", "kafka", "kafkaesque", "spark"]
)
def test_other_names_are_the_site_s(name):
    assert not certificates.reserved(name)
