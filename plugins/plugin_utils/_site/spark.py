# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What the parts of Spark know of each other."""

from __future__ import annotations

from typing import Any

from .._catalogue import service
from .._security.security_modes import mode_of
from . import security, zookeeper
from .inventory import Inventory

SPARK = tuple(map(service, ("spark_master", "spark_worker", "spark_history")))
MASTER, WORKER, HISTORY = SPARK
MASTERS, WORKERS, HISTORIES = (each.group for each in SPARK)


def masters(inventory: Inventory) -> list[dict[str, Any]]:
    """Masters with their ports."""
    names = {
        "name": "spark_master_name",
        "host": "spark_address",
        "port": "spark_master_port",
        "ui_port": "spark_master_ui_port",
    }
    return inventory.records(MASTERS, names)


def master_endpoints(inventory: Inventory) -> list[str]:
    """host:port of every master."""
    return [f"{each['host']}:{each['port']}" for each in masters(inventory)]


def workers(inventory: Inventory) -> list[dict[str, Any]]:
    """Workers with the port of their page."""
    names = {
        "name": "spark_worker_name",
        "host": "spark_address",
        "ui_port": "spark_worker_ui_port",
    }
    return inventory.records(WORKERS, names)


def histories(inventory: Inventory) -> list[dict[str, Any]]:
    """History servers with the port of their page."""
    names = {"name": "spark_history_name", "host": "spark_address", "ui_port": "spark_history_port"}
    return inventory.records(HISTORIES, names)


def recovery_servers(inventory: Inventory) -> list[str]:
    """Servers of the ensemble in which several masters agree who leads; none for one alone.

    One alone would wait at every start for the end of its own last session. And not where users
    have certificates: the ensemble would take them for masters, which believe what they find there.
    """
    mode = mode_of(security.mode(inventory))
    if len(inventory.members(MASTERS)) < 2 or (mode.tls and not mode.passwords):
        return []
    return zookeeper.endpoints(inventory)


def recovery_files(inventory: Inventory) -> dict[str, str]:
    """Files in the container with which a master comes into the ensemble."""
    if not mode_of(security.own_mode(inventory)).tls:
        return {}
    return {"keys": "/etc/kafka-metal/ensemble.pem", "trusted": "/etc/kafka-metal/ca.pem"}


def properties_file(inventory: Inventory) -> str:
    """File in the container with what the parts of Spark share; empty while nobody is asked."""
    return "/etc/kafka-metal/spark.conf" if secured(inventory) else ""


def secured(inventory: Inventory) -> bool:
    """Whether the parts of Spark prove who they are."""
    return mode_of(security.own_mode(inventory)).secured


def recovery_node(inventory: Inventory) -> str:
    """Node of the ensemble in which masters keep their state."""
    default = f"/kafka-metal/spark/{inventory.site_value('cluster_name')}"
    return str(inventory.site_value("spark_recovery_node", MASTERS) or default)
