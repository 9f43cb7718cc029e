"""Invalid specs are refused before any change; errors have item, value and allowed values."""

import pytest
from ansible_collections.metal.kafka.plugins.action.credentials import validated_options
from ansible_collections.metal.kafka.plugins.module_utils._services.credential_options import (
    unknown_options,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._security.credentials_model import (
    CredentialsError,
)
from ansible_collections.metal.kafka.plugins.plugin_utils._security.desired_credentials import (
    parse_spec,
)

BASE = {"store": "/s", "cluster": "test"}
SERVER = {"name": "kafka1", "dns": ["kafka1"]}


def spec(**options):
    return parse_spec(validated_options(BASE | options))


def test_names_are_normalized():
    leaf = spec(
        certificates=[
            {
                "name": "kafka1",
                "dns": ["Kafka1", "kafka1", "*.example.com"],
                "ips": ["0:0::1", "127.0.0.1", "::1"],
            }
        ]
    ).certificates[0]
    assert (leaf.common_name, leaf.organization) == ("kafka1", "test")
    assert (leaf.dns, leaf.ips) == (("kafka1", "*.example.com"), ("::1", "127.0.0.1"))
    assert (leaf.usages, leaf.days) == (("server", "client"), 397)


def test_client_needs_no_host():
    assert spec(certificates=[{"name": "alice", "usages": ["client"]}]).certificates[0].dns == ()


def test_ca_is_named_after_its_cluster():
    assert spec().ca.common_name == "test CA"
    assert spec(ca={"common_name": "Example"}).ca.common_name == "Example"
    assert spec(ca={"common_name": "Example"}).ca.days == 3650


def server(**changes):
    return {"certificates": [SERVER | changes]}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cluster": "a b"}, "cluster: found 'a b'; allowed: up to 64 letters"),
        ({"renew_before_days": -1}, "renew_before_days: found -1; allowed: 0 to 3650 days"),
        (
            server(name="../x", common_name="x"),
            "certificates: found the name '../x'; allowed: up to 64 letters",
        ),
        (server(name="ca"), "certificates: ca: found the name of the CA; allowed: another name"),
        ({"certificates": [SERVER, SERVER]}, "certificates: found kafka1 twice; allowed: each"),
        (server(common_name="a,O=b"), "certificates: kafka1: common_name: found 'a,O=b'; allowed"),
        (server(common_name="x" * 65), "allowed: up to 64 letters, digits, blanks"),
        (server(dns=["a_b"]), "certificates: kafka1: dns: found 'a_b'; allowed: a host name of"),
        (server(dns=["a..b"]), "dns: found 'a..b'; allowed: a host name"),
        (server(dns=["-a"]), "dns: found '-a'; allowed: a host name"),
        (server(dns=["a.*.b"]), "dns: found 'a.*.b'; allowed: a host name"),
        (server(dns=["x" * 64]), "allowed: a host name"),
        (server(dns=["é.example.com"]), "between dots; other letters as xn--..."),
        (server(dns=["10.0.0.1"]), "dns: found '10.0.0.1'; allowed: addresses under ips"),
        (server(ips=["10.0.0"]), "ips: found '10.0.0'; allowed: an address of IPv4 or IPv6"),
        (server(ips=["10.0.0.0/8"]), "ips: found '10.0.0.0/8'; allowed: an address"),
        (server(ips=["kafka1"]), "ips: found 'kafka1'; allowed: an address of IPv4 or IPv6"),
        (server(usages=[]), "certificates: kafka1: usages: found none; allowed: server, client"),
        (server(dns=[]), "certificates: kafka1: found a server without a name; allowed: at least"),
        (server(days=0), "certificates: kafka1: days: found 0; allowed: 1 to 3650"),
        (server(days=3651), "certificates: kafka1: days: found 3651; allowed: 1 to 3650"),
        ({"ca": {"days": 0, "common_name": "a"}}, "ca: days: found 0; allowed: 1 to 9125"),
        ({"ca": {"common_name": "x" * 59}}, "allowed: at most 58 of: letters, digits"),
        ({"ca": {"key_file": "/k"}}, "ca: found only key_file; allowed: certificate_file and key"),
        ({"ca": {"certificate_file": "/c"}}, "ca: found only certificate_file; allowed"),
        (
            {"ca": {"certificate_file": "/c", "key_file": "/k", "directory": "/d"}},
            "ca: found certificate_file or key_file in addition to directory; allowed: either",
        ),
        ({"passwords": ["a", "a"]}, "passwords: found a twice; allowed: each name once"),
        ({"passwords": ["a b"]}, "passwords: found the name 'a b'; allowed: up to 64 letters"),
        (
            {"passwords": ["alice"], "provided_passwords": {"alcie": "x" * 8}},
            "provided_passwords: found alcie; allowed: names of passwords: alice",
        ),
        ({"rotate": "ca"}, "phase: found none with rotate: ca; allowed: trust, issue, drop or"),
        ({"phase": "drop"}, "phase: found drop with rotate: none; allowed"),
        ({"rotate": "passwords", "names": ["eve"]}, "names: found eve; allowed: no names with"),
        (
            {"rotate": "passwords", "names": ["eve"], "passwords": ["alice", "bob"]},
            "names: found eve; allowed: alice, bob",
        ),
        ({"names": ["kafka1"], **server()}, "names: found kafka1; allowed: no names with rotate"),
        (
            {
                "rotate": "passwords",
                "names": ["bob"],
                "passwords": ["bob"],
                "provided_passwords": {"bob": "x" * 8},
            },
            "names: found bob; allowed: a new value in provided_passwords",
        ),
        (
            {"rotate": "certificates", "ca": {"directory": "/d"}},
            "rotate: found certificates; allowed: new files in /d",
        ),
        (
            {"rotate": "ca", "phase": "issue", "ca": {"directory": "/d"}},
            "phase: found issue; allowed: the phase trust or drop: certificates come from",
        ),
    ],
)
def test_invalid_spec_is_refused(options, message):
    with pytest.raises(CredentialsError) as error:
        spec(**options)
    assert len(error.value.problems) == 1
    assert message in error.value.problems[0]


@pytest.mark.parametrize(
    "value", ["short", "x" * 129, "with blank", 'a"quote', "a\\slash", "ü" * 9]
)
def test_unsafe_password_is_refused_and_not_printed(value):
    with pytest.raises(CredentialsError) as error:
        spec(passwords=["alice"], provided_passwords={"alice": value})
    assert str(error.value).startswith("provided_passwords: alice: found a value with other")
    assert value not in str(error.value)


def test_all_errors_are_reported_together():
    with pytest.raises(CredentialsError) as error:
        spec(cluster="a b", certificates=[SERVER | {"days": 0, "ips": ["x"]}])
    assert len(error.value.problems) == 3


@pytest.mark.parametrize(
    ("validated_options", "message"),
    [
        ({"stores": "x"}, "found the key 'stores'; allowed: store (did you mean that?), one of"),
        ({"ca": {"day": 1}}, "ca: found the key 'day'; allowed: days (did you mean that?)"),
        (
            {"certificates": [SERVER, {"name": "kafka2", "san": ["x"]}]},
            "certificates: kafka2: found the key 'san'; allowed: one of authority, common_name",
        ),
        (
            server(usages=["client", "peer"]),
            "kafka1: usages: found 'peer'; allowed: server, client",
        ),
        ({"certificates": [{"nam": "x"}]}, "certificates: number 1: found the key 'nam'; allowed"),
    ],
)
def test_unknown_key_is_reported_with_its_place(validated_options, message):
    problems = unknown_options(BASE | validated_options)
    assert len(problems) == 1
    assert message in problems[0]


def test_known_keys_have_no_errors():
    assert unknown_options(BASE | server() | {"ca": {"days": 1}}) == []
