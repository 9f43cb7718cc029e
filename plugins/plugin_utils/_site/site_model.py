# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The inventory as the checks see it: hosts, groups, machines and what was found on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._declarations.problem import Problem
from .facts_of_machines import Facts, Place
from .inventory import Unreadable


@dataclass(frozen=True)
class Role:
    """What a role lets the operator set: options of its argument_specs by variable."""

    name: str
    options: Mapping[str, Mapping[str, Any]]


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
