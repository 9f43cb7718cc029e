# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What was found on a machine, by the names that the checks read."""

from __future__ import annotations

from typing import Any, Required, TypedDict


class System(TypedDict):
    """Lines of os-release: ``id`` such as debian, ``version`` such as 12, ``name`` for people."""

    id: str
    version: str
    name: str


class Place(TypedDict, total=False):
    """Where a path (or its nearest existing parent) lies; ``system``: with /. Sizes in bytes.

    ``kind`` is that of the file system, ``disk`` the whole disk under it; ``inodes`` is 0 where
    the file system does not count them.
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
    """A listening TCP socket; an unknown owner has no process, only containers have the rest."""

    address: str
    port: int
    process: str | None
    container: str | None
    cluster: str | None


class Lookup(TypedDict):
    """Where a name leads on one machine, and whether the name of that address leads back."""

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
    """Ports that the kernel gives to outgoing connections, but for the ``reserved`` ranges."""

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
    """Most open files the engine may give, processes, memory maps of one, bytes of swap."""

    open_files: int
    processes: int
    map_count: int
    swap: int


class Clock(TypedDict):
    """Seconds since 1970, and whether the kernel knows that somebody keeps it in step."""

    time: float
    synchronised: bool | None


class Answer(TypedDict, total=False):
    """What a connection to an endpoint met (``state``), or why it was not bound (``reason``)."""

    address: Required[str]
    port: Required[int]
    state: str
    reason: str


class Facts(TypedDict, total=False):
    """What metal.kafka.machine_info found on a machine; a key is missing when it found nothing.

    ``silence`` says why the engine does not answer, empty where it does.
    ``asked`` is the control node's time before and after; ``answers``, ``opened`` and ``unbound``
    are what metal.kafka.port_probe returned.
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
    silence: str
    limits: Limits
    cgroup: dict[str, Any]
    protections: dict[str, Any]
    clock: Clock
    asked: dict[str, float]
    answers: list[Answer]
    opened: list[Answer]
    unbound: list[Answer]
