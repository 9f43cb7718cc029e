# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Keys that close a ZooKeeper ensemble, and those with which brokers come into it."""

from __future__ import annotations

from typing import Any

from .broker_security import CIPHERS, TRUSTED, tls_properties
from .pki.pem import PkiError, certificates_of, subject_of
from .quorum_ca import OWN, SHOWN
from .quorum_ca import TRUSTED as TRUSTED_TOO
from .security_modes import mode_of
from .store_items import PLATFORM

# Where containers find their files: brokers, and servers of the ensemble.
BROKER_KEYS = "/etc/kafka/ensemble.pem"
SERVER_KEYS = "/etc/zookeeper/server.pem"
SERVER_TRUSTED = "/etc/zookeeper/ca.pem"
# What a server shows to the other servers and trusts of them, once its quorum has a CA of its own.
QUORUM_KEYS = "/etc/zookeeper/quorum.pem"
# By name: a server that trusts less than before restarts, and old connections with it.
QUORUM_TRUSTED = {OWN: "quorum-ca.pem", TRUSTED_TOO: "quorum-both.pem", SHOWN: "quorum-both.pem"}


def ensemble_client_properties(mode: str) -> dict[str, Any]:
    """Keys of server.properties with which a broker speaks to its ensemble."""
    if not mode_of(mode).tls:
        return {}
    return {
        "zookeeper.ssl.client.enable": True,
        "zookeeper.clientCnxnSocket": "org.apache.zookeeper.ClientCnxnSocketNetty",
        **tls_properties(TRUSTED, BROKER_KEYS, "zookeeper."),
        # What a broker writes there belongs to the brokers' certificate alone.
        "zookeeper.set.acl": True,
    }


def ensemble_properties(mode: str, port: int, bind: str, quorum_stage: str = OWN) -> dict[str, Any]:
    """Keys of zoo.cfg that close a server: no plain port, certificates on every connection.

    ``quorum_stage``: whose certificates are shown and trusted on the ports between servers, see
    quorum_ca.py; at ``platform`` they are those for clients, as they were at first.
    """
    if not mode_of(mode).tls:
        return {"clientPort": port, "clientPortAddress": bind}
    files = {"keyStore": SERVER_KEYS, "trustStore": SERVER_TRUSTED}
    among = files
    if quorum_stage != PLATFORM:
        trusted = f"/etc/zookeeper/{quorum_trusted(quorum_stage)}"
        among = {"keyStore": QUORUM_KEYS, "trustStore": trusted}
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
        # Each connects to the others by name; the address it comes from is in no certificate.
        "ssl.quorum.clientHostnameVerification": False,
        "audit.enable": True,
        # New files are taken over while the server runs.
        "client.certReload": True,
        "sslQuorumReloadCertFiles": True,
    }
    for scope, stores in (("ssl", files), ("ssl.quorum", among)):
        keys[f"{scope}.enabledProtocols"] = "TLSv1.3,TLSv1.2"
        keys[f"{scope}.ciphersuites"] = ",".join(CIPHERS)
        keys |= {f"{scope}.{store}.location": path for store, path in stores.items()}
        keys |= {f"{scope}.{store}.type": "PEM" for store in stores}
    return keys


def quorum_trusted(stage: str) -> str:
    """Name of the file with the CAs that servers trust among each other in a stage."""
    return QUORUM_TRUSTED.get(stage, QUORUM_TRUSTED[OWN])


def subject(certificate: str) -> str:
    """The subject, which an ensemble takes for an id; empty for a text that is no certificate."""
    try:
        return subject_of(certificates_of(certificate.encode())[0])
    except PkiError:
        return ""


def shared_trust(quorum: str, clients: str) -> list[str]:
    """Subjects of CAs that issue for clients and that servers trust among each other; PEM texts.

    A client with a certificate of one of them can join the quorum as an observer, which reads all.
    """
    both = set(certificates_of(quorum.encode())) & set(certificates_of(clients.encode()))
    return sorted(map(subject_of, both))
