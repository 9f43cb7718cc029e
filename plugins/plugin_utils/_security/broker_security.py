# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Keys of server.properties that secure a broker."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .security_modes import BROKER, OPERATOR, SCRAM, mode_of

# Where a container finds what proves who it is; the role writes these files beside its properties.
BROKER_KEYS = "/etc/kafka/broker.pem"
TRUSTED = "/etc/kafka/ca.pem"

# Those with authentication of what they encrypt, and keys that a later theft of ours does not open;
# the first ones are those of TLS 1.3.
CIPHERS = (
    *("TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_128_GCM_SHA256"),
    *(
        f"TLS_ECDHE_{key}_WITH_{cipher}"
        for cipher in ("AES_256_GCM_SHA384", "CHACHA20_POLY1305_SHA256", "AES_128_GCM_SHA256")
        for key in ("ECDSA", "RSA")
    ),
)


def super_users(brokers: Iterable[int], further: Sequence[str] = ()) -> list[str]:
    """Principals that no ACL binds: brokers, the operator, and who the site names."""
    names = [*(f"{BROKER}{number}" for number in brokers), OPERATOR, *further]
    return [f"User:{name}" for name in dict.fromkeys(names)]


def broker_properties(
    mode: str,
    protocols: Mapping[str, str],
    broker_ids: Sequence[int],
    further_super_users: Sequence[str] = (),
) -> dict[str, Any]:
    """Keys of server.properties that close a broker, for listeners with these protocols."""
    wanted = mode_of(mode)
    if not wanted.secured:
        return {}
    keys: dict[str, Any] = {
        "authorizer.class.name": "kafka.security.authorizer.AclAuthorizer",
        # The default, said because it must never be the other.
        "allow.everyone.if.no.acl.found": False,
        # Principals hold no semicolon, so this list cannot be misread.
        "super.users": ";".join(super_users(broker_ids, further_super_users)),
    }
    if wanted.tls:
        keys |= tls_properties(TRUSTED, BROKER_KEYS)
        keys["ssl.enabled.protocols"] = ["TLSv1.3", "TLSv1.2"]
        keys["ssl.cipher.suites"] = list(CIPHERS)
        # The principal of a certificate is its common name, as that of a password is its user.
        keys["ssl.principal.mapping.rules"] = "RULE:^CN=([^,]+).*$/$1/,DEFAULT"
    for name, protocol in protocols.items():
        prefix = f"listener.name.{name.lower()}"
        if protocol == "SSL":
            # `requested` would let those in who show none.
            keys[f"{prefix}.ssl.client.auth"] = "required"
        if protocol.startswith("SASL_"):
            keys[f"{prefix}.sasl.enabled.mechanisms"] = SCRAM
            keys[f"{prefix}.{SCRAM.lower()}.sasl.jaas.config"] = (
                "org.apache.kafka.common.security.scram.ScramLoginModule required;"
            )
            # A user that is taken away is out within this time, connected or not.
            keys[f"{prefix}.connections.max.reauth.ms"] = 3_600_000
    return keys


def tls_properties(trusted: str, keys: str = "", prefix: str = "") -> dict[str, str]:
    """Where a program of Java finds whom it trusts and who it is, both as PEM."""
    found = {"truststore.type": "PEM", "truststore.location": trusted}
    if keys:
        found |= {"keystore.type": "PEM", "keystore.location": keys}
    return {f"{prefix}ssl.{key}": value for key, value in found.items()}
