# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Services of monitoring, and Prometheus targets of all instances, from the catalogue."""

from __future__ import annotations

from .._catalogue import SERVICES
from .._catalogue.kinds import Service
from . import machines, monitoring
from .instances import condition_met, fill_template, hosts
from .inventory import Inventory

ROLE = "monitoring"


def services_on_machines(inventory: Inventory) -> list[str]:
    """Services of monitoring on every machine, in start order."""
    return _services(inventory, machines.GROUP)


def services_on_monitoring_hosts(inventory: Inventory) -> list[str]:
    """Services of monitoring on the monitoring hosts, in start order."""
    return _services(inventory, monitoring.GROUP)


def _services(inventory: Inventory, group: str) -> list[str]:
    return [
        each.kind
        for each in SERVICES
        if (each.role, each.group) == (ROLE, group) and condition_met(inventory, each.when)
    ]


def targets(inventory: Inventory) -> dict[str, list[dict[str, str]]]:
    """One mapping for each instance, by job; the address is empty if it has no metrics."""
    found: dict[str, list[dict[str, str]]] = {}
    for service in SERVICES:
        if service.job:
            own = [_target(inventory, host, service) for host in hosts(inventory, service)]
            found.setdefault(service.job, []).extend(own)
    return found


def _target(inventory: Inventory, host: str, service: Service) -> dict[str, str]:
    return {
        "cluster": str(inventory.site_value("cluster_name")),
        "host": machines.machine(inventory, host),
        "instance": fill_template(inventory, host, service.instance),
        "address": _address(inventory, host, service),
    }


def _address(inventory: Inventory, host: str, service: Service) -> str:
    """host:port of an instance's metrics, for the proxy on its machine or for other machines."""
    if service.metrics_port:
        port, bind = (
            int(inventory.get(host, service.metrics_port, 0)),
            service.metrics_bind,
        )
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
