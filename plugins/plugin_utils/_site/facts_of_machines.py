# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Types of the facts of a machine, as the checks read them."""

from __future__ import annotations

from typing import Any, Required, TypedDict


class System(TypedDict):
    """From os-release: ``id`` such as debian, ``version`` such as 12, ``name`` for display."""

    id: str
    version: str
    name: str


class Place(TypedDict, total=False):
    """File system of a path (or of its nearest existing parent). Sizes in bytes.

    ``system``: it is on the disk of /. ``kind`` is the type of the file system, ``disk`` the whole
    disk; ``inodes`` is 0 if the file system creates inodes on demand.
    """

    mount: Required[str]
    device: Required[str]
    system: Required[bool]
    free: Required[int]
    total: int
    kind: str
    options: list[str]
    read_only: bool
    disk: str
    inodes: int
    free_inodes: int


class Listener(TypedDict):
    """A listening TCP socket; ``process`` is None if unknown, the rest if it is no container's."""

    address: str
    port: int
    process: str | None
    container: str | None
    cluster: str | None


class Lookup(TypedDict):
    """Addresses of a name on one machine, and the result of the reverse lookup."""

    addresses: list[str]
    reverse: str | None
    confirmed: bool


class Interface(TypedDict):
    """A network interface with an address."""

    name: str
    mac: str
    mtu: int
    address: str


class Ephemeral(TypedDict):
    """Ports that the kernel uses for outgoing connections, except the ``reserved`` ranges."""

    first: int
    last: int
    reserved: list[list[int]]


class Engine(TypedDict):
    """The container engine; ``protections`` are its security options by name."""

    version: str
    api: str
    driver: str
    root: str
    live_restore: bool
    memory_limit: bool
    protections: list[str]


class Limits(TypedDict):
    """Open files of the engine, processes, memory maps of a process, and swap in bytes."""

    open_files: int
    processes: int
    map_count: int
    swap: int


class Clock(TypedDict):
    """Seconds since 1970, and whether the kernel reports the clock as synchronised."""

    time: float
    synchronised: bool | None


class EndpointResult(TypedDict, total=False):
    """Result of a connection to an endpoint (``state``), or of binding it (``reason``)."""

    address: Required[str]
    port: Required[int]
    state: str
    reason: str


class Facts(TypedDict, total=False):
    """Facts of a machine from metal.kafka.machine_info; a key is missing if it is unknown.

    ``engine_error`` is the reason why the engine does not respond, empty if it does.
    ``applied`` has by path an applied state (state), or why it is unreadable (error);
    ``instances`` names of instances with a container, by kind of service. ``control_node_time`` is
    the control node's time before and after; ``connections``, ``opened`` and ``unbound`` are
    results of metal.kafka.port_probe.
    """

    system: System
    architecture: str
    python: str
    kernel: str
    memory: int
    identity: dict[str, str]
    addresses: list[str]
    interfaces: list[Interface]
    ephemeral: Ephemeral
    names: dict[str, Lookup | None]
    paths: dict[str, Place]
    listeners: list[Listener]
    engine: Engine | None
    engine_error: str
    limits: Limits
    cgroup: dict[str, Any]
    protections: dict[str, Any]
    clock: Clock
    control_node_time: dict[str, float]
    applied: dict[str, dict[str, Any]]
    instances: dict[str, list[str]]
    connections: list[EndpointResult]
    opened: list[EndpointResult]
    unbound: list[EndpointResult]
