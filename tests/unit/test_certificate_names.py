"""Certificates of the platform with their names, and reserved names."""

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._security import (
    certificate_names as certificates,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._site import credentials
from ansible_collections.metal.kafka.plugins.plugin_utils._site.inventory import Inventory
from site_inventories import site


def by_name(inventory: Inventory) -> dict[str, dict]:
    """Certificates by their name in the store."""
    return {each["name"]: each for each in credentials.certificates(inventory)}


def test_broker_certificate_has_all_advertised_and_bound_names():
    listeners = {
        "SHOP": {"bind": "0.0.0.0", "advertise": "kafka1.example.org", "port": 9092},
        "AMONG": {"bind": "10.0.0.1", "advertise": "10.0.0.1", "port": 9192},
    }
    broker = by_name(site(kafka_broker_listeners=listeners))["kafka1"]

    assert broker["dns"] == ["kafka1.example.org", "m1", "localhost"]
    # A wildcard address is no name.
    assert broker["ips"] == ["10.0.0.1", "127.0.0.1"]
    assert broker["usages"] == ["server", "client"]


def test_brokers_have_different_names_but_one_for_zookeeper():
    found = by_name(site())

    assert found["kafka1"]["common_name"] != found["kafka2"]["common_name"]
    assert found["kafka1-ensemble"]["common_name"] == found["kafka2-ensemble"]["common_name"]


def test_client_certificate_has_no_server_usage():
    found = by_name(site(security_mode="mtls"))

    for name in ("operator", "kafka1-ensemble", "demo"):
        assert found[name]["usages"] == ["client"]


def test_zookeeper_server_has_names_for_brokers_and_for_itself():
    server = by_name(site(zookeeper_address="10.0.0.3"))["zk3"]

    assert (server["dns"], server["ips"]) == (["m3", "localhost"], ["10.0.0.3", "127.0.0.1"])


def test_quorum_certificates_have_their_own_ca():
    found = by_name(site())

    assert found["zk3-quorum"] == {
        **found["zk3"],
        "name": "zk3-quorum",
        "authority": "quorum",
    }
    assert "authority" not in found["zk3"]


def test_spark_masters_are_zookeeper_clients_if_they_elect_a_leader():
    assert by_name(site(spark_address="10.0.0.1"))["spark-master1-ensemble"] == {
        "name": "spark-master1-ensemble",
        "common_name": "spark-masters",
        "dns": [],
        "ips": ["10.0.0.1"],
        "usages": ["client"],
    }
    assert "spark-master1-ensemble" not in by_name(site(security_mode="mtls"))


def test_metrics_proxy_has_a_server_certificate_only():
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


PLATFORM = credentials.certificates(site())


@pytest.mark.parametrize("certificate", PLATFORM, ids=lambda each: each["name"])
def test_names_of_platform_certificates_are_reserved(certificate):
    assert certificates.is_reserved(certificate["name"])
    assert certificates.is_reserved(certificate["common_name"])


@pytest.mark.parametrize(
    "name", ["spark-rpc", "spark-pages", "monitoring-web", "metrics-proxy", "operator", "broker-9"]
)
def test_names_of_platform_secrets_are_reserved(name):
    assert certificates.is_reserved(name)


@pytest.mark.parametrize(
    "name", ["shop", "metrics2", "broker", "ensemble", "kafka", "kafkaesque", "spark"]
)
def test_other_names_are_not_reserved(name):
    assert not certificates.is_reserved(name)
