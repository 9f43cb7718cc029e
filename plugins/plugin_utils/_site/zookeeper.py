# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Facts of the ZooKeeper ensemble that its clients and servers need."""

from __future__ import annotations

from typing import Any

from .._security import zookeeper_tls_migration
from .._security.tls_migration import PHASES
from . import security
from .inventory import Inventory

GROUP = "zookeeper"
# Value of kafka_metadata_mode.
MODE = "zookeeper"


def servers(inventory: Inventory) -> list[dict[str, Any]]:
    """Servers with their ports; the client port depends on the phase."""
    names = {
        "id": "zookeeper_server_id",
        "host": "zookeeper_address",
        "port": "zookeeper_client_port",
        "peer_port": "zookeeper_peer_port",
        "election_port": "zookeeper_election_port",
    }
    return zookeeper_tls_migration.servers(
        inventory.records(GROUP, names),
        security.phase(inventory),
        security.migration_port_offset(inventory),
    )


def endpoints(inventory: Inventory) -> list[str]:
    """host:port of each server for clients."""
    return zookeeper_tls_migration.connect(servers(inventory))


def certificate_authentication(inventory: Inventory) -> bool:
    """Whether clients authenticate by certificate."""
    return zookeeper_tls_migration.uses_certificate(
        security.mode(inventory), security.phase(inventory)
    )


def acls_enabled(inventory: Inventory) -> bool:
    """Whether only brokers may write their znodes."""
    return PHASES[security.phase(inventory)].metadata_acls
