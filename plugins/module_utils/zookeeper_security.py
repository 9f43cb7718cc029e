# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Keys that close a ZooKeeper ensemble, and those with which brokers come into it."""

from __future__ import annotations

from typing import Any

from .security import TRUSTED, mode_of, tls_properties

# Where containers find their files: brokers, and servers of the ensemble.
BROKER_KEYS = "/etc/kafka/ensemble.pem"
SERVER_KEYS = "/etc/zookeeper/server.pem"
SERVER_TRUSTED = "/etc/zookeeper/ca.pem"


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


def ensemble_properties(mode: str, port: int, bind: str) -> dict[str, Any]:
    """Keys of zoo.cfg that close a server: no plain port, certificates on every connection."""
    if not mode_of(mode).tls:
        return {"clientPort": port, "clientPortAddress": bind}
    files = {"keyStore": SERVER_KEYS, "trustStore": SERVER_TRUSTED}
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
    for scope in ("ssl", "ssl.quorum"):
        keys[f"{scope}.enabledProtocols"] = "TLSv1.3,TLSv1.2"
        keys |= {f"{scope}.{store}.location": path for store, path in files.items()}
        keys |= {f"{scope}.{store}.type": "PEM" for store in files}
    return keys
