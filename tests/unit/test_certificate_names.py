"""Who needs a certificate, and under which names others reach whoever shows it."""

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._security import certificate_names

BROKER = {
    "id": 1,
    "host": "node1",
    "listeners": {
        "CLIENTS": {"bind": "0.0.0.0", "advertise": "kafka1.example.org", "port": 9092},
        "BROKERS": {"bind": "10.0.0.1", "advertise": "10.0.0.1", "port": 9192},
    },
}


def by_name(found: list[dict]) -> dict[str, dict]:
    """Certificates by their name in the store."""
    return {each["name"]: each for each in found}


def test_a_broker_shows_every_name_that_its_listeners_advertise():
    broker = by_name(certificate_names.of_brokers([BROKER]))["kafka1"]

    assert broker["dns"] == ["kafka1.example.org", "node1", "localhost"]
    assert broker["ips"] == ["10.0.0.1", "127.0.0.1"]
    assert broker["usages"] == ["server", "client"]


def test_an_address_that_stands_for_all_is_no_name():
    broker = by_name(certificate_names.of_brokers([BROKER]))["kafka1"]

    assert "0.0.0.0" not in broker["ips"]


def test_brokers_are_told_apart_by_each_other_and_one_to_the_ensemble():
    found = by_name(certificate_names.of_brokers([BROKER, {**BROKER, "id": 2, "host": "node2"}]))

    assert found["kafka1"]["common_name"] != found["kafka2"]["common_name"]
    assert found["kafka1-ensemble"]["common_name"] == found["kafka2-ensemble"]["common_name"]


def test_who_only_connects_serves_nobody():
    found = by_name(certificate_names.of_brokers([BROKER]))

    assert found["operator"]["usages"] == ["client"]
    assert found["kafka1-ensemble"]["usages"] == ["client"]
    assert certificate_names.of_users(["alice"])[0]["usages"] == ["client"]


def test_a_server_of_the_ensemble_is_reached_by_brokers_and_by_itself():
    found = by_name(certificate_names.of_servers([{"id": 3, "host": "10.0.0.3", "name": "node3"}]))
    server = found["zk3"]

    assert (server["name"], server["dns"], server["ips"]) == (
        "zk3",
        ["node3", "localhost"],
        ["10.0.0.3", "127.0.0.1"],
    )


def test_servers_of_the_ensemble_know_each_other_by_an_authority_of_their_own():
    found = by_name(certificate_names.of_servers([{"id": 3, "host": "10.0.0.3", "name": "node3"}]))

    assert found["zk3-quorum"] == {
        **found["zk3"],
        "name": "zk3-quorum",
        "authority": "quorum",
    }
    assert "authority" not in found["zk3"]


def test_the_proxy_of_a_machine_is_reached_by_name_or_address_and_comes_in_nowhere():
    found = certificate_names.of_proxies({"node1": "10.0.0.1:9443"})
    assert found == [
        {
            "name": "metrics-node1",
            "common_name": "metrics",
            "dns": ["node1"],
            "ips": ["10.0.0.1"],
            "usages": ["server"],
        }
    ]


def test_masters_of_spark_come_into_the_ensemble_as_clients():
    found = certificate_names.of_masters([{"name": "spark-master1", "host": "10.0.0.1"}])

    assert found == [
        {
            "name": "spark-master1-ensemble",
            "common_name": "spark-masters",
            "dns": [],
            "ips": ["10.0.0.1"],
            "usages": ["client"],
        }
    ]


MASTER = {"name": "spark-master1", "host": "node1"}
PLATFORM = [
    *certificate_names.of_brokers([BROKER]),
    *certificate_names.of_servers([{"id": 3, "host": "10.0.0.3", "name": "node3"}]),
    *certificate_names.of_masters([MASTER]),
    *certificate_names.of_proxies({"node1": "10.0.0.1:9443"}),
]


@pytest.mark.parametrize("certificate", PLATFORM, ids=lambda each: each["name"])
def test_no_user_has_a_name_for_which_the_platform_issues_a_certificate(certificate):
    assert certificate_names.reserved(certificate["name"])
    assert certificate_names.reserved(certificate["common_name"])


@pytest.mark.parametrize(
    "name", ["spark-rpc", "spark-pages", "monitoring-web", "metrics-proxy", "operator", "broker-x"]
)
def test_no_user_has_the_name_of_a_secret_of_the_platform(name):
    assert certificate_names.reserved(name)


@pytest.mark.parametrize("name", ["shop", "metrics2", "broker", "ensemble", "kafka", "spark"])
def test_other_names_are_the_site_s(name):
    assert not certificate_names.reserved(name)
