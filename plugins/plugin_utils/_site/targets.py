# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Programs of monitoring, and what Prometheus reads of each instance, by the catalogue."""

from __future__ import annotations

from .._catalogue import SERVICES
from .._catalogue.kinds import Service
from . import machines, monitoring
from .instances import filled, given, hosts
from .inventory import Inventory

ROLE = "monitoring"


def of_machines(inventory: Inventory) -> list[str]:
    """Programs of monitoring on every machine, in the order of start."""
    return _programs(inventory, machines.GROUP)


def own_targets(inventory: Inventory) -> list[str]:
    """Programs of monitoring on its own hosts, in the order of start."""
    return _programs(inventory, monitoring.GROUP)


def _programs(inventory: Inventory, group: str) -> list[str]:
    return [
        each.kind
        for each in SERVICES
        if (each.role, each.group) == (ROLE, group) and given(inventory, each.where)
    ]


def targets(inventory: Inventory) -> dict[str, list[dict[str, str]]]:
    """By job, one record for each instance; an empty address means that it has no metrics."""
    found: dict[str, list[dict[str, str]]] = {}
    for service in SERVICES:
        if service.job:
            read = [_target(inventory, host, service) for host in hosts(inventory, service)]
            found.setdefault(service.job, []).extend(read)
    return found


def _target(inventory: Inventory, host: str, service: Service) -> dict[str, str]:
    return {
        "cluster": str(inventory.site_value("cluster_name")),
        "host": machines.machine(inventory, host),
        "instance": filled(inventory, host, service.instance),
        "address": _address(inventory, host, service),
    }


def _address(inventory: Inventory, host: str, service: Service) -> str:
    """host:port of an instance, where a proxy on its machine reads it, or from outside."""
    if service.agent:
        port, bind = int(inventory.get(host, service.agent, 0)), f"{service.role}_metrics_bind"
    else:
        port, bind = int(inventory.need(host, service.ports[0])), str(service.bind)
    if not port:
        return ""
    proxied = monitoring.proxied(inventory)
    at = inventory.need(host, bind) if proxied else _outside(inventory, host, service)
    return f"{at}:{port}"


def _outside(inventory: Inventory, host: str, service: Service) -> str:
    if service.listener:
        listeners = inventory.need(host, service.ports[0])
        return str(listeners[inventory.need(host, service.listener)]["advertise"])
    return str(inventory.need(host, str(service.address)))
