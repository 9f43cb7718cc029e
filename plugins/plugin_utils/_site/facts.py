# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What services know of each other: by name, a function of the inventory's hosts and groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ansible_collections.metal.kafka.plugins.module_utils.preflight.catalogue import KAFKA
from ansible_collections.metal.kafka.plugins.module_utils.preflight.site import Unreadable

Host = Mapping[str, Any]


class UnusableVariable(Exception):
    """What others need of a host is missing, or its template fails."""


@dataclass(frozen=True)
class Inventory:
    """Hosts with their variables, role defaults included, and groups."""

    hosts: Mapping[str, Host]
    groups: Mapping[str, Sequence[str]]

    def of(self, group: str, variable: str) -> list[Any]:
        """A variable of each host of a group, in the inventory's order; raises UnusableVariable."""
        found = []
        for name in self.groups.get(group, ()):
            try:
                value = self.hosts[name].get(variable)
            except Unreadable as error:
                raise UnusableVariable(f"{variable} of host {name}: {error}") from error
            if value is None:
                raise UnusableVariable(f"host {name} of group {group} has no {variable}")
            found.append(value)
        return found


def broker_ids(inventory: Inventory) -> list[int]:
    """Ids of all brokers."""
    return inventory.of(KAFKA.group, str(KAFKA.id))


def broker_names(inventory: Inventory) -> list[str]:
    """Names or addresses that brokers advertise, each once."""
    listeners = inventory.of(KAFKA.group, KAFKA.ports[0])
    shown = [at["advertise"] for each in listeners for at in each.values()]
    return list(dict.fromkeys(shown))


FACTS: Mapping[str, Callable[[Inventory], Any]] = {
    "kafka.ids": broker_ids,
    "kafka.names": broker_names,
}
