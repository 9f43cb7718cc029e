# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Certificates of the instances of services, as the catalogue declares them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._catalogue import SERVICES
from .._catalogue.kinds import Certificate, Service
from .._security.certificate_names import certificate_option
from .instances import condition_met, fill_template, hosts
from .inventory import Inventory

# Placeholder in ``subject_alt_names`` for the addresses that listeners advertise and bind.
LISTENERS = "listeners"


def service_certificates(inventory: Inventory) -> Iterator[dict[str, Any]]:
    """Yield one certificate for each instance and declaration, for the module ``credentials``."""
    for service in SERVICES:
        for host in hosts(inventory, service):
            for one in service.certificates:
                if condition_met(inventory, one.when):
                    yield _declared(inventory, host, service, one)


def _declared(
    inventory: Inventory, host: str, service: Service, one: Certificate
) -> dict[str, Any]:
    names = [
        name
        for each in one.subject_alt_names
        for name in _alt_names(inventory, host, service, each)
    ]
    return certificate_option(
        fill_template(inventory, host, one.name),
        fill_template(inventory, host, one.subject),
        names,
        one.usages,
        one.authority,
    )


def _alt_names(inventory: Inventory, host: str, service: Service, template: str) -> list[str]:
    if template != LISTENERS:
        return [fill_template(inventory, host, template)]
    listeners = inventory.need(host, service.ports[0])
    return [address for at in listeners.values() for address in (at["advertise"], at["bind"])]
