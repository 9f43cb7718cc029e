# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The inventory from which facts are computed: hosts with variables, groups, and the phase."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# Defaults of variables of the whole site, which no role owns.
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


class UnreadableVariable(Exception):
    """A variable whose template fails; raised by a host's mapping when the variable is read."""


class UnusableVariable(Exception):
    """A variable that other hosts need is missing, or its template fails."""


@dataclass(frozen=True)
class Inventory:
    """Hosts with their variables (role defaults included), groups, and a migration phase.

    ``phase`` is None if security_migration of the site determines it, see tls_migration.py.
    """

    hosts: Mapping[str, Mapping[str, Any]]
    groups: Mapping[str, Sequence[str]]
    phase: str | None = None

    def members(self, group: str) -> Sequence[str]:
        """Hosts of a group, in the inventory's order; none if the group does not exist."""
        return self.groups.get(group, ())

    def get(self, host: str, variable: str, default: Any = None) -> Any:
        """A variable of a host, or ``default``; raises UnusableVariable if its template fails."""
        try:
            value = self.hosts[host].get(variable)
        except UnreadableVariable as error:
            raise UnusableVariable(f"{variable} of host {host}: {error}") from error
        return default if value is None else value

    def need(self, host: str, variable: str) -> Any:
        """A required variable of a host; raises UnusableVariable."""
        value = self.get(host, variable)
        if value is None:
            raise UnusableVariable(f"host {host} has no {variable}")
        return value

    def of(self, group: str, variable: str) -> list[Any]:
        """A variable of each host of a group; raises UnusableVariable."""
        return [self.need(host, variable) for host in self.members(group)]

    def records(self, group: str, variables: Mapping[str, str]) -> list[dict[str, Any]]:
        """One mapping for each host of a group, with its variables under short names."""
        return [
            {short: self.need(host, name) for short, name in variables.items()}
            for host in self.members(group)
        ]

    def site_value(self, variable: str, group: str = "all") -> Any:
        """A variable of the site: the first value in a group, or the default."""
        for host in self.members(group):
            value = self.get(host, variable)
            if value is not None:
                return value
        return DEFAULTS.get(variable)


SiteFact = Callable[[Inventory], Any]
HostFact = Callable[[Inventory, str], Any]
