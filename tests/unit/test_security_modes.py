"""security_mode determines how brokers, clients and ZooKeeper servers authenticate."""

import re

import pytest
from ansible_collections.metal.kafka.plugins.plugin_utils._security import (
    broker_security,
    security_modes,
    zookeeper_tls,
)

LISTENERS = ("CLIENTS", "BROKERS")


def keys(mode: str, **more) -> dict:
    """Return the properties of one of three brokers with the two default listeners."""
    protocols = security_modes.listener_protocols(mode, LISTENERS, "CLIENTS", "BROKERS")
    return broker_security.broker_properties(mode, protocols, [1, 2, 3], **more)


@pytest.mark.parametrize(
    ("mode", "protocols"),
    [
        ("tls_scram", {"CLIENTS": "SASL_SSL", "BROKERS": "SSL"}),
        ("mtls", {"CLIENTS": "SSL", "BROKERS": "SSL"}),
        ("scram", {"CLIENTS": "SASL_PLAINTEXT", "BROKERS": "SSL"}),
        ("plain", {"CLIENTS": "PLAINTEXT", "BROKERS": "PLAINTEXT"}),
    ],
)
def test_mode_determines_the_protocol_of_each_listener(mode, protocols):
    assert security_modes.listener_protocols(mode, LISTENERS, "CLIENTS", "BROKERS") == protocols


def test_other_listeners_are_for_clients():
    found = security_modes.listener_protocols(
        "tls_scram", (*LISTENERS, "OFFICE"), "CLIENTS", "BROKERS"
    )

    assert found["OFFICE"] == "SASL_SSL"


def test_unknown_mode_is_refused_with_allowed_modes():
    with pytest.raises(security_modes.SecurityError, match=r"'tls'.*tls_scram, mtls, scram, plain"):
        security_modes.find_mode("tls")


@pytest.mark.parametrize("mode", ["tls_scram", "mtls", "scram"])
def test_requests_without_acl_are_denied(mode):
    found = keys(mode)

    assert found["authorizer.class.name"] == "kafka.security.authorizer.AclAuthorizer"
    assert found["allow.everyone.if.no.acl.found"] is False


def test_super_users_are_brokers_the_operator_and_those_declared():
    found = keys("tls_scram", further_super_users=["alice", "operator"])

    assert found["super.users"].split(";") == [
        "User:broker-1", "User:broker-2", "User:broker-3", "User:operator", "User:alice",
    ]  # fmt: skip


def test_brokers_use_certificates_and_clients_passwords():
    found = keys("tls_scram")

    assert found["listener.name.brokers.ssl.client.auth"] == "required"
    assert found["listener.name.clients.sasl.enabled.mechanisms"] == "SCRAM-SHA-512"
    assert "listener.name.clients.ssl.client.auth" not in found


@pytest.mark.parametrize("mode", ["tls_scram", "mtls"])
def test_tls_versions_below_1_2_are_disabled(mode):
    assert keys(mode)["ssl.enabled.protocols"] == ["TLSv1.3", "TLSv1.2"]
    ciphers = keys(mode)["ssl.cipher.suites"]
    assert [
        name for name in ciphers if not re.search(r"_(GCM|CHACHA20_POLY1305)_SHA\d+$", name)
    ] == []
    assert [name for name in ciphers if not re.match("TLS_(ECDHE_|AES_|CHACHA20_)", name)] == []


@pytest.mark.parametrize("mode", list(security_modes.MODES))
def test_properties_contain_no_secret(mode):
    text = repr(keys(mode) | zookeeper_tls.ensemble_client_properties(mode)).lower()

    assert "password" not in text
    assert "private" not in text


@pytest.mark.parametrize(
    ("bind", "is_own"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("::", False)],
)
def test_loopback_addresses(bind, is_own):
    assert security_modes.is_loopback(bind) is is_own
