"""Security mode and migration of a cluster, exposed services and reserved user names."""

import pytest
from preflight_sites import Faults, ValidSite, listener, problems, put


def everywhere(variable, value):
    def plant(site):
        for host in site.hosts.values():
            host[variable] = value

    return plant


def two_modes(site):
    put("kafka2", "security_mode", "mtls")(site)


def monitored(**variables):
    """A site with monitoring on one of its machines."""
    monitoring = {
        **{f"monitoring_{name}_port": 9300 + n for n, name in enumerate(SERVICES)},
        "monitoring_data_dir": "/var/lib/monitoring",
        "monitoring_address": "kafka1",
        **variables,
    }
    of_machines = {
        **{"monitoring_bind": "127.0.0.1", "monitoring_node_port": 9100},
        **{"monitoring_proxy_bind": "0.0.0.0", "monitoring_proxy_port": 9443},
    }

    def plant(site):
        site.groups["monitoring"] = ["kafka1"]
        site.hosts["kafka1"] |= monitoring
        for machine in site.groups["metal"]:
            site.hosts[machine] |= {"monitoring_address": machine, **of_machines}

    return plant


SERVICES = ("prometheus", "alertmanager", "probe", "exporter")
FAULTS: Faults = {
    "an exposed Prometheus without authentication": (
        monitored(monitoring_bind="0.0.0.0", monitoring_web_open=True),
        ["kafka1: monitoring_bind: found 0.0.0.0, where no password is required", "monitoring_web"],
    ),
    "a Prometheus with an unencrypted password": (
        monitored(monitoring_bind="0.0.0.0"),
        ["monitoring_bind: found 0.0.0.0, where passwords cross the network unencrypted"],
    ),
    "an unknown mode": (
        everywhere("security_mode", "tls"),
        ["kafka: security_mode: found 'tls'; allowed: one of tls_scram, mtls, scram, plain"],
    ),
    "two modes for one cluster": (two_modes, ["kafka: security_mode: found 2 values"]),
    "an unknown goal of the migration": (
        everywhere("security_migration", "added"),
        ["kafka: security_migration: found 'added'; allowed: one of 'both', 'enforced', ''"],
    ),
    "two goals for one cluster": (
        put("kafka2", "security_migration", "both"),
        ["kafka: security_migration: found 2 values"],
    ),
    "an unknown trust of the ensemble": (
        everywhere("security_ensemble_trust", "all"),
        ["kafka: security_ensemble_trust: found 'all'; allowed: one of 'own', 'platform'"],
    ),
    "two trusts for one ensemble": (
        put("kafka2", "security_ensemble_trust", "platform"),
        ["kafka: security_ensemble_trust: found 2 values"],
    ),
    "days that are no number": (
        put("kafka2", "security_warn_days", "two weeks"),
        ["security_warn_days: found 'two weeks'; allowed: days, a whole number, from 1"],
    ),
    "an offset of ports that is negative": (
        put("kafka2", "security_migration_port_offset", -5),
        ["security_migration_port_offset: found -5; allowed: a whole number, from 1"],
    ),
    "a user with the brokers' name in the ensemble": (
        put("kafka1", "kafka_content_users", {"brokers": {}}),
        ["kafka1: kafka_content_users.brokers: found a name reserved for the platform"],
    ),
    "an exposed cluster without security": (
        everywhere("security_mode", "plain"),
        [
            "plain, so that every client that reaches",
            "can read, write and delete",
            "tls_scram or mtls",
        ],
    ),
    "a user with a broker's name": (
        put("kafka1", "kafka_content_users", {"broker-1": {}}),
        ["kafka1: kafka_content_users.broker-1: found a name reserved for the platform"],
    ),
    "a password of a service account, which services would not use": (
        put("kafka1", "kafka_content_passwords", {"exporter": "mellon"}),
        ["kafka_content_passwords.exporter: found no declared user; allowed: users in"],
    ),
    "passwords that are no mapping": (
        put("kafka1", "kafka_content_passwords", ["mellon"]),
        ["kafka1: kafka_content_passwords: found no mapping; allowed: a mapping"],
    ),
    "a user with the operator's name": (
        put("kafka1", "kafka_content_users", {"operator": {}}),
        ["kafka_content_users.operator"],
    ),
}

NOTES: Faults = {
    "exposed metrics agents": (
        put("kafka1", "kafka_broker_metrics_bind", "10.0.0.1"),
        ["kafka: kafka_broker_metrics_bind: found 10.0.0.1, where metrics can be read without"],
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_reported_with_value_and_remedy(name):
    plant, expected = FAULTS[name]
    site = ValidSite()
    plant(site)
    (found,) = problems(site)
    for text in expected:
        assert text in found


def test_cluster_without_security_on_loopback_is_accepted():
    site = ValidSite()
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
def test_secured_or_loopback_prometheus_is_accepted(variables):
    site = ValidSite()
    monitored(**variables)(site)
    assert problems(site) == []


def test_ports_of_every_machine_must_be_free():
    site = ValidSite()
    monitored(monitoring_bind="127.0.0.1")(site)
    put("m2", "monitoring_node_port", 2181)(site)
    listener(9443, process="nginx")(site)
    held, taken = sorted(problems(site))
    assert "zookeeper_client_port: found port 2181, which monitoring_node_port of m2" in taken
    assert "m2: monitoring_proxy_port: found port 9443, used on m2 by process nginx" in held


def test_unknown_mode_is_reported_on_a_monitored_site():
    site = ValidSite()
    monitored(monitoring_bind="127.0.0.1")(site)
    everywhere("security_mode", "tls")(site)
    (found,) = problems(site)
    assert "security_mode: found 'tls'" in found


def test_exposed_metrics_agents_are_reported():
    site = ValidSite()
    put("kafka1", "kafka_broker_metrics_bind", "10.0.0.1")(site)
    assert [each for each in problems(site, fatal=False) if "without a password" in each]


@pytest.mark.parametrize("password", ["mellon", 123456789, None, ["mellon-mellon"], "a\nb" * 9])
def test_a_chosen_password_that_the_cluster_would_refuse_is_reported_without_it(password):
    site = ValidSite()
    put("kafka1", "kafka_content_users", {"shop": {}, "audit": {}})(site)
    chosen = {"shop": password, "audit": "mellon{{ x }}$\\'"}
    put("kafka1", "kafka_content_passwords", chosen)(site)
    (found,) = problems(site)
    assert "kafka1: kafka_content_passwords.shop: found the password" in str(found)
    assert "mellon" not in str(found)
    assert "allowed: text of at least 8 printable characters" in str(found)
