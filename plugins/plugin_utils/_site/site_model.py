# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The inventory as the checks see it: hosts, groups, machines and what was found on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Required, TypedDict

from .._declarations.problem import Problem
from .inventory import Unreadable


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


@dataclass(frozen=True)
class Role:
    """What a role lets the operator set: options of its argument_specs by variable."""

    name: str
    options: Mapping[str, Mapping[str, Any]]


# Variables of the site as a whole, which no role owns, with what they are for.
SITE_VARIABLES: Mapping[str, str] = {
    "cluster_name": "first part of every container's name, label and data path",
    "kafka_metal_state": "directory on the control node for the store of keys, answers and reports",
    "port_offset": "added to every port",
    "kafka_metadata_mode": "where brokers keep their metadata",
    "security_mode": "how the cluster is closed",
    "security_store": "encrypted file of the control node with keys and passwords",
    "security_password_file": "file of the control node with the password of that store",
    "security_super_users": "principals that no ACL binds, beside brokers and the operator",
    "security_warn_days": "days before the end of a certificate at which the status complains",
    "monitoring_proxied": "figures leave machines through a proxy each",
    "security_closing": "how far a cluster that runs is closed",
    "monitoring_web_open": "Prometheus and Alertmanager of a secured cluster ask for no password",
    "security_door_step": "ports between a listener and the door beside it",
    "security_ensemble_trust": "CA that servers of the ensemble trust, and who owns its nodes",
    "shared_storage": "where checkpoints, archives and the logs of applications of Spark lie",
    "images_registry": "prefix of every image",
    "image_versions": "versions of images that the site wants instead of those in versions.yml",
    "metal_allow_root_disk": "data may lie on the disk of the operating system",
    "preflight_memory_reserve": "memory of a machine that services leave to the system",
    "preflight_free_engine": "free space the container engine needs for images",
    "preflight_free_data": "free space a data directory needs",
    "preflight_free_inodes": "files that a data directory must still have room for",
    "preflight_clock_offset": "seconds that clocks of machines may differ",
    "preflight_known_variables": "variables of the site that look like ours and are not",
    "metal_preflight_accept": "names of checks whose problems are accepted knowingly",
}


@dataclass(frozen=True)
class Site:
    """Hosts with their variables (role defaults included), groups, roles and facts of machines.

    A host's mapping may template on access and raise Unreadable; ``facts`` has one entry per
    machine that answered, by its inventory name.
    """

    hosts: Mapping[str, Mapping[str, Any]]
    groups: Mapping[str, Sequence[str]]
    facts: Mapping[str, Facts]
    roles: Mapping[str, Role] = field(default_factory=dict)
    unreadable: dict[tuple[str, str], str] = field(default_factory=dict)
    _known: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """What ``make`` returns, made once for all checks of a site."""
        if name not in self._known:
            self._known[name] = make()
        return self._known[name]

    def members(self, group: str) -> list[str]:
        """Hosts of a group; none when there is no such group."""
        return [host for host in self.groups.get(group, ()) if host in self.hosts]

    def value(self, host: str, name: str, default: Any = None) -> Any:
        """A variable of a host; ``default`` when it is not set or cannot be templated."""
        try:
            found = self.hosts[host].get(name)
        except Unreadable as error:
            self.unreadable.setdefault((host, name), str(error))
            return default
        return default if found is None else found

    def values(self, hosts: Iterable[str], name: str) -> Iterator[tuple[str, Any]]:
        """Host and value, for each host that sets ``name``."""
        for host in hosts:
            found = self.value(host, name)
            if found is not None:
                yield host, found

    def place(self, machine: str, path: str) -> Place | None:
        """Where a path lies on a machine; None where it does not tell, or tells too early.

        Before role host has mounted a declared disk, its mount point lies on another.
        """
        found = self.facts.get(machine, {}).get("paths", {}).get(path)
        if found is None:
            return None
        for mount in self._declared_mounts(machine):
            if f"{path}/".startswith(f"{mount}/") and not f"{found['mount']}/".startswith(
                f"{mount}/"
            ):
                return None
        return found

    def _declared_mounts(self, machine: str) -> list[str]:
        disks = self.value(machine, "host_disks", []) if machine in self.hosts else []
        if not isinstance(disks, Sequence):
            return []
        mounts = (disk.get("mount") for disk in disks if isinstance(disk, Mapping))
        return [str(mount).rstrip("/") for mount in mounts if mount]

    def machine(self, host: str) -> str:
        """The machine an inventory host runs on: its name in group metal, else its address.

        Instances share a machine when they have the same address, or one that the machine
        itself reports; everything with a local connection is on the control node.
        """
        return str(self.once(f"machine of {host}", lambda: self._machine(host)))

    def _machine(self, host: str) -> str:
        place = self._place(host)
        for metal in self.members("metal"):
            if host == metal or place == self._place(metal):
                return metal
            if place in self.facts.get(metal, {}).get("addresses", ()):
                return metal
        return place

    def _place(self, host: str) -> str:
        if self.value(host, "ansible_connection") == "local":
            return "the control node"
        address = str(self.value(host, "ansible_host", host))
        port = self.value(host, "ansible_port", 22)
        return address if str(port) == "22" else f"{address} port {port}"


Check = Callable[[Site], Iterable[Problem]]
