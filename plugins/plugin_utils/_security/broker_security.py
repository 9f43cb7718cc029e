# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Keys of server.properties that secure a broker."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .security_modes import BROKER, OPERATOR, SCRAM, find_mode

# Files in the broker's container; the role writes them next to server.properties.
BROKER_KEYS = "/etc/kafka/broker.pem"
TRUSTED = "/etc/kafka/ca.pem"

# Authenticated ciphers with forward secrecy; the first ones are those of TLS 1.3.
CIPHERS = (
    *("TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_128_GCM_SHA256"),
    *(
        f"TLS_ECDHE_{key}_WITH_{cipher}"
        for cipher in ("AES_256_GCM_SHA384", "CHACHA20_POLY1305_SHA256", "AES_128_GCM_SHA256")
        for key in ("ECDSA", "RSA")
    ),
)


def super_users(brokers: Iterable[int], further: Sequence[str] = ()) -> list[str]:
    """Principals that ACLs do not restrict: brokers, the operator, and those of the site."""
    names = [*(f"{BROKER}{number}" for number in brokers), OPERATOR, *further]
    return [f"User:{name}" for name in dict.fromkeys(names)]


def broker_properties(
    mode: str,
    protocols: Mapping[str, str],
    broker_ids: Sequence[int],
    further_super_users: Sequence[str] = (),
) -> dict[str, Any]:
    """Keys of server.properties that secure a broker whose listeners have these protocols."""
    wanted = find_mode(mode)
    if not wanted.secured:
        return {}
    keys: dict[str, Any] = {
        "authorizer.class.name": "kafka.security.authorizer.AclAuthorizer",
        # Kafka's default, set explicitly because security depends on it.
        "allow.everyone.if.no.acl.found": False,
        # Principals contain no semicolon.
        "super.users": ";".join(super_users(broker_ids, further_super_users)),
    }
    if wanted.tls:
        keys |= tls_properties(TRUSTED, BROKER_KEYS)
        keys["ssl.enabled.protocols"] = ["TLSv1.3", "TLSv1.2"]
        keys["ssl.cipher.suites"] = list(CIPHERS)
        # The principal of a certificate is its common name, as a password's principal is its user.
        keys["ssl.principal.mapping.rules"] = "RULE:^CN=([^,]+).*$/$1/,DEFAULT"
    for name, protocol in protocols.items():
        prefix = f"listener.name.{name.lower()}"
        if protocol == "SSL":
            # `requested` would accept clients without a certificate.
            keys[f"{prefix}.ssl.client.auth"] = "required"
        if protocol.startswith("SASL_"):
            keys[f"{prefix}.sasl.enabled.mechanisms"] = SCRAM
            keys[f"{prefix}.{SCRAM.lower()}.sasl.jaas.config"] = (
                "org.apache.kafka.common.security.scram.ScramLoginModule required;"
            )
            # Milliseconds after which a removed user loses access even on an open connection.
            keys[f"{prefix}.connections.max.reauth.ms"] = 3_600_000
    return keys


def tls_properties(trusted: str, keys: str = "", prefix: str = "") -> dict[str, str]:
    """Options of a Java client or server for PEM files with trusted CAs and with its key."""
    found = {"truststore.type": "PEM", "truststore.location": trusted}
    if keys:
        found |= {"keystore.type": "PEM", "keystore.location": keys}
    return {f"{prefix}ssl.{key}": value for key, value in found.items()}
