# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Containers that the inventory has on each machine."""

from __future__ import annotations

from .._catalogue import SERVICES
from .._catalogue.kinds import Service
from .._security.service_accounts import PIPELINE
from . import machines, site_users
from .instances import fill_template, hosts
from .inventory import Inventory


def on_machine(inventory: Inventory, host: str) -> dict[str, list[str]]:
    """Names of the instances on a host's machine, by the label of their containers' kind."""
    machine = machines.machine(inventory, host)
    return {
        each.container_label: [
            name
            for other in hosts(inventory, each)
            if machines.machine(inventory, other) == machine
            for name in _names(inventory, other, each)
        ]
        for each in SERVICES
    }


def _names(inventory: Inventory, host: str, service: Service) -> list[str]:
    """Names of a host's containers of a kind, as the role of the kind names them."""
    if not service.instance:
        return [f"{PIPELINE}{name}" for name in site_users.pipeline_names(inventory)]
    if service.is_numbered:
        number = inventory.members(service.group).index(host) + 1
        return [f"{service.kind.replace('_', '-')}{number}"]
    return [fill_template(inventory, host, service.instance)]
