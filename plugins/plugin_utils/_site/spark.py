# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Facts of Spark's masters, workers and history servers."""

from __future__ import annotations

from typing import Any

from .._catalogue import service
from .._security.security_modes import find_mode
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
    """Workers with the port of their web page."""
    names = {
        "name": "spark_worker_name",
        "host": "spark_address",
        "ui_port": "spark_worker_ui_port",
    }
    return inventory.records(WORKERS, names)


def history_servers(inventory: Inventory) -> list[dict[str, Any]]:
    """History servers with the port of their web page."""
    names = {"name": "spark_history_name", "host": "spark_address", "ui_port": "spark_history_port"}
    return inventory.records(HISTORIES, names)


def recovery_servers(inventory: Inventory) -> list[str]:
    """Metadata servers for the leader election of masters; none for a single master.

    A single master would wait at each start until its last session expires. None also if users have
    certificates, with which they could write the masters' state.
    """
    mode = security.properties(inventory)
    if len(inventory.members(MASTERS)) < 2 or (mode.tls and not mode.passwords):
        return []
    return zookeeper.endpoints(inventory)


def recovery_files(inventory: Inventory) -> dict[str, str]:
    """Files in the container with which a master authenticates to the ensemble."""
    if not find_mode(security.service_account_mode(inventory)).tls:
        return {}
    return {"keys": "/etc/kafka-metal/ensemble.pem", "trusted": "/etc/kafka-metal/ca.pem"}


def properties_file(inventory: Inventory) -> str:
    """File in the container with Spark's shared security settings; empty without security."""
    return "/etc/kafka-metal/spark.conf" if secured(inventory) else ""


def secured(inventory: Inventory) -> bool:
    """Whether Spark's services authenticate each other."""
    return find_mode(security.service_account_mode(inventory)).secured


def recovery_node(inventory: Inventory) -> str:
    """Znode in which masters store their state."""
    default = f"/kafka-metal/spark/{inventory.site_value('cluster_name')}"
    return str(inventory.site_value("spark_recovery_node", MASTERS) or default)
