# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Machines, on which one or several hosts of the inventory are."""

from __future__ import annotations

from typing import Any

from .inventory import Inventory

GROUP = "metal"


def machine(inventory: Inventory, host: str) -> str:
    """Name of the machine of a host."""
    return str(inventory.get(host, "metal_machine", host))


def names(inventory: Inventory) -> list[str]:
    """All machines."""
    return list(inventory.members(GROUP))


def storage(inventory: Inventory) -> dict[str, Any]:
    """The storage that drivers, workers and the history of Spark share, as the site declares it."""
    return dict(inventory.said("shared_storage"))
