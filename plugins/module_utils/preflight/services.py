# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Which variables of a service hold its number, ports, directories and memory: a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .site import Site
from .values import memory_bytes, whole_number


@dataclass(frozen=True)
class Service:
    """One kind of service; apart from group and role, its fields are names of variables.

    ``ids`` are the lowest and highest number allowed. ``ports`` name a port each, or listeners by
    name; ``bind`` the address that single ports bind. ``directories`` name a path or a list of
    paths; those also in ``disks`` want a disk of their own.
    """

    group: str
    role: str
    id: str | None = None
    ids: tuple[int, int] = (0, 0)
    bind: str | None = None
    ports: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    disks: tuple[str, ...] = ()
    heap: str | None = None
    memory: str | None = None


@dataclass(frozen=True)
class Socket:
    """A port that an instance will listen on, and the variable that says so."""

    host: str
    where: str
    address: str
    port: int

    def meets(self, address: str, port: int) -> bool:
        """Whether a socket there would keep this one from binding."""
        wild = {"0.0.0.0", "::", "*", ""}
        return self.port == port and (
            self.address == address or self.address in wild or address in wild
        )


# Kafka reserves numbers above 1000 for brokers that number themselves.
KAFKA = Service(
    group="kafka",
    role="kafka_broker",
    id="kafka_broker_id",
    ids=(0, 1000),
    ports=("kafka_broker_listeners",),
    directories=("kafka_broker_log_dirs",),
    disks=("kafka_broker_log_dirs",),
    heap="kafka_broker_heap",
    memory="kafka_broker_memory",
)

SPARK_MASTER = Service(
    group="spark_master",
    role="spark",
    bind="spark_address",
    ports=("spark_master_port", "spark_master_ui_port"),
    directories=("spark_work_dir",),
    heap="spark_daemon_memory",
    memory="spark_memory",
)

SPARK_WORKER = Service(
    group="spark_worker",
    role="spark",
    bind="spark_address",
    ports=("spark_worker_port", "spark_worker_ui_port"),
    directories=("spark_work_dir",),
    heap="spark_worker_memory",
    memory="spark_memory",
)

# Drivers: one port and one heap per pipeline, in alphabetical order of their names.
PIPELINE = Service(
    group="pipeline",
    role="pipeline",
    bind="pipeline_address",
    ports=("pipeline_status_port",),
    directories=("pipeline_work_dir",),
)


def instances(site: Site, services: tuple[Service, ...]) -> Iterator[tuple[str, Service]]:
    """Every host with every service it runs."""
    for service in services:
        for host in site.members(service.group):
            yield host, service


def sockets(site: Site, host: str, service: Service) -> Iterator[Socket]:
    """The ports that one instance will listen on; a port that is no number is left out."""
    address = str(site.value(host, service.bind, "")) if service.bind else ""
    for variable in service.ports:
        value = site.value(host, variable)
        if isinstance(value, Mapping):
            for name, at in value.items():
                if isinstance(at, Mapping) and (port := whole_number(at.get("port"))) is not None:
                    bind = str(at.get("bind") or "")
                    yield Socket(host, f"{variable}.{name}.port", bind, port)
        elif (first := whole_number(value)) is not None:
            count = len(pipelines(site, host)) if service is PIPELINE else 1
            for port in range(first, first + count):
                yield Socket(host, variable, address, port)


def directories(site: Site, host: str, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Variable and path of each directory that the variables ``names`` hold."""
    for variable in names:
        value = site.value(host, variable, [])
        if isinstance(value, str):
            yield variable, value
        elif isinstance(value, Sequence):
            for index, path in enumerate(value):
                yield f"{variable}[{index}]", str(path)


def pipelines(site: Site, host: str) -> Mapping[str, Any]:
    """Declarations of the pipelines a host drives, by name; none when they are malformed."""
    found = site.value(host, "pipeline_pipelines", {})
    return found if isinstance(found, Mapping) else {}


def memory(site: Site, host: str, service: Service) -> Iterator[tuple[str, int]]:
    """Variable and bytes of memory one instance may use: its container's limit, else its heap."""
    if service is PIPELINE:
        extra = whole_number(site.value(host, "pipeline_overhead_mb", 0)) or 0
        for name, declared in pipelines(site, host).items():
            wish = declared.get("resources") if isinstance(declared, Mapping) else None
            heap = wish.get("driver_memory", "1g") if isinstance(wish, Mapping) else "1g"
            where = f"pipeline_pipelines.{name}.resources.driver_memory"
            yield where, (memory_bytes(heap) or 0) + extra * 1024**2
        return
    for variable in (service.memory, service.heap):
        if variable and (count := memory_bytes(site.value(host, variable, ""))):
            yield variable, count
            return
