# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Certificates that instances of services show, as the catalogue declares them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._catalogue import SERVICES
from .._catalogue.kinds import Certificate, Service
from .._security.certificate_names import declared
from .instances import filled, given, hosts
from .inventory import Inventory

# Stands in ``reached`` for what listeners advertise and bind.
LISTENERS = "listeners"


def shown_by_services(inventory: Inventory) -> Iterator[dict[str, Any]]:
    """One for each instance and declaration, as the module ``credentials`` takes them."""
    for service in SERVICES:
        for host in hosts(inventory, service):
            for one in service.certificates:
                if given(inventory, one.where):
                    yield _shown(inventory, host, service, one)


def _shown(inventory: Inventory, host: str, service: Service, one: Certificate) -> dict[str, Any]:
    reached = [name for word in one.reached for name in _reached(inventory, host, service, word)]
    return declared(
        filled(inventory, host, one.name),
        filled(inventory, host, one.subject),
        reached,
        one.usages,
        one.authority,
    )


def _reached(inventory: Inventory, host: str, service: Service, word: str) -> list[str]:
    if word != LISTENERS:
        return [filled(inventory, host, word)]
    listeners = inventory.need(host, service.ports[0])
    return [way for at in listeners.values() for way in (at["advertise"], at["bind"])]
