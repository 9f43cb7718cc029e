# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Connections between services, as the catalogue requires them."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .._catalogue import SERVICES
from .._catalogue.kinds import ClientGroup, Service
from .._declarations.inventory_values import whole_number
from . import machines
from .instances import fill_template
from .inventory import Inventory
from .site_instances import service_hosts
from .site_model import Site

ANYWHERE = frozenset({"0.0.0.0", "::", "*", ""})


@dataclass(frozen=True)
class Connection:
    """A connection from ``client`` to ``address``:``port`` of ``server``, which binds ``bind``.

    The machines are those of the two hosts; ``where`` is the variable of the port, ``service`` the
    kind of the server.
    """

    client: str
    client_machine: str
    server: str
    server_machine: str
    where: str
    address: str
    bind: str
    port: int
    purpose: str
    service: Service


def connections(site: Site) -> list[Connection]:
    """All connections that the declared services need; malformed endpoints are left out."""
    found: list[Connection] = site.once("connections", lambda: list(_connections(site)))
    return found


def remote_connections(site: Site) -> list[Connection]:
    """Connections between different machines."""
    found: list[Connection] = site.once(
        "remote connections",
        lambda: [c for c in connections(site) if c.client_machine != c.server_machine],
    )
    return found


def _connections(site: Site, clients: Container[str] | None = None) -> Iterator[Connection]:
    """Yield all connections, or those of some clients: a hundred hosts have 30,000."""
    for service in SERVICES:
        for server in service_hosts(site, service):
            for group in service.clients:
                members = site.members(group.group)
                if clients is not None:
                    members = [each for each in members if each in clients]
                at = _endpoint(site, server, service, group) if members else None
                if at is None:
                    continue
                where, address, bind, port = at
                for client in members:
                    if client != server or group.group != service.group:
                        yield Connection(
                            client,
                            site.machine(client),
                            server,
                            site.machine(server),
                            where,
                            address,
                            bind,
                            port,
                            group.purpose,
                            service,
                        )


def _endpoint(
    site: Site, server: str, service: Service, clients: ClientGroup
) -> tuple[str, str, str, int] | None:
    """Variable, advertised address, bound address and port to which these clients connect."""
    value, where = site.value(server, clients.port), clients.port
    if clients.listener:
        name = str(site.value(server, clients.listener, ""))
        at: Any = value.get(name) if isinstance(value, Mapping) else None
        if not isinstance(at, Mapping):
            return None
        where = f"{where}.{name}.port"
        address, bind, value = at.get("advertise"), at.get("bind"), at.get("port")
    else:
        address = str(site.value(server, service.address, "")) if service.address else None
        # Clients use the hostname of a service that binds every address; it is not declared.
        if address in ANYWHERE:
            return None
        bind = site.value(server, service.bind) if service.bind else None
    port = whole_number(value)
    if not address or port is None or not 1 <= port <= 65535:
        return None
    return where, str(address), str(bind or "0.0.0.0"), port


def of_machine(inventory: Inventory, machine: str) -> list[dict[str, Any]]:
    """Endpoints on other machines that services of a machine need.

    Each with ``instance``, ``machine``, ``address`` and ``port``.
    """
    clients = {host for host in inventory.hosts if machines.machine(inventory, host) == machine}
    found = {
        (each.address, each.port): {
            "instance": fill_template(inventory, each.server, each.service.instance),
            "machine": machines.machine(inventory, each.server),
            "address": each.address,
            "port": each.port,
        }
        for each in _connections(Site(inventory.hosts, inventory.groups, {}), clients)
    }
    return [each for each in found.values() if each["machine"] != machine]
