# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Machines, each with one or several hosts of the inventory."""

from __future__ import annotations

from .inventory import Inventory

GROUP = "metal"


def machine(inventory: Inventory, host: str) -> str:
    """Machine of a host: its ``metal_machine``, by default the host itself."""
    return str(inventory.get(host, "metal_machine", host))


def names(inventory: Inventory) -> list[str]:
    """Members of the group of machines."""
    return list(inventory.members(GROUP))


def storage_host(inventory: Inventory) -> str:
    """A host that declares shared_storage, which has secret keys; empty if no host does."""
    found = (host for host in inventory.hosts if inventory.get(host, "shared_storage") is not None)
    return next(found, "")
