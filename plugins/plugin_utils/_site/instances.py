# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Instances of services, by what the catalogue says of their kinds."""

from __future__ import annotations

from string import Formatter

from .inventory import Inventory


def filled(inventory: Inventory, host: str, template: str) -> str:
    """A text of the catalogue with the variables of a host, such as kafka1 for kafka{id}."""
    names = [name for _, name, _, _ in Formatter().parse(template) if name]
    values = {
        name: host if name == "inventory_hostname" else inventory.need(host, name) for name in names
    }
    return template.format_map(values)
