# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Instances of services, as the catalogue defines their kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import Any

from .._catalogue import SERVICES
from .._catalogue.kinds import Service
from .._catalogue.reading import CatalogueError
from . import machines, monitoring, spark
from .inventory import Inventory

# Facts on which a kind or one of its certificates may depend.
CONDITIONS: Mapping[str, Callable[[Inventory], Any]] = {
    "monitoring.proxied": monitoring.proxied,
    "monitoring.hosts": monitoring.hosts,
    "spark.recovery_servers": spark.recovery_servers,
}


def condition_met(inventory: Inventory, fact: str) -> bool:
    """Whether the site has the ``fact``, or there is no condition; raises CatalogueError."""
    if fact and fact not in CONDITIONS:
        raise CatalogueError(f"when: found {fact}; allowed: {', '.join(CONDITIONS)}")
    return not fact or bool(CONDITIONS[fact](inventory))


def hosts(inventory: Inventory, service: Service) -> Sequence[str]:
    """Hosts with an instance of a kind, in the inventory's order."""
    return inventory.members(service.group) if condition_met(inventory, service.when) else ()


def names(inventory: Inventory) -> list[str]:
    """Names of all instances, each once."""
    named = [each for each in SERVICES if each.instance]
    found = (
        fill_template(inventory, host, each.instance)
        for each in named
        for host in hosts(inventory, each)
    )
    return list(dict.fromkeys(found))


def places(inventory: Inventory) -> list[dict[str, Any]]:
    """Where each instance is and how it is scraped, in start order of kinds."""
    return [
        {
            "instance": fill_template(inventory, host, each.instance),
            "group": each.group,
            "machine": machines.machine(inventory, host),
            "kind": each.kind,
            "job": each.job or "",
            "down_without_metrics": each.down_without_metrics,
        }
        for each in SERVICES
        if each.instance
        for host in hosts(inventory, each)
    ]


def fill_template(inventory: Inventory, host: str, template: str) -> str:
    """Fill a template of the catalogue with the variables of a host: kafka1 for kafka{id}."""
    names = [name for _, name, _, _ in Formatter().parse(template) if name]
    return template.format_map({name: _value(inventory, host, name) for name in names})


def _value(inventory: Inventory, host: str, name: str) -> Any:
    if name == "inventory_hostname":
        return host
    if name == "metal_machine":
        return machines.machine(inventory, host)
    return inventory.need(host, name)
