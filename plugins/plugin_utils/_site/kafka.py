# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Facts of the brokers that clients and other brokers need."""

from __future__ import annotations

from typing import Any

from .._catalogue import SERVICES, service
from .._catalogue.kinds import Service
from .._security import tls_migration, zookeeper_tls_migration
from .._security.broker_security import broker_properties
from .._security.security_modes import find_mode
from . import instances, machines, security, zookeeper, zookeeper_sessions
from .inventory import Inventory

KAFKA = service("kafka")
GROUP = KAFKA.group
LISTENERS = "kafka_broker_listeners"
SESSION_MS = 18_000
# Key of server.properties with the inter-broker protocol version, by metadata mode.
PROTOCOL_KEYS = {zookeeper.MODE: "inter.broker.protocol.version"}


def brokers(inventory: Inventory) -> list[dict[str, Any]]:
    """Id and listeners of each broker."""
    return inventory.records(GROUP, {"id": "kafka_broker_id", "listeners": LISTENERS})


def ids(inventory: Inventory) -> list[int]:
    """Ids of all brokers."""
    return [each["id"] for each in brokers(inventory)]


def hosts(inventory: Inventory) -> list[str]:
    """Hosts of the inventory that are brokers."""
    return list(inventory.members(GROUP))


def advertised_names(inventory: Inventory) -> list[str]:
    """Names or addresses that brokers advertise, each once."""
    found = [at["advertise"] for each in brokers(inventory) for at in each["listeners"].values()]
    return list(dict.fromkeys(found))


def client_listener(inventory: Inventory) -> str:
    """Name of the listener for clients."""
    return str(inventory.site_value("kafka_broker_client_listener", GROUP))


def inter_broker_listener(inventory: Inventory) -> str:
    """Name of the inter-broker listener."""
    return str(inventory.site_value("kafka_broker_inter_broker_listener", GROUP))


def listener_addresses(inventory: Inventory, listener: str) -> list[str]:
    """host:port of a listener on each broker."""
    first = listener.removesuffix(tls_migration.SUFFIX)
    offset = 0 if first == listener else security.migration_port_offset(inventory)
    at = [broker["listeners"][first] for broker in brokers(inventory)]
    return [f"{each['advertise']}:{int(each['port']) + offset}" for each in at]


def bootstrap(inventory: Inventory) -> list[str]:
    """Bootstrap servers of service accounts."""
    phase, listener = security.phase(inventory), client_listener(inventory)
    return listener_addresses(inventory, tls_migration.client_listener(phase, listener))


def authenticated_bootstrap(inventory: Inventory) -> list[str]:
    """Bootstrap servers at which passwords can be checked."""
    if tls_migration.PHASES[security.phase(inventory)].authenticates:
        return bootstrap(inventory)
    return listener_addresses(inventory, f"{client_listener(inventory)}{tls_migration.SUFFIX}")


def operator_bootstrap(inventory: Inventory) -> list[str]:
    """Bootstrap servers of modules, which use the inter-broker listener as the operator."""
    if not security.secured(inventory):
        return bootstrap(inventory)
    listeners = client_listener(inventory), inter_broker_listener(inventory)
    phase = security.phase(inventory)
    return listener_addresses(inventory, tls_migration.operator_listener(phase, *listeners))


def tls_endpoints(inventory: Inventory) -> list[dict[str, Any]]:
    """Host and port of each listener with TLS."""
    phase, offset = security.phase(inventory), security.migration_port_offset(inventory)
    found: list[dict[str, Any]] = []
    both = client_listener(inventory), inter_broker_listener(inventory)
    for broker in brokers(inventory):
        first = broker["listeners"]
        every = {**first, **tls_migration.secured_listeners(first, phase, offset)}
        protocol = tls_migration.protocols(security.mode(inventory), phase, first, *both)
        found += [
            {"host": at["advertise"], "port": int(at["port"])}
            for name, at in every.items()
            if protocol[name].endswith("SSL")
        ]
    return found


def tls_addresses(inventory: Inventory) -> list[str]:
    """host:port of each listener with TLS; empty while service accounts do not use TLS."""
    if not find_mode(security.service_account_mode(inventory)).tls:
        return []
    return [f"{at['host']}:{at['port']}" for at in tls_endpoints(inventory)]


def metadata_properties(inventory: Inventory) -> dict[str, Any]:
    """Keys of server.properties for the connection to the metadata service."""
    limit = zookeeper_sessions.max_session_timeout(inventory)
    mode, phase = security.mode(inventory), security.phase(inventory)
    return {
        "zookeeper.connect": ",".join(zookeeper.endpoints(inventory)),
        "zookeeper.connection.timeout.ms": 30_000,
        "zookeeper.session.timeout.ms": min(SESSION_MS, limit),
        **zookeeper_tls_migration.client_properties(mode, phase),
    }


def protocol_version_key(inventory: Inventory) -> str:
    """Key of server.properties with the inter-broker protocol version, or an empty text."""
    return PROTOCOL_KEYS.get(str(inventory.site_value("kafka_metadata_mode") or zookeeper.MODE), "")


def secured_listeners(inventory: Inventory, host: str) -> dict[str, Any]:
    """Secured listeners of a broker that the TLS migration adds."""
    listeners = inventory.need(host, LISTENERS)
    offset = security.migration_port_offset(inventory)
    return tls_migration.secured_listeners(listeners, security.phase(inventory), offset)


def current_inter_broker_listener(inventory: Inventory) -> str:
    """Name of the inter-broker listener in the current phase."""
    return tls_migration.inter_broker_listener(
        security.phase(inventory), inter_broker_listener(inventory)
    )


def protocols(inventory: Inventory, host: str) -> dict[str, str]:
    """Kafka's protocol of each listener of a broker."""
    both = client_listener(inventory), inter_broker_listener(inventory)
    listeners = list(inventory.need(host, LISTENERS))
    mode, phase = security.mode(inventory), security.phase(inventory)
    return tls_migration.protocols(mode, phase, listeners, *both)


def security_properties(inventory: Inventory, host: str) -> dict[str, Any]:
    """Keys of server.properties that secure a broker."""
    declared = inventory.site_value("security_super_users")
    users = tls_migration.further_super_users(security.phase(inventory), declared)
    of_listeners = inventory.get(host, "kafka_broker_protocols_of_listeners")
    return broker_properties(security.mode(inventory), of_listeners, ids(inventory), users)


def other_services_paths(inventory: Inventory, host: str) -> list[str]:
    """Directories of other services and brokers on the machine of a broker with data disks."""
    if not inventory.get(host, "host_disks"):
        return []
    found = [
        path
        for service in SERVICES
        if service != KAFKA
        for path in _paths(inventory, host, service)
    ]
    machine = machines.machine(inventory, host)
    for other in inventory.members(GROUP):
        if other != host and machines.machine(inventory, other) == machine:
            found += inventory.need(other, "kafka_broker_log_dirs")
    return list(dict.fromkeys(found))


def _paths(inventory: Inventory, host: str, service: Service) -> list[str]:
    """Directories of a service on a host; none if the host has no instance of it."""
    if host not in instances.hosts(inventory, service):
        return []
    names = (*service.directories, f"{service.role}_shared_dir")
    return [path for name in names if (path := inventory.get(host, name))]
