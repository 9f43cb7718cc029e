# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What a ZooKeeper ensemble speaks and takes in each phase of tls_migration.py.

ZooKeeper's administrator's guide has the steps of its quorum ("Upgrading existing non-TLS cluster
with no downtime"): take both, speak TLS, take TLS alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .security_modes import mode_of
from .tls_migration import FIRST, PHASES
from .zookeeper_tls import ensemble_client_properties, ensemble_properties

# Of a server: where clients come in without a certificate and with one, and the quorum: whether it
# speaks TLS to others, and takes from them what is none.
PLAIN_PORT = {"doors": FIRST, "brokers": FIRST}
ASKING_PORT = {"doors": "door", "brokers": "door", "shut": "door", "back": FIRST, "": FIRST}
QUORUM_SPEAKS_TLS = {"doors": False, "brokers": True, "shut": True, "back": True, "": True}
QUORUM_TAKES_BOTH = ("doors", "brokers")


def port_of(which: str, port: int, step: int) -> int:
    """Number of a server's first port or of its door."""
    return port if which == FIRST else port + step


def server_properties(
    mode: str, phase: str, port: int, bind: str, step: int, quorum_stage: str
) -> dict[str, Any]:
    """Keys of zoo.cfg for the ports of clients and for the quorum."""
    if not mode_of(mode).tls:
        return ensemble_properties(mode, port, bind)
    asking = port_of(ASKING_PORT[phase], port, step)
    keys = ensemble_properties(mode, asking, bind, quorum_stage)
    if phase in PLAIN_PORT:
        keys |= {"clientPort": port, "clientPortAddress": bind}
        # Whoever comes by the plain port has nothing to show.
        keys = {key: value for key, value in keys.items() if not key.startswith("enforce.auth.")}
    keys["sslQuorum"] = QUORUM_SPEAKS_TLS[phase]
    if phase in QUORUM_TAKES_BOTH:
        keys["portUnification"] = True
    return keys


def with_certificate(mode: str, phase: str) -> bool:
    """Whether clients of the ensemble show a certificate, after the roll into this phase."""
    return mode_of(mode).tls and phase != "doors"


def servers(ensemble: Iterable[Mapping[str, Any]], phase: str, step: int) -> list[dict[str, Any]]:
    """Servers with the port at which clients find them, ``also`` being others that they try.

    ``ensemble`` has servers with their first ``port``.
    """
    order = PHASES[phase].ensemble
    found = []
    for server in ensemble:
        ports = [port_of(which, int(server["port"]), int(step)) for which in order]
        found.append({**server, "port": ports[0], "also": ports[1:]})
    return found


def connect(ensemble: Iterable[Mapping[str, Any]]) -> list[str]:
    """Where clients of the ensemble look for it, as host:port, out of what ``servers`` returns."""
    found = list(ensemble)
    return [f"{each['host']}:{each['port']}" for each in found] + [
        f"{each['host']}:{port}" for each in found for port in each.get("also", ())
    ]


def client_properties(mode: str, phase: str) -> dict[str, Any]:
    """Keys of server.properties with which a broker comes into its ensemble."""
    if not with_certificate(mode, phase):
        return {}
    owned = {"zookeeper.set.acl": PHASES[phase].owned}
    return {**ensemble_client_properties(mode), **owned}
