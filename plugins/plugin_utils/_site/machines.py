# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Machines, on which one or several hosts of the inventory are."""

from __future__ import annotations

from .inventory import Inventory

GROUP = "metal"


def machine(inventory: Inventory, host: str) -> str:
    """Name of the machine of a host."""
    return str(inventory.get(host, "metal_machine", host))


def names(inventory: Inventory) -> list[str]:
    """All machines."""
    return list(inventory.members(GROUP))


def storage_host(inventory: Inventory) -> str:
    """A host that says which storage is shared; empty where none does. What it says has a key."""
    said = (host for host in inventory.hosts if inventory.get(host, "shared_storage") is not None)
    return next(said, "")
