# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Instances of services, as the catalogue defines their kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import Any

from .._catalogue import SERVICES
from .._catalogue.kinds import Service
from .._catalogue.reading import COLLECTION, CatalogueError
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


def gated_roles(inventory: Inventory, host: str) -> list[str]:
    """Roles of the services on a host that have a gate, in start order."""
    return [each.role for each in SERVICES if host in hosts(inventory, each) and _is_gated(each)]


def gated_groups(_: Inventory) -> list[str]:
    """Groups of the kinds of services that have a gate, in start order."""
    return [each.group for each in SERVICES if _is_gated(each)]


def _is_gated(service: Service) -> bool:
    return (COLLECTION / "roles" / service.role / "tasks/gate.yml").exists()


def fill_template(inventory: Inventory, host: str, template: str) -> str:
    """Fill a template of the catalogue with the variables of a host: kafka1 for kafka{id}."""
    names = [name for _, name, _, _ in Formatter().parse(template) if name]
    return template.format_map({name: _value(inventory, host, name) for name in names})


def fill_all(inventory: Inventory, host: str, value: Any) -> Any:
    """Fill all templates in keys and values of nested mappings and lists."""
    if isinstance(value, Mapping):
        return {
            fill_template(inventory, host, str(key)): fill_all(inventory, host, each)
            for key, each in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [fill_all(inventory, host, each) for each in value]
    return fill_template(inventory, host, value) if isinstance(value, str) else value


def _value(inventory: Inventory, host: str, name: str) -> Any:
    if name == "inventory_hostname":
        return host
    if name == "metal_machine":
        return machines.machine(inventory, host)
    return inventory.need(host, name)
