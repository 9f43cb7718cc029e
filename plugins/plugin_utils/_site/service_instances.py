# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Instances of each kind of service with their ports, for the roles of the services."""

from __future__ import annotations

from typing import Any

from .._catalogue import SERVICES
from .._catalogue.kinds import Service
from . import machines
from .instances import fill_template, hosts
from .inventory import Inventory, UnusableVariable


def instances(inventory: Inventory) -> dict[str, list[dict[str, Any]]]:
    """Instances of each kind that has names for them.

    Each has ``host`` (its name in the inventory), ``name``, ``address`` for other machines,
    ``ports`` by variable, and for its own machine ``metrics``, the host:port of its metrics, and
    ``ready``, the host:port/path of its readiness. Values that do not exist or cannot be read are
    None.
    """
    return {
        service.kind: [_instance(inventory, host, service) for host in hosts(inventory, service)]
        for service in SERVICES
        if service.instance
    }


def ready_endpoints(inventory: Inventory, host: str) -> list[str]:
    """NAME=HOST:PORT/PATH of each instance on a machine whose readiness can be read."""
    return [
        f"{each['name']}={each['ready']}"
        for service in SERVICES
        if service.ready
        for each in (
            _instance(inventory, own, service)
            for own in hosts(inventory, service)
            if machines.machine(inventory, own) == machines.machine(inventory, host)
        )
        if each["ready"]
    ]


def _instance(inventory: Inventory, host: str, service: Service) -> dict[str, Any]:
    metrics = _metrics(inventory, host, service)
    return {
        "host": host,
        "name": fill_template(inventory, host, service.instance),
        "address": _read(inventory, host, service.address),
        "ports": {each: _read(inventory, host, each) for each in service.ports},
        "metrics": metrics,
        "ready": f"{metrics}{service.ready}" if metrics and service.ready else None,
    }


def _read(inventory: Inventory, host: str, variable: str | None) -> Any:
    """A variable of a host; None if it is not set or its template fails."""
    try:
        return inventory.get(host, variable) if variable else None
    except UnusableVariable:
        # A run without this service goes on; preflight reports the variable.
        return None


def _metrics(inventory: Inventory, host: str, service: Service) -> str | None:
    """host:port of the metrics of an instance; None if it has none."""
    port = _read(inventory, host, service.metrics_port)
    bind = _read(inventory, host, service.metrics_bind)
    address = str(bind or "127.0.0.1").replace("0.0.0.0", "127.0.0.1")
    return f"{address}:{port}" if port else None
