"""Facts of a site follow the inventory: its groups, names and migration phase."""

from functools import partial

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._site import (
    credentials,
    kafka,
    monitoring,
    reader,
    security,
    site_users,
    spark,
    targets,
    zookeeper,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._site.facts import (
    HOST_FACTS,
    SITE_FACTS,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._site.inventory import (
    Inventory,
    UnusableVariable,
)
from site_inventories import site


def test_clients_use_the_declared_listener():
    assert kafka.bootstrap(site()) == ["k1:9092", "k2:9092", "k3:9092"]
    assert kafka.operator_bootstrap(site()) == ["b1:9192", "b2:9192", "b3:9192"]


def test_targets_outside_of_proxies_have_the_address_of_that_listener():
    open_site = site(monitoring_proxied=False)
    assert [each["address"] for each in targets.targets(open_site)["kafka"]] == [
        "k1:7071",
        "k2:7071",
        "k3:7071",
    ]


def test_targets_behind_proxies_bind_their_own_machine():
    found = targets.targets(site())
    assert {each["address"] for each in found["kafka"]} == {"127.0.0.1:7071"}
    assert {each["address"] for each in found["zookeeper"]} == {""}
    assert monitoring.proxies(site()) == {"m1": "m1:9443", "m2": "m2:9443", "m3": "m3:9443"}


def test_monitoring_services_are_targets_by_port_and_machine():
    found = targets.targets(site(monitoring_proxied=False, metal_machine=None))
    at = {job: (each[0]["instance"], each[0]["address"]) for job, each in found.items() if each}
    assert at["probe"] == ("probe@m1", "m1:9308")
    assert at["node"] == ("m1", "m1:9100")
    assert [len(found[job]) for job in ("node", "prometheus")] == [3, 1]


def test_monitoring_service_runs_on_its_hosts_or_every_machine():
    assert targets.services_on_monitoring_hosts(site())[-1] == "prometheus"
    assert targets.services_on_machines(site()) == ["metrics_proxy", "node_exporter"]
    assert targets.services_on_machines(site(monitoring_proxied=False)) == ["node_exporter"]
    without_monitoring = Inventory(site().hosts, {"metal": ["m1"]})
    assert (
        targets.services_on_machines(without_monitoring),
        targets.targets(without_monitoring)["node"],
    ) == ([], [])


@pytest.mark.parametrize(
    ("phase", "clients", "ensemble"),
    [
        ("added", "k1:9092", "z1:2181"),
        ("brokers", "k1:10092", "z1:3181"),
        ("enforced", "k1:10092", "z1:3181"),
        ("back", "k1:9092", "z1:2181"),
        ("", "k1:9092", "z1:2181"),
    ],
)
def test_every_migration_phase_has_its_ports(phase: str, clients: str, ensemble: str):
    at = site(phase)
    assert kafka.bootstrap(at)[0] == clients
    assert zookeeper.endpoints(at)[0] == ensemble


def test_declared_goal_determines_the_phase():
    assert security.phase(site(security_migration="both")) == "brokers"
    assert security.phase(site()) == ""


def test_masters_use_zookeeper_unless_users_have_certificates():
    assert spark.recovery_servers(site()) == ["z1:2181", "z2:2181", "z3:2181"]
    assert spark.recovery_servers(site(security_mode="mtls")) == []


def test_session_timeout_of_brokers_is_within_the_limit_for_spark():
    keys = kafka.metadata_properties(site())
    assert keys["zookeeper.session.timeout.ms"] == 10_000
    alone = kafka.metadata_properties(site(security_mode="mtls"))
    assert alone["zookeeper.session.timeout.ms"] == 18_000


def test_other_services_paths_include_directories_of_other_services():
    disks = [{"name": "disk1", "mount": "/data"}]
    assert "/zk" in kafka.other_services_paths(site(host_disks=disks), "m1")
    colocated = site(host_disks=disks, metal_machine="m")
    assert {"/data/2", "/data/3"} <= set(kafka.other_services_paths(colocated, "m1"))
    assert kafka.other_services_paths(site(), "m1") == []


def test_every_user_has_a_secret():
    found = site(kafka_content_users={"shop": {}})
    assert site_users.with_password(found) == ["shop", "operator", "demo", "watch"]
    assert "password:metrics-proxy" in credentials.lookup_terms(found)
    certificates = {each["name"] for each in credentials.certificates(site(security_mode="mtls"))}
    assert {"demo", "watch", "kafka1", "zk1-quorum", "metrics-m1"} <= certificates


def test_prometheus_requires_a_password_unless_site_overrides_it():
    assert monitoring.web_authentication(site(), "m1")
    for variables in (
        {"monitoring_web": {"basic_auth_users": {}, "x": 1}},
        {"monitoring_web_open": True},
    ):
        assert not monitoring.web_authentication(site(**variables), "m1")
        assert monitoring.web_password_names(site(**variables)) == []
    assert not monitoring.web_authentication(site(security_mode="plain"), "m1")


def test_prometheus_endpoint_is_reachable_on_its_own_host():
    assert monitoring.prometheus_endpoint(site(), "m1") == "127.0.0.1:9090"
    everywhere = site(monitoring_bind="0.0.0.0", monitoring_prometheus_port=9999)
    assert monitoring.prometheus_endpoint(everywhere, "m1") == "127.0.0.1:9999"
    assert monitoring.prometheus_endpoint(site(monitoring_bind="10.0.0.7"), "m1") == "10.0.0.7:9090"


def test_site_without_security_has_no_service_accounts():
    plain = site(security_mode="plain")
    assert (site_users.with_password(plain), site_users.all_service_accounts(plain) != {}) == (
        [],
        True,
    )
    assert site_users.content_service_accounts(plain) == {}
    assert kafka.tls_addresses(plain) == []


def test_missing_variable_is_named():
    lacking = site(zookeeper_client_port=None)
    with pytest.raises(UnusableVariable, match="host m1 has no zookeeper_client_port"):
        zookeeper.servers(lacking)


def test_facts_of_a_site_without_hosts_are_empty():
    for name, fact in SITE_FACTS.items():
        if name.startswith(("kafka.", "monitoring.", "spark.", "users.", "zookeeper.")):
            fact(Inventory({}, {}))


def test_facts_in_files_contain_no_secret():
    secret = "an-own-secret"
    planted = {
        "shared_storage": {"kind": "s3", "bucket": "b", "access_key": secret, "secret_key": secret},
        "monitoring_receivers": [{"name": "night", "pagerduty_configs": [{"routing_key": secret}]}],
        "kafka_content_passwords": {"shop": secret},
        "kafka_content_users": {"shop": {"password": secret}},
        "pipeline_databases": {"shop": {"url": "jdbc:postgresql://db/shop", "password": secret}},
    }
    whole = site(**planted)
    kept = {name: reader.attempt(partial(fact, whole)) for name, fact in SITE_FACTS.items()}
    for name, fact in HOST_FACTS.items():
        kept[name] = [reader.attempt(partial(fact, whole, host)) for host in whole.hosts]

    assert [name for name, value in kept.items() if secret in str(value)] == []
