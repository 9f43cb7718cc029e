# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The inventory as facts of the site read it: hosts with their variables, groups, and the phase."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# Variables of the site as a whole, which no role owns, where the inventory does not say them.
DEFAULTS: Mapping[str, Any] = {
    "security_mode": "tls_scram",
    "security_migration": "",
    "security_migration_port_offset": 1000,
    "security_ensemble_trust": "own",
    "security_password_file": "~/.config/kafka-metal/vault-password",
    "security_super_users": [],
    "security_warn_days": 14,
    "monitoring_web_open": False,
    "shared_storage": {"kind": "path"},
}


class Unreadable(Exception):
    """A variable whose template fails; raised by a host's mapping when the variable is read."""


class UnusableVariable(Exception):
    """What others need of a host is missing, or its template fails."""


@dataclass(frozen=True)
class Inventory:
    """Hosts with their variables, role defaults included; groups; the phase of the TLS migration.

    ``phase`` is None where the site says itself how far it is closed: see tls_migration.py.
    """

    hosts: Mapping[str, Mapping[str, Any]]
    groups: Mapping[str, Sequence[str]]
    phase: str | None = None

    def members(self, group: str) -> Sequence[str]:
        """Hosts of a group, in the inventory's order; none where there is no such group."""
        return self.groups.get(group, ())

    def get(self, host: str, variable: str, default: Any = None) -> Any:
        """A variable of a host, or ``default``; raises UnusableVariable: its template fails."""
        try:
            value = self.hosts[host].get(variable)
        except Unreadable as error:
            raise UnusableVariable(f"{variable} of host {host}: {error}") from error
        return default if value is None else value

    def need(self, host: str, variable: str) -> Any:
        """A variable that a host must have; raises UnusableVariable."""
        value = self.get(host, variable)
        if value is None:
            raise UnusableVariable(f"host {host} has no {variable}")
        return value

    def of(self, group: str, variable: str) -> list[Any]:
        """A variable of each host of a group; raises UnusableVariable."""
        return [self.need(host, variable) for host in self.members(group)]

    def records(self, group: str, variables: Mapping[str, str]) -> list[dict[str, Any]]:
        """One record for each host of a group: the variables, under their short names."""
        return [
            {short: self.need(host, name) for short, name in variables.items()}
            for host in self.members(group)
        ]

    def site_value(self, variable: str, group: str = "all") -> Any:
        """A variable of the site: what the first host of a group says, or the default."""
        for host in self.members(group):
            value = self.get(host, variable)
            if value is not None:
                return value
        return DEFAULTS.get(variable)


SiteFact = Callable[[Inventory], Any]
HostFact = Callable[[Inventory, str], Any]
