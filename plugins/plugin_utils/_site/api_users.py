# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Users of the APIs of services, as the catalogue declares them; no secrets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .._catalogue import SERVICES
from .._catalogue.kinds import Service
from .._security.certificate_names import api_password
from . import security
from .instances import hosts
from .inventory import Inventory


def _declared(inventory: Inventory) -> Iterator[tuple[Service, str]]:
    """Yield each user of each API; the first instance's variables declare the site's."""
    for service in SERVICES:
        for host in hosts(inventory, service)[:1]:
            for users in service.api_users:
                for name in (*inventory.get(host, users.declared, {}), *users.platform):
                    yield service, str(name)


def passwords(inventory: Inventory) -> list[str]:
    """Names of the passwords of all users of APIs in the store."""
    if not security.tls(inventory):
        return []
    return [api_password(service.kind, name) for service, name in _declared(inventory)]


def roles_by_user(inventory: Inventory) -> Mapping[str, list[str]]:
    """Roles of the services whose API each user may use, by user."""
    found: dict[str, list[str]] = {}
    for service, name in _declared(inventory):
        found.setdefault(name, []).append(service.role)
    return found
