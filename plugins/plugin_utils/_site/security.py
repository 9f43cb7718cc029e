# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""How the cluster is closed, how far, and who shows which certificate."""

from __future__ import annotations

from .._security import security_modes as security
from .._security import tls_migration as closing
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


def closing_goal(inventory: Inventory) -> str:
    """How far the site wants to be closed."""
    return str(inventory.said("security_closing"))


def ensemble_trust(inventory: Inventory) -> str:
    """Which CA servers of the ensemble trust among each other, and whether nodes have owners."""
    return str(inventory.said("security_ensemble_trust"))


def warn_days(inventory: Inventory) -> int:
    """Days before the end of a certificate from which on the status screen complains."""
    return int(inventory.said("security_warn_days"))


def own_mode(inventory: Inventory) -> str:
    """Mode in which programs of the platform come in: while nobody is asked they show nothing."""
    return mode(inventory) if closing.PHASES[phase(inventory)].asks else "plain"


def _mode(inventory: Inventory) -> security.Mode:
    return security.mode_of(mode(inventory))


def closed(inventory: Inventory) -> bool:
    """Whether anybody has to prove who they are."""
    return _mode(inventory).closed


def tls(inventory: Inventory) -> bool:
    """Whether the platform has certificates."""
    return _mode(inventory).tls


def passwords(inventory: Inventory) -> bool:
    """Whether clients prove who they are by a password."""
    return _mode(inventory).passwords


def owned(inventory: Inventory) -> bool:
    """Whether what brokers write into the ensemble belongs to them alone."""
    return closing.PHASES[phase(inventory)].owned
