# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Facts of monitoring: its hosts, metrics proxies, Alertmanager peers, and scraped services."""

from __future__ import annotations

from typing import Any

from .._security.security_modes import find_mode
from . import machines, security, spark
from .inventory import Inventory

GROUP = "monitoring"
WEB_PASSWORD = "monitoring-web"


def hosts(inventory: Inventory) -> list[str]:
    """Hosts with Prometheus and Alertmanager."""
    return list(inventory.members(GROUP))


def proxied(inventory: Inventory) -> bool:
    """Whether agents and exporters bind loopback, with a metrics proxy on each machine.

    True with TLS and several machines, unless the site secures Prometheus itself or declares
    monitoring_proxied.
    """
    declared = inventory.site_value("monitoring_proxied")
    if declared is not None:
        return bool(declared)
    return bool(
        len(machines.names(inventory)) > 1
        and hosts(inventory)
        and not inventory.site_value("monitoring_web")
        and security.tls(inventory)
    )


def proxies(inventory: Inventory) -> dict[str, str]:
    """host:port of the metrics proxy, by machine."""
    if not proxied(inventory):
        return {}
    return {
        machines.machine(inventory, host): _at(inventory, host, "monitoring_proxy_port")
        for host in machines.names(inventory)
    }


def alertmanager_peers(inventory: Inventory) -> list[str]:
    """host:port of the Alertmanager peers; none with proxies, which do not expose that port."""
    if proxied(inventory):
        return []
    port = "monitoring_alertmanager_peer_port"
    return [_at(inventory, host, port) for host in hosts(inventory)]


def web_password_names(inventory: Inventory) -> list[str]:
    """Name of the password of Prometheus and Alertmanager, if one of them requires it."""
    required = any(web_authentication(inventory, host) for host in hosts(inventory))
    return [WEB_PASSWORD] if required else []


def prometheus_endpoint(inventory: Inventory, host: str) -> str:
    """host:port of Prometheus for processes on its own host."""
    bind = str(inventory.need(host, "monitoring_bind")).replace("0.0.0.0", "127.0.0.1")
    return f"{bind}:{inventory.need(host, 'monitoring_prometheus_port')}"


def web_authentication(inventory: Inventory, host: str) -> bool:
    """Whether Prometheus and Alertmanager of a host require the operator's password."""
    return (
        security.secured(inventory)
        and not inventory.get(host, "monitoring_web")
        and not _true(inventory.get(host, "monitoring_web_open", False))
    )


def _true(value: Any) -> bool:
    return value if isinstance(value, bool) else str(value).lower() in ("yes", "true", "1", "on")


def ca_file(inventory: Inventory) -> str:
    """File in the container with the trusted CAs; empty while service accounts do not use TLS."""
    return "/etc/watch/ca.pem" if find_mode(security.service_account_mode(inventory)).tls else ""


def spark_master_endpoints(inventory: Inventory) -> dict[str, str]:
    """host:port of each master's web page, by name."""
    return {each["name"]: f"{each['host']}:{each['ui_port']}" for each in spark.masters(inventory)}


def spark_worker_endpoints(inventory: Inventory) -> dict[str, str]:
    """host:port of each worker's web page, by name."""
    return {each["name"]: f"{each['host']}:{each['ui_port']}" for each in spark.workers(inventory)}


def disk_mounts(inventory: Inventory, host: str) -> list[str]:
    """Mount points of a machine's data disks."""
    return [disk["mount"] for disk in inventory.get(host, "host_disks", [])]


def textfile_dir(inventory: Inventory, host: str) -> str:
    """Directory of the node exporter's text files, for maintenance markers; empty without it."""
    return str(inventory.need(host, "monitoring_textfile_dir")) if hosts(inventory) else ""


def _at(inventory: Inventory, host: str, port: str) -> str:
    """host:port for other machines."""
    return f"{inventory.need(host, 'monitoring_address')}:{inventory.need(host, port)}"
