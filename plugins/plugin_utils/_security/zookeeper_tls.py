# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Settings that secure a ZooKeeper ensemble, and settings of brokers as its clients."""

from __future__ import annotations

from typing import Any

from .broker_security import CIPHERS, TRUSTED, tls_properties
from .pki.pem import PkiError, parse_certificates, principal_subject
from .quorum_ca import OWN, SHOWN
from .quorum_ca import TRUSTED as BOTH_TRUSTED
from .security_modes import find_mode
from .store_items import PLATFORM

# Files in the containers of brokers and of ZooKeeper servers.
BROKER_KEYS = "/etc/kafka/ensemble.pem"
SERVER_KEYS = "/etc/zookeeper/server.pem"
SERVER_TRUSTED = "/etc/zookeeper/ca.pem"
# Key and trusted CAs for connections between servers, once the quorum has its own CA.
QUORUM_KEYS = "/etc/zookeeper/quorum.pem"
# The file's name changes with the trusted CAs, so that servers restart and drop old connections.
QUORUM_TRUSTED = {OWN: "quorum-ca.pem", BOTH_TRUSTED: "quorum-both.pem", SHOWN: "quorum-both.pem"}


def ensemble_client_properties(mode: str) -> dict[str, Any]:
    """Keys of server.properties for a broker's TLS connection to the ensemble."""
    if not find_mode(mode).tls:
        return {}
    return {
        "zookeeper.ssl.client.enable": True,
        "zookeeper.clientCnxnSocket": "org.apache.zookeeper.ClientCnxnSocketNetty",
        **tls_properties(TRUSTED, BROKER_KEYS, "zookeeper."),
        # Brokers write znodes with ACLs for the brokers' certificates.
        "zookeeper.set.acl": True,
    }


def ensemble_properties(mode: str, port: int, bind: str, quorum_stage: str = OWN) -> dict[str, Any]:
    """Keys of zoo.cfg that secure a server: no plain port, certificates on every connection.

    ``quorum_stage`` determines the certificates and CAs on the ports between servers, see
    quorum_ca.py; at ``platform`` they are the same as for clients.
    """
    if not find_mode(mode).tls:
        return {"clientPort": port, "clientPortAddress": bind}
    files = {"keyStore": SERVER_KEYS, "trustStore": SERVER_TRUSTED}
    quorum_files = files
    if quorum_stage != PLATFORM:
        trusted = f"/etc/zookeeper/{quorum_trusted(quorum_stage)}"
        quorum_files = {"keyStore": QUORUM_KEYS, "trustStore": trusted}
    keys: dict[str, Any] = {
        "secureClientPort": port,
        "secureClientPortAddress": bind,
        "serverCnxnFactory": "org.apache.zookeeper.server.NettyServerCnxnFactory",
        "authProvider.x509": "org.apache.zookeeper.server.auth.X509AuthenticationProvider",
        "ssl.clientAuth": "need",
        "enforce.auth.enabled": True,
        "enforce.auth.schemes": "x509",
        "sslQuorum": True,
        "ssl.quorum.clientAuth": "need",
        "ssl.quorum.hostnameVerification": True,
        # Servers connect by name; the client's address is in no certificate.
        "ssl.quorum.clientHostnameVerification": False,
        "audit.enable": True,
        # The server reloads changed files while it runs.
        "client.certReload": True,
        "sslQuorumReloadCertFiles": True,
    }
    for scope, stores in (("ssl", files), ("ssl.quorum", quorum_files)):
        keys[f"{scope}.enabledProtocols"] = "TLSv1.3,TLSv1.2"
        keys[f"{scope}.ciphersuites"] = ",".join(CIPHERS)
        keys |= {f"{scope}.{store}.location": path for store, path in stores.items()}
        keys |= {f"{scope}.{store}.type": "PEM" for store in stores}
    return keys


def quorum_trusted(stage: str) -> str:
    """Name of the file with the CAs that servers trust on quorum ports in a stage."""
    return QUORUM_TRUSTED.get(stage, QUORUM_TRUSTED[OWN])


def subject(certificate: str) -> str:
    """The subject, which is the id in ZooKeeper's ACLs; empty for an invalid certificate."""
    try:
        return principal_subject(parse_certificates(certificate.encode())[0])
    except PkiError:
        return ""


def shared_trust(quorum: str, clients: str) -> list[str]:
    """Subjects of CAs in both PEM texts: trusted by the quorum and issuing for clients.

    A client with a certificate of such a CA can join the quorum as an observer and read all data.
    """
    both = set(parse_certificates(quorum.encode())) & set(parse_certificates(clients.encode()))
    return sorted(map(principal_subject, both))
