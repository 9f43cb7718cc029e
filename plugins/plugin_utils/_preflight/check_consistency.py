# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What must be the same on all machines, and what must differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .._declarations.problem import Problem, advice, listed
from .._site.facts_of_machines import Facts, Interface
from .._site.site_model import Site
from .check_connectivity import remote_connections
from .check_engine import numbers


def _grouped(site: Site, read: Callable[[Facts], str]) -> dict[str, list[str]]:
    """Machines by what ``read`` gives for them; those for which it gives nothing are left out."""
    found: dict[str, list[str]] = {}
    for machine, facts in site.facts.items():
        if value := read(facts):
            found.setdefault(value, []).append(machine)
    return found


def _dotted(version: str) -> str:
    return ".".join(map(str, numbers(version)))


VERSIONS: dict[str, Callable[[Facts], str]] = {
    "operating system": lambda facts: facts["system"]["name"] if "system" in facts else "",
    "kernel": lambda facts: _dotted(facts.get("kernel", "")),
    "engine": lambda facts: engine["version"] if (engine := facts.get("engine")) else "",
    "Python": lambda facts: _dotted(facts.get("python", "")),
}


def same_versions(site: Site) -> Iterator[Problem]:
    """Operating system, kernel, engine and Python are the same everywhere."""
    for what, read in VERSIONS.items():
        found = _grouped(site, read)
        if len(found) > 1:
            told = "; ".join(f"{value} on {listed(on)}" for value, on in found.items())
            yield advice("metal", what, told, "one version: faults of one machine are hard to find")


def hostnames(site: Site) -> Iterator[Problem]:
    """Every machine has a name of its own."""
    found = _grouped(site, lambda facts: facts.get("identity", {}).get("hostname", ""))
    for name, machines in found.items():
        if len(machines) > 1:
            yield Problem(
                machines[1],
                "hostname",
                f"{name}, which {machines[0]} has too",
                "a name of its own; or is it the same machine under two names of the inventory?",
            )


def machine_ids(site: Site) -> Iterator[Problem]:
    """Every machine has an id of its own, also where it was copied from an image."""
    found = _grouped(site, lambda facts: facts.get("identity", {}).get("machine_id", ""))
    for machines in found.values():
        if len(machines) > 1:
            yield advice(
                listed(machines),
                "/etc/machine-id",
                "the same id, as copies of one image have",
                "an id each (systemd-machine-id-setup): DHCP gives one address to all of them",
            )


def _used_interfaces(site: Site) -> dict[str, Interface]:
    """The interface of each machine by which other machines reach it, where that can be told."""
    found: dict[str, Interface] = {}
    for each in remote_connections(site):
        if each.server_machine in found:
            continue
        lookup = site.facts.get(each.client_machine, {}).get("names", {}).get(each.address)
        addresses = {each.address, *(lookup["addresses"] if lookup else ())}
        for interface in site.facts.get(each.server_machine, {}).get("interfaces", ()):
            if interface["address"] in addresses:
                found[each.server_machine] = interface
    return found


def hardware_addresses(site: Site) -> Iterator[Problem]:
    """No two machines have the hardware address or the IP address of their service network."""
    seen: dict[str, str] = {}
    for machine, interface in _used_interfaces(site).items():
        for what, value in (("hardware", interface["mac"]), ("IP", interface["address"])):
            other = seen.setdefault(f"{what} {value}", machine)
            if other != machine and value.strip("0:"):
                yield Problem(
                    machine,
                    interface["name"],
                    f"the {what} address {value}, which {other} has too",
                    "an address of its own: switches send frames to one of the two",
                )


def mtu(site: Site) -> Iterator[Problem]:
    """All machines send packets of the same size."""
    sizes: dict[int, list[str]] = {}
    for machine, interface in _used_interfaces(site).items():
        sizes.setdefault(interface["mtu"], []).append(f"{machine} ({interface['name']})")
    if len(sizes) > 1:
        told = "; ".join(f"{size} on {listed(on)}" for size, on in sorted(sizes.items()))
        yield advice(
            "metal", "MTU", told, "one size: short requests pass and full fetches hang otherwise"
        )
