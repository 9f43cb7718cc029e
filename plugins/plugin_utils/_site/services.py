# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Instances of services, by what the catalogue says of their kinds."""

from __future__ import annotations

from string import Formatter

from ansible_collections.metal.kafka.plugins.module_utils.preflight.services import Service

from .inventory import Inventory


def instance(inventory: Inventory, host: str, service: Service) -> str:
    """Name of the instance on a host, such as kafka1."""
    names = [name for _, name, _, _ in Formatter().parse(service.instance) if name]
    return service.instance.format_map({name: inventory.need(host, name) for name in names})
