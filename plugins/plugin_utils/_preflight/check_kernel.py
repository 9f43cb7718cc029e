# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The kernel's version, and its limits compared with the needs of the declared services."""

from __future__ import annotations

from collections.abc import Iterator

from ...module_utils._common.units import size_text
from .._declarations.inventory_values import whole_number
from .._declarations.problem import Problem, advice, join_names
from .._site.kafka import KAFKA
from .._site.services import entries, sockets
from .._site.site_instances import instances
from .._site.site_model import Site
from .check_engine import version_numbers
from .check_topics import declared_topics

# The oldest long-term kernel of the supported systems and of their previous releases.
OLDEST_KERNEL = (5, 10)
# Threads that one JVM with many connections may have.
THREADS = 2_000
SYSTEM_THREADS = 4_000
# Memory maps of a segment (two index files), and typical segments of a partition.
MAPS_OF_SEGMENT, SEGMENTS = 2, 10


def kernel(site: Site) -> Iterator[Problem]:
    """The kernel is still maintained."""
    for machine, facts in site.facts.items():
        found = facts.get("kernel", "")
        if found and version_numbers(found) < OLDEST_KERNEL:
            oldest = ".".join(map(str, OLDEST_KERNEL))
            yield Problem(machine, "kernel", found, f"{oldest} or newer")


def open_files(site: Site) -> Iterator[Problem]:
    """The engine allows the declared number of open files."""
    for host, service in instances(site):
        limits = site.facts.get(site.machine(host), {}).get("limits")
        wanted = whole_number(site.value(host, service.open_files, 0)) if service.open_files else 0
        if limits and wanted and wanted > limits["open_files"]:
            yield Problem(
                host,
                str(service.open_files),
                f"{wanted}, more than the engine on {site.machine(host)} allows: "
                f"{limits['open_files']}",
                f"at most {limits['open_files']}, a higher fs.nr_open or LimitNOFILE of the "
                "engine, or 0 for the engine's own limit",
            )


def processes(site: Site) -> Iterator[Problem]:
    """The kernel allows enough threads for all JVMs."""
    count: dict[str, int] = {}
    for host, service in instances(site):
        # ``each``: one driver per pipeline. Services without a JVM have few threads.
        if service.heap or service.processes:
            machine = site.machine(host)
            own = len(entries(site, host, service.processes)) if service.processes else 1
            count[machine] = count.get(machine, 0) + own
    for machine, number in count.items():
        limits = site.facts.get(machine, {}).get("limits")
        least = SYSTEM_THREADS + THREADS * number
        if limits and limits["processes"] < least:
            yield advice(
                machine,
                "kernel.pid_max and threads-max",
                f"{limits['processes']} threads for {number} JVMs",
                f"at least {least}",
            )


def map_count(site: Site) -> Iterator[Problem]:
    """vm.max_map_count is enough for the indexes of all declared partitions."""
    brokers = site.members(KAFKA.group)
    need = _partitions(site) // max(1, len(brokers)) * MAPS_OF_SEGMENT * SEGMENTS
    for host in brokers:
        limits = site.facts.get(site.machine(host), {}).get("limits")
        if limits and limits["map_count"] < need:
            yield advice(
                site.machine(host),
                "vm.max_map_count",
                f"{limits['map_count']} memory maps",
                f"at least {need}: {need // MAPS_OF_SEGMENT // SEGMENTS} partitions on {host}, "
                f"about {SEGMENTS} segments each, {MAPS_OF_SEGMENT} maps per segment",
            )


def _partitions(site: Site) -> int:
    """Number of replicas of all declared partitions; malformed topics are left out."""
    return sum(
        spec.get("partitions", 1) * spec.get("replication_factor", 1)
        for spec in declared_topics(site).values()
    )


def swap(site: Site) -> Iterator[Problem]:
    """Machines with brokers have no swap, which would lengthen garbage collection pauses."""
    for machine in dict.fromkeys(site.machine(host) for host in site.members(KAFKA.group)):
        size = site.facts.get(machine, {}).get("limits", {"swap": 0})["swap"]
        if size:
            yield advice(
                machine,
                "/proc/swaps",
                f"{size_text(size)} of swap",
                "none: pauses for swapping let a broker's session expire",
            )


def ephemeral_ports(site: Site) -> Iterator[Problem]:
    """No port of a service is in the kernel's range for outgoing connections."""
    for host, service in instances(site):
        found = site.facts.get(site.machine(host), {}).get("ephemeral")
        if not found:
            continue
        ports = {
            str(socket.port)
            for socket in sockets(site, host, service)
            if found["first"] <= socket.port <= found["last"]
            and not any(low <= socket.port <= high for low, high in found["reserved"])
        }
        if ports:
            yield advice(
                host,
                "net.ipv4.ip_local_port_range",
                f"{join_names(ports)} in the range {found['first']} to {found['last']}, which "
                "outgoing connections may take while the service is down",
                f"other ports, or these in net.ipv4.ip_local_reserved_ports of "
                f"{site.machine(host)}",
            )
