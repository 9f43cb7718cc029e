# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Ports and TLS settings of ZooKeeper in each phase of tls_migration.py.

ZooKeeper's administrator's guide describes the steps for the quorum ("Upgrading existing non-TLS
cluster with no downtime"): accept both, use TLS, accept only TLS.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .security_modes import find_mode
from .tls_migration import ADDED, FIRST, PHASES
from .zookeeper_tls import ensemble_client_properties, ensemble_properties

# Client ports of a server without and with TLS. Quorum: whether a server connects to others with
# TLS, and whether it also accepts connections without.
PLAIN_PORT = {"added": FIRST, "brokers": FIRST}
TLS_PORT = {"added": ADDED, "brokers": ADDED, "enforced": ADDED, "back": FIRST, "": FIRST}
QUORUM_USES_TLS = {"added": False, "brokers": True, "enforced": True, "back": True, "": True}
QUORUM_ACCEPTS_BOTH = ("added", "brokers")


def server_port(which: str, port: int, offset: int) -> int:
    """Number of a server's first port or of its added port."""
    return port if which == FIRST else port + offset


def server_properties(
    mode: str, phase: str, port: int, bind: str, offset: int, quorum_stage: str
) -> dict[str, Any]:
    """Keys of zoo.cfg for the ports of clients and for the quorum."""
    if not find_mode(mode).tls:
        return ensemble_properties(mode, port, bind)
    tls_port = server_port(TLS_PORT[phase], port, offset)
    keys = ensemble_properties(mode, tls_port, bind, quorum_stage)
    if phase in PLAIN_PORT:
        keys |= {"clientPort": port, "clientPortAddress": bind}
        # Clients of the plain port have no certificate.
        keys = {key: value for key, value in keys.items() if not key.startswith("enforce.auth.")}
    keys["sslQuorum"] = QUORUM_USES_TLS[phase]
    if phase in QUORUM_ACCEPTS_BOTH:
        keys["portUnification"] = True
    return keys


def uses_certificate(mode: str, phase: str) -> bool:
    """Whether clients of ZooKeeper authenticate by certificate after the roll into this phase."""
    return find_mode(mode).tls and phase != "added"


def servers(ensemble: Iterable[Mapping[str, Any]], phase: str, offset: int) -> list[dict[str, Any]]:
    """Servers with the port for clients; ``other_ports`` has further ports that clients try.

    ``ensemble`` has servers with their first ``port``.
    """
    order = PHASES[phase].ensemble
    found = []
    for server in ensemble:
        ports = [server_port(which, int(server["port"]), int(offset)) for which in order]
        found.append({**server, "port": ports[0], "other_ports": ports[1:]})
    return found


def connect(ensemble: Iterable[Mapping[str, Any]]) -> list[str]:
    """Addresses of ZooKeeper as host:port, from the result of ``servers``."""
    found = list(ensemble)
    return [f"{each['host']}:{each['port']}" for each in found] + [
        f"{each['host']}:{port}" for each in found for port in each.get("other_ports", ())
    ]


def client_properties(mode: str, phase: str) -> dict[str, Any]:
    """Keys of server.properties for the connection of a broker to ZooKeeper."""
    if not uses_certificate(mode, phase):
        return {}
    acls = {"zookeeper.set.acl": PHASES[phase].metadata_acls}
    return {**ensemble_client_properties(mode), **acls}
