# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Facts of the drivers of pipelines."""

from __future__ import annotations

from .._catalogue import service
from .inventory import Inventory
from .status_ports import status_ports

PIPELINE = service("pipeline")


def endpoints(inventory: Inventory) -> dict[str, str]:
    """host:port of each pipeline's status page, by name."""
    (host, *_) = (*inventory.members(PIPELINE.group), None)
    if host is None:
        return {}
    own = {
        name: int(port) for name, port in inventory.get(host, "pipeline_status_ports", {}).items()
    }
    first = int(inventory.need(host, "pipeline_status_port"))
    ports = status_ports(list(inventory.get(host, "pipeline_pipelines", {})), first, own)
    address = inventory.get(host, "pipeline_address", "")
    return {name: f"{address}:{port}" for name, port in ports.items()}
