# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The inventory for the checks: hosts, groups, and machines with their facts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._declarations.problem import Problem
from .facts_of_machines import Facts, Place
from .inventory import UnreadableVariable


@dataclass(frozen=True)
class Role:
    """A role with the options of its argument_specs, by variable."""

    name: str
    options: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Site:
    """Hosts with their variables (role defaults included), groups, roles and facts of machines.

    A host's mapping may evaluate templates on access and raise Unreadable; ``facts`` has one entry
    for each machine that responded, by its inventory name. ``inventory_names`` are the variables of
    each host without defaults of roles.
    """

    hosts: Mapping[str, Mapping[str, Any]]
    groups: Mapping[str, Sequence[str]]
    facts: Mapping[str, Facts]
    roles: Mapping[str, Role] = field(default_factory=dict)
    inventory_names: Mapping[str, Collection[str]] = field(default_factory=dict)
    unreadable: dict[tuple[str, str], str] = field(default_factory=dict)
    _known: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """Return the result of ``make``, which is called once for all checks of a site."""
        if name not in self._known:
            self._known[name] = make()
        return self._known[name]

    def own_names(self, host: str) -> Collection[str]:
        """Names of a host's variables, without defaults of roles."""
        return self.inventory_names.get(host, self.hosts[host])

    def members(self, group: str) -> list[str]:
        """Hosts of a group; none if the group does not exist."""
        return [host for host in self.groups.get(group, ()) if host in self.hosts]

    def value(self, host: str, name: str, default: Any = None) -> Any:
        """A variable of a host; ``default`` if it is not set or its template fails."""
        try:
            found = self.hosts[host].get(name)
        except UnreadableVariable as error:
            self.unreadable.setdefault((host, name), str(error))
            return default
        return default if found is None else found

    def values(self, hosts: Iterable[str], name: str) -> Iterator[tuple[str, Any]]:
        """Yield host and value for each host that sets ``name``."""
        for host in hosts:
            found = self.value(host, name)
            if found is not None:
                yield host, found

    def place(self, machine: str, path: str) -> Place | None:
        """File system of a path on a machine; None if it is unknown or not mounted yet.

        Before the role host mounts a declared disk, its mount point is on another file system.
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
        """Machine of an inventory host: its name in group metal, or else its address.

        Hosts share a machine if they have the same address, or one that the machine reports. Hosts
        with a local connection are on the control node.
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
