# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Security mode of the cluster and the phase of its TLS migration."""

from __future__ import annotations

from .._security import security_modes as security
from .._security import tls_migration
from .inventory import Inventory


def mode(inventory: Inventory) -> str:
    """Value of ``security_mode`` for the whole site."""
    return str(inventory.site_value("security_mode"))


def phase(inventory: Inventory) -> str:
    """Phase of the TLS migration: the declared one, or the one that a run is about to enter."""
    if inventory.phase is not None:
        return inventory.phase
    return tls_migration.goal_phase(str(inventory.site_value("security_migration")))


def migration_port_offset(inventory: Inventory) -> int:
    """Port of an added, secured listener minus the port of the listener next to it."""
    return int(inventory.site_value("security_migration_port_offset"))


def migration_goal(inventory: Inventory) -> str:
    """Declared goal of the TLS migration."""
    return str(inventory.site_value("security_migration"))


def ensemble_trust(inventory: Inventory) -> str:
    """Which CA ZooKeeper servers trust among each other, and whether znodes have ACLs."""
    return str(inventory.site_value("security_ensemble_trust"))


def warn_days(inventory: Inventory) -> int:
    """Days before a certificate expires at which the status screen reports it."""
    return int(inventory.site_value("security_warn_days"))


def service_account_mode(inventory: Inventory) -> str:
    """Mode of service accounts: plain while no listener authenticates."""
    return mode(inventory) if tls_migration.PHASES[phase(inventory)].authenticates else "plain"


def properties(inventory: Inventory) -> security.Mode:
    """Properties of the site's security mode."""
    return security.find_mode(mode(inventory))


def secured(inventory: Inventory) -> bool:
    """Whether clients must authenticate."""
    return properties(inventory).secured


def tls(inventory: Inventory) -> bool:
    """Whether the platform has certificates."""
    return properties(inventory).tls


def password_authentication(inventory: Inventory) -> bool:
    """Whether clients authenticate with passwords."""
    return properties(inventory).passwords
