# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What monitoring knows of others; through which proxies Prometheus reads, and whom it tells."""

from __future__ import annotations

from .._security.security_modes import mode_of
from . import machines, security, spark
from .inventory import Inventory

GROUP = "monitoring"


def watching(inventory: Inventory) -> list[str]:
    """Hosts with Prometheus and Alertmanager."""
    return list(inventory.members(GROUP))


def proxied(inventory: Inventory) -> bool:
    """Whether agents and exporters bind loopback, and a proxy of each machine shows them.

    So it is where machines have certificates and there are several, unless the site closes
    Prometheus itself, or says otherwise.
    """
    said = inventory.site_value("monitoring_proxied")
    if said is not None:
        return bool(said)
    return bool(
        len(machines.names(inventory)) > 1
        and watching(inventory)
        and not inventory.site_value("monitoring_web")
        and mode_of(security.mode(inventory)).tls
    )


def proxies(inventory: Inventory) -> dict[str, str]:
    """host:port of the proxy by machine."""
    if not proxied(inventory):
        return {}
    return {
        machines.machine(inventory, host): _at(inventory, host, "monitoring_proxy_port")
        for host in machines.names(inventory)
    }


def alertmanager_peers(inventory: Inventory) -> list[str]:
    """host:port of Alertmanagers for each other; none behind proxies, where nobody gets in."""
    if proxied(inventory):
        return []
    port = "monitoring_alertmanager_peer_port"
    return [_at(inventory, host, port) for host in watching(inventory)]


def ca_file(inventory: Inventory) -> str:
    """File in the container with whom it trusts, where programs of the platform use TLS."""
    return "/etc/watch/ca.pem" if mode_of(security.own_mode(inventory)).tls else ""


def spark_masters(inventory: Inventory) -> dict[str, str]:
    """host:port of the page of each master."""
    return {each["name"]: f"{each['host']}:{each['ui_port']}" for each in spark.masters(inventory)}


def spark_workers(inventory: Inventory) -> int:
    """How many workers there should be."""
    return len(inventory.members(spark.WORKERS))


def disk_mounts(inventory: Inventory, host: str) -> list[str]:
    """Data disks of a machine."""
    return [disk["mount"] for disk in inventory.get(host, "host_disks", [])]


def textfile_dir(inventory: Inventory, host: str) -> str:
    """Where verbs mark a cluster that they work on, for the node exporter; empty without one."""
    return str(inventory.need(host, "monitoring_textfile_dir")) if watching(inventory) else ""


def _at(inventory: Inventory, host: str, port: str) -> str:
    """host:port from outside."""
    return f"{inventory.need(host, 'monitoring_address')}:{inventory.need(host, port)}"
