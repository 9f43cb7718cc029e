# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""How the cluster is closed, how far, and who shows which certificate."""

from __future__ import annotations

from typing import Any

from ansible_collections.metal.kafka.plugins.module_utils import closing, security

from .inventory import Inventory


def mode(inventory: Inventory) -> str:
    """Name of the mode."""
    return str(inventory.said("security_mode"))


def phase(inventory: Inventory) -> str:
    """Phase of closing in which the site is, or which a run is about to enter."""
    if inventory.phase is not None:
        return inventory.phase
    return closing.phase_of_goal(str(inventory.said("security_closing")))


def door_step(inventory: Inventory) -> int:
    """Ports between a listener and the door beside it."""
    return int(inventory.said("security_door_step"))


def own_mode(inventory: Inventory) -> str:
    """Mode in which programs of the platform come in: while nobody is asked they show nothing."""
    return mode(inventory) if closing.PHASES[phase(inventory)].asks else "plain"


def words(inventory: Inventory) -> dict[str, Any]:
    """What the mode means."""
    found = security.mode_of(mode(inventory))
    return {
        "tls": found.tls,
        "passwords": found.passwords,
        "closed": found.closed,
        "clients": found.clients,
    }


def phase_words(inventory: Inventory) -> dict[str, Any]:
    """What the phase means."""
    at = closing.PHASES[phase(inventory)]
    return {
        "doors": at.doors,
        "open": at.open,
        "asks": at.asks,
        "door": at.clients_door,
        "owned": at.owned,
    }
