# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What Prometheus reads, and through which proxies; whom it tells."""

from __future__ import annotations

from .._catalogue import SERVICES
from .._catalogue.kinds import Service
from .._security.security_modes import mode_of
from . import machines, security, spark
from .instances import filled
from .inventory import Inventory
from .status_ports import status_ports

GROUP = "monitoring"
PIPELINE = "pipeline"


def watching(inventory: Inventory) -> list[str]:
    """Hosts with Prometheus and Alertmanager."""
    return list(inventory.members(GROUP))


def proxied(inventory: Inventory) -> bool:
    """Whether agents and exporters bind loopback, and a proxy of each machine shows them.

    So it is where machines have certificates and there are several, unless the site closes
    Prometheus itself, or says otherwise.
    """
    said = inventory.said("monitoring_proxied")
    if said is not None:
        return bool(said)
    return bool(
        len(machines.names(inventory)) > 1
        and watching(inventory)
        and not inventory.said("monitoring_web")
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


def of_machines(inventory: Inventory) -> list[str]:
    """What runs on every machine."""
    return ["node_exporter", *(["metrics_proxy"] if proxied(inventory) else [])]


def alertmanagers(inventory: Inventory) -> list[str]:
    """host:port of each Alertmanager, each once."""
    port = "monitoring_alertmanager_port"
    return list(dict.fromkeys(_bound(inventory, host, port) for host in watching(inventory)))


def alertmanager_peers(inventory: Inventory) -> list[str]:
    """The same for Alertmanagers among each other; none behind proxies, where nobody gets in."""
    if proxied(inventory):
        return []
    port = "monitoring_alertmanager_peer_port"
    return [_at(inventory, host, port) for host in watching(inventory)]


def ca_file(inventory: Inventory) -> str:
    """File in the container with whom it trusts, where programs of the platform use TLS."""
    return "/etc/watch/ca.pem" if mode_of(security.own_mode(inventory)).tls else ""


def pipelines(inventory: Inventory) -> dict[str, str]:
    """host:port of the status of each pipeline."""
    (host, *_) = (*inventory.members(PIPELINE), None)
    if host is None:
        return {}
    own = {
        name: int(port) for name, port in inventory.get(host, "pipeline_status_ports", {}).items()
    }
    first = int(inventory.need(host, "pipeline_status_port"))
    ports = status_ports(list(inventory.get(host, "pipeline_pipelines", {})), first, own)
    address = inventory.get(host, "pipeline_address", "")
    return {name: f"{address}:{port}" for name, port in ports.items()}


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


def targets(inventory: Inventory) -> dict[str, list[dict[str, str]]]:
    """By job, one record for each instance; an empty address means that it gives no figures."""
    found: dict[str, list[dict[str, str]]] = {}
    for service in SERVICES:
        if service.job:
            agents = [_agent(inventory, host, service) for host in inventory.members(service.group)]
            found.setdefault(service.job, []).extend(agents)
    found["node"] = [
        _target(inventory, host, machines.machine(inventory, host), "monitoring_node_port")
        for host in machines.names(inventory)
    ]
    for job in ("prometheus", "alertmanager", "probe", "exporter"):
        found[job] = [
            _target(
                inventory,
                host,
                f"{job}@{machines.machine(inventory, host)}",
                f"monitoring_{job}_port",
            )
            for host in watching(inventory)
        ]
    return found


def _agent(inventory: Inventory, host: str, service: Service) -> dict[str, str]:
    """The target of a JVM's agent, on its own machine or where others reach the instance."""
    port = int(inventory.get(host, str(service.agent), 0))
    bound = f"{service.role}_metrics_bind"
    at = inventory.need(host, bound) if proxied(inventory) else _outside(inventory, host, service)
    address = f"{at}:{port}" if port else ""
    return {
        **_labels(inventory, host),
        "instance": filled(inventory, host, service.instance),
        "address": address,
    }


def _outside(inventory: Inventory, host: str, service: Service) -> str:
    if service.listener:
        listeners = inventory.need(host, service.ports[0])
        return str(listeners[inventory.need(host, service.listener)]["advertise"])
    return str(inventory.need(host, str(service.address)))


def _target(inventory: Inventory, host: str, instance: str, port: str) -> dict[str, str]:
    address = _bound(inventory, host, port)
    return {**_labels(inventory, host), "instance": instance, "address": address}


def _labels(inventory: Inventory, host: str) -> dict[str, str]:
    cluster = str(inventory.said("cluster_name"))
    return {"cluster": cluster, "host": machines.machine(inventory, host)}


def _at(inventory: Inventory, host: str, port: str) -> str:
    """host:port from outside."""
    return f"{inventory.need(host, 'monitoring_address')}:{inventory.need(host, port)}"


def _bound(inventory: Inventory, host: str, port: str) -> str:
    """host:port where an agent or exporter is read: by a proxy beside it, or from outside."""
    if not proxied(inventory):
        return _at(inventory, host, port)
    return f"{inventory.need(host, 'monitoring_bind')}:{inventory.need(host, port)}"
