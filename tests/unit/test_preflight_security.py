"""How a cluster is closed, and names that are not a site's to give."""

import pytest
from preflight_sites import Faults, Sound, listener, problems, put


def everywhere(variable, value):
    def plant(site):
        for host in site.hosts.values():
            host[variable] = value

    return plant


def two_words(site):
    put("kafka2", "security_mode", "mtls")(site)


def watching(**variables):
    """A site that is watched from one of its machines."""
    said = {
        **{f"monitoring_{name}_port": 9300 + n for n, name in enumerate(WATCHERS)},
        "monitoring_data_dir": "/var/lib/watching",
        **variables,
    }
    of_machines = {
        **{"monitoring_bind": "127.0.0.1", "monitoring_node_port": 9100},
        **{"monitoring_proxy_bind": "0.0.0.0", "monitoring_proxy_port": 9443},
    }

    def plant(site):
        site.groups["monitoring"] = ["kafka1"]
        site.hosts["kafka1"] |= said
        for machine in site.groups["metal"]:
            site.hosts[machine] |= {"monitoring_address": machine, **of_machines}

    return plant


WATCHERS = ("prometheus", "alertmanager", "probe", "exporter")
FAULTS: Faults = {
    "a Prometheus that asks nobody and that others reach": (
        watching(monitoring_bind="0.0.0.0", monitoring_web_open=True),
        ["kafka1: monitoring_bind: found 0.0.0.0, where no password is required", "monitoring_web"],
    ),
    "a Prometheus whose password crosses a network in plain text": (
        watching(monitoring_bind="0.0.0.0"),
        ["monitoring_bind: found 0.0.0.0, where the password can be read on the network"],
    ),
    "a word that nobody knows": (
        everywhere("security_mode", "tls"),
        ["kafka: security_mode: found 'tls'; allowed: one of tls_scram, mtls, scram, plain"],
    ),
    "two words for one cluster": (two_words, ["kafka: security_mode: found 2 words"]),
    "a goal of closing that nobody knows": (
        everywhere("security_migration", "added"),
        ["kafka: security_migration: found 'added'; allowed: one of 'both', 'enforced', ''"],
    ),
    "two goals for one cluster": (
        put("kafka2", "security_migration", "both"),
        ["kafka: security_migration: found 2 words"],
    ),
    "a trust of the ensemble that nobody knows": (
        everywhere("security_ensemble_trust", "all"),
        ["kafka: security_ensemble_trust: found 'all'; allowed: one of 'own', 'platform'"],
    ),
    "two trusts for one ensemble": (
        put("kafka2", "security_ensemble_trust", "platform"),
        ["kafka: security_ensemble_trust: found 2 words"],
    ),
    "a user who is all brokers to the ensemble": (
        put("kafka1", "kafka_content_users", {"brokers": {}}),
        ["kafka1: kafka_content_users.brokers: found a name of the platform itself"],
    ),
    "an open cluster that others reach": (
        everywhere("security_mode", "plain"),
        ["plain, and whoever reaches", "reads, writes and deletes", "tls_scram or mtls"],
    ),
    "a user with a broker's name": (
        put("kafka1", "kafka_content_users", {"broker-1": {}}),
        ["kafka1: kafka_content_users.broker-1: found a name of the platform itself"],
    ),
    "a user with the operator's name": (
        put("kafka1", "kafka_content_users", {"operator": {}}),
        ["kafka_content_users.operator"],
    ),
}

NOTES: Faults = {
    "agents that others reach": (
        put("kafka1", "kafka_broker_metrics_bind", "10.0.0.1"),
        ["kafka: kafka_broker_metrics_bind: found 10.0.0.1, where figures are read without"],
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_with_find_and_remedy(name):
    plant, expected = FAULTS[name]
    site = Sound()
    plant(site)
    (found,) = problems(site)
    for text in expected:
        assert text in found


def test_an_open_cluster_on_loopback_is_let_be():
    site = Sound()
    everywhere("security_mode", "plain")(site)
    for number in (1, 2, 3):
        for at in site.hosts[f"kafka{number}"]["kafka_broker_listeners"].values():
            at["bind"] = "127.0.0.1"
    assert not [problem for problem in problems(site) if "security_mode" in problem]


@pytest.mark.parametrize(
    "variables",
    [
        {"monitoring_bind": "127.0.0.1"},
        {"monitoring_bind": "0.0.0.0", "monitoring_web": {"basic_auth_users": {"p": "h"}}},
    ],
)
def test_a_prometheus_that_is_closed_or_alone_is_let_be(variables):
    site = Sound()
    watching(**variables)(site)
    assert problems(site) == []


def test_programs_of_every_machine_want_ports_that_are_free():
    site = Sound()
    watching(monitoring_bind="127.0.0.1")(site)
    put("m2", "monitoring_node_port", 2181)(site)
    listener(9443, process="nginx")(site)
    held, taken = sorted(problems(site))
    assert "zookeeper_client_port: found port 2181, which monitoring_node_port of m2" in taken
    assert "m2: monitoring_proxy_port: found port 9443, held on m2 by process nginx" in held


def test_a_word_that_nobody_knows_is_told_where_machines_would_have_proxies():
    site = Sound()
    watching(monitoring_bind="127.0.0.1")(site)
    everywhere("security_mode", "tls")(site)
    (found,) = problems(site)
    assert "security_mode: found 'tls'" in found


def test_agents_that_others_reach_are_told_of():
    site = Sound()
    put("kafka1", "kafka_broker_metrics_bind", "10.0.0.1")(site)
    assert [each for each in problems(site, fatal=False) if "without a password" in each]
