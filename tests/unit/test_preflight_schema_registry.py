"""Preflight refuses values of Schema Registry with which it would not start or not be safe."""

from pathlib import Path

import pytest
import yaml
from ansible_collections.metal.kafka.plugins.plugin_utils._preflight.checks import check
from ansible_collections.metal.kafka.plugins.plugin_utils._site.site_model import Role
from preflight_sites import Faults, ValidSite

ROOT = Path(__file__).resolve().parents[2]
USERS = "schema_registry_users"
DEFAULTS = {
    "schema_registry_bind": "0.0.0.0",
    "schema_registry_port": 8443,
    "schema_registry_management_port": 9000,
    "schema_registry_metrics_bind": "127.0.0.1",
    "schema_registry_heap": "256m",
    "schema_registry_memory": "640m",
    "schema_registry_work_dir": "/var/lib/kafka-metal/shop/registry",
    "schema_registry_topics": "schema-registry",
    USERS: {"ops": "admin", "shop.1": "developer", "audit": "reader"},
}


def site(both=None, **first):
    """A valid site with two instances; ``both`` are values of both, ``first`` of the first one."""
    found = ValidSite()
    for number in (1, 2):
        host = f"registry{number}"
        found.groups.setdefault("schema_registry", []).append(host)
        found.hosts[host] = {
            **{"ansible_host": f"10.0.0.{number}", "cluster_name": "prod-1"},
            **{"security_mode": "tls_scram", "schema_registry_id": number},
            **{"schema_registry_address": f"10.0.0.{number}", **DEFAULTS, **(both or {})},
            **(first if number == 1 else {}),
        }
    return found


def with_registry(second=None, **values):
    """Function that adds two instances with these values to a valid site, for FAULTS.

    ``second`` are further values of the second one.
    """

    def plant(of):
        added = site(both=values)
        added.hosts["registry2"] |= second or {}
        of.groups["schema_registry"] = added.groups["schema_registry"]
        of.hosts |= {host: added.hosts[host] for host in added.groups["schema_registry"]}

    return plant


def _without_registry(of):
    of.hosts["driver1"]["pipeline_pipelines"]["payments"]["source"]["format"] = "avro"


# Checks of services in general: test_preflight_table.py.
FAULTS: Faults = {
    "a service that needs certificates in a site without": (
        with_registry(security_mode="plain"),
        ["found plain, without certificates"],
    ),
    "a user of an API with an unknown role": (
        with_registry(schema_registry_users={"shop": "writer"}),
        ["users.shop: found 'writer'"],
    ),
    "an instance with topics of its own": (
        with_registry(second={"schema_registry_topics": "mine"}),
        ["schema_registry_topics: found 'mine'; allowed: 'schema-registry', as on registry1"],
    ),
    "an address with a port": (
        with_registry(schema_registry_address="10.0.0.1:8443"),
        ["schema_registry_address: found '10.0.0.1:8443'; allowed: a host name or an IP"],
    ),
    "a pipeline with schemas of a registry in a site without": (
        _without_registry,
        ["payments.source.registry: found no url; allowed: a url, hosts in the group"],
    ),
}


OPTIONS = yaml.safe_load(
    (ROOT / "roles/schema_registry/meta/argument_specs.yml").read_text(encoding="utf-8")
)["argument_specs"]["main"]["options"]


def messages(of):
    role = Role("schema_registry", OPTIONS)
    found = check(of.hosts, of.groups, of.facts, {"schema_registry": role})
    return [str(each) for each in found if each.fatal]


def test_a_valid_site_has_no_problems():
    assert messages(site()) == []


@pytest.mark.parametrize("name", ["a.b", "a.", "9", "x" * 32, "a_b-c"])
def test_a_name_with_allowed_characters_is_accepted(name):
    assert messages(site(both={USERS: {name: "reader"}})) == []


LONG = "x" * 33


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({USERS: {"a:b": "reader"}}, "found the name 'a:b'; allowed: 1 to 32 letters"),
        ({USERS: {"": "reader"}}, "found the name ''; allowed: 1 to 32 letters"),
        ({USERS: {LONG: "reader"}}, f"found the name '{LONG}'; allowed: 1 to 32 letters"),
        ({USERS: {".x": "reader"}}, "found the name '.x'; allowed: 1 to 32 letters"),
        ({USERS: {"-x": "reader"}}, "found the name '-x'; allowed: 1 to 32 letters"),
        ({USERS: {"a b": "reader"}}, "found the name 'a b'; allowed: 1 to 32 letters"),
        ({USERS: {'a"b': "reader"}}, "allowed: 1 to 32 letters"),
        ({USERS: {"a=b": "reader"}}, "found the name 'a=b'; allowed: 1 to 32 letters"),
        ({USERS: {"a$b": "reader"}}, "found the name 'a$b'; allowed: 1 to 32 letters"),
        ({USERS: {"${HOME}": "reader"}}, "found the name '${HOME}'; allowed: 1 to 32 letters"),
        ({USERS: {r"a\b": "reader"}}, r"found the name 'a\\b'; allowed: 1 to 32 letters"),
        ({USERS: {"a\\": "reader"}}, r"found the name 'a\\'; allowed: 1 to 32 letters"),
        ({USERS: {".": "reader"}}, "found the name '.'; allowed: 1 to 32 letters"),
        ({USERS: {"a/b": "reader"}}, "found the name 'a/b'; allowed: 1 to 32 letters"),
        ({USERS: {"a\nb": "reader"}}, "allowed: 1 to 32 letters"),
        ({USERS: {"müller": "reader"}}, "found the name 'müller'; allowed: 1 to 32 letters"),
        ({USERS: {7: "reader"}}, "found the name 7; allowed: 1 to 32 letters"),
        ({USERS: {"shop": "writer"}}, "users.shop: found 'writer'; allowed: one of admin"),
        ({USERS: {"shop": "Reader"}}, "users.shop: found 'Reader'; allowed: reader (did you mean"),
        ({USERS: {"shop": "sr-admin"}}, "users.shop: found 'sr-admin'; allowed: "),
        ({USERS: {"shop": None}}, "users.shop: found None; allowed: one of admin"),
        ({USERS: {"shop": ["reader"]}}, "users.shop: found ['reader']; allowed: "),
        ({USERS: {"shop": {"role": "reader"}}}, "users.shop: found {'role': 'reader'}; allowed"),
        ({USERS: ["shop"]}, f"{USERS}: found ['shop']; allowed: a mapping of names"),
        ({USERS: "shop"}, f"{USERS}: found 'shop'; allowed: a mapping of names"),
        ({USERS: 1}, f"{USERS}: found 1; allowed: a mapping of names"),
        ({"schema_registry_port": 0}, "schema_registry_port: found 0"),
        ({"schema_registry_port": "https"}, "schema_registry_port: found 'https'"),
        ({"schema_registry_management_port": 70000}, "management_port: found 70000"),
        ({"schema_registry_management_port": 8443}, "8443"),
        ({"schema_registry_port": 9092}, "9092"),
        ({"schema_registry_memory": "many"}, "schema_registry_memory: found"),
        ({"schema_registry_heap": "256 MB"}, "schema_registry_heap: found"),
        ({"schema_registry_bind": ""}, "schema_registry_bind: found nothing"),
        ({"schema_registry_bind": "0.0.0.0:8443"}, "schema_registry_bind: found '0.0.0.0:8443'"),
        ({"schema_registry_bind": "a b"}, "schema_registry_bind: found 'a b'; allowed: a host"),
        ({"schema_registry_metrics_bind": "a b"}, "schema_registry_metrics_bind: found 'a b'"),
        ({"schema_registry_properties": "a"}, "properties: found 'a'; allowed: a mapping"),
        ({"schema_registry_properties": []}, "properties: found a list; allowed: a mapping"),
        ({"schema_registry_bootstrap": {}}, "bootstrap: found a mapping; allowed: a list"),
        ({"schema_registry_health_retries": "x"}, "found 'x'; allowed: a whole number"),
        ({"schema_registry_topics": ["x"]}, "topics: found a list; allowed: a text"),
        ({"schema_registry_topics": "a b"}, "found the name 'a b-events'; allowed: 1 to 249"),
        (
            {"schema_registry_prot": 1},
            "schema_registry_prot: found a variable that is not an option",
        ),
        ({"security_mode": "plain"}, "found plain, without certificates; allowed: tls_scram, mtls"),
    ],
)
def test_a_value_of_all_instances_is_refused(values, message):
    found = messages(site(both=values))
    assert any(message in each for each in found), found


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({USERS: {}}, "registry2: schema_registry_users: found other users; allowed: the users of"),
        ({"schema_registry_id": 2}, "schema_registry_id: found 2"),
        ({"schema_registry_id": 0}, "schema_registry_id: found 0"),
        ({"schema_registry_id": 100}, "schema_registry_id: found 100"),
        ({"schema_registry_address": ""}, "schema_registry_address: found nothing"),
        ({"schema_registry_address": None}, "schema_registry_address: found nothing"),
        ({"schema_registry_address": ["h"]}, "schema_registry_address: found a list; allowed: a"),
        ({"schema_registry_address": "x" * 300}, "schema_registry_address: found a long text"),
        *(
            ({"schema_registry_address": each}, f"schema_registry_address: found {each!r}; allowed")
            for each in ("https://h", "h:8443", "a b", "a\nb", "u@h", "h,i", "*.h", "-h", "$(id)")
        ),
        ({"schema_registry_topics": "mine"}, "registry2: schema_registry_topics: found 'schema-"),
    ],
)
def test_a_value_of_one_instance_is_refused(values, message):
    found = messages(site(**values))
    assert any(message in each for each in found), found


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("kafka_content_users", {"schema_registry-shop": {}}, "found a name reserved"),
        ("kafka_content_users", {"schema-registry": {}}, "found a name reserved"),
        ("kafka_content_users", {"schema-registry1": {}}, "found a name reserved"),
        (
            "kafka_content_topics",
            {"schema-registry-journal": {"retention": "7d"}},
            "kafka_content_topics.schema-registry-journal: found a topic of the platform",
        ),
        (
            "kafka_content_absent",
            {"topics": ["schema-registry-journal"]},
            "found 'schema-registry-journal'; allowed: names that are not declared",
        ),
    ],
)
def test_names_of_the_registry_are_reserved(variable, value, message):
    planted = site()
    for broker in planted.groups["kafka"]:
        planted.hosts[broker][variable] = value
    found = messages(planted)
    assert any(message in each for each in found), found


@pytest.mark.parametrize("address", ["h", "h-1.example.com", "10.0.0.1", "2001:db8::1", "[::1]"])
def test_a_name_or_an_ip_address_is_accepted(address):
    found = messages(site(schema_registry_address=address))
    assert not any("a host name or an IP address" in each for each in found), found


def test_a_value_of_another_type_has_one_message():
    found = messages(site(both={USERS: "shop"}))
    assert len(found) == 1, found
