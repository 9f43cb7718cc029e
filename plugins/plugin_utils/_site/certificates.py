# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Certificates of the instances of services, as the catalogue declares them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._catalogue import SERVICES
from .._catalogue.kinds import Certificate, Service
from .._security.certificate_names import certificate_option
from .instances import fill_template, hosts, is_fact_true
from .inventory import Inventory

# Placeholder in ``reached`` for the addresses that listeners advertise and bind.
LISTENERS = "listeners"


def service_certificates(inventory: Inventory) -> Iterator[dict[str, Any]]:
    """Yield one certificate for each instance and declaration, for the module ``credentials``."""
    for service in SERVICES:
        for host in hosts(inventory, service):
            for one in service.certificates:
                if is_fact_true(inventory, one.where):
                    yield _declared(inventory, host, service, one)


def _declared(
    inventory: Inventory, host: str, service: Service, one: Certificate
) -> dict[str, Any]:
    reached = [name for each in one.reached for name in _reached(inventory, host, service, each)]
    return certificate_option(
        fill_template(inventory, host, one.name),
        fill_template(inventory, host, one.subject),
        reached,
        one.usages,
        one.authority,
    )


def _reached(inventory: Inventory, host: str, service: Service, template: str) -> list[str]:
    if template != LISTENERS:
        return [fill_template(inventory, host, template)]
    listeners = inventory.need(host, service.ports[0])
    return [address for at in listeners.values() for address in (at["advertise"], at["bind"])]
