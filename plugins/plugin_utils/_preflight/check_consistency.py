# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Values that must be equal on all machines, and values that must be unique."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from .._declarations.problem import Problem, advice, join_names
from .._site.connections import remote_connections
from .._site.facts_of_machines import Facts, Interface
from .._site.site_model import Site
from .check_engine import version_numbers


def _grouped(site: Site, read: Callable[[Facts], str]) -> dict[str, list[str]]:
    """Machines grouped by the value that ``read`` returns; empty values are left out."""
    found: dict[str, list[str]] = {}
    for machine, facts in site.facts.items():
        if value := read(facts):
            found.setdefault(value, []).append(machine)
    return found


def _dotted(version: str) -> str:
    return ".".join(map(str, version_numbers(version)))


VERSIONS: dict[str, Callable[[Facts], str]] = {
    "operating system": lambda facts: facts["system"]["name"] if "system" in facts else "",
    "kernel": lambda facts: _dotted(facts.get("kernel", "")),
    "engine": lambda facts: engine["version"] if (engine := facts.get("engine")) else "",
    "Python": lambda facts: _dotted(facts.get("python", "")),
}


def same_versions(site: Site) -> Iterator[Problem]:
    """All machines have the same operating system, kernel, engine and Python."""
    for what, read in VERSIONS.items():
        found = _grouped(site, read)
        if len(found) > 1:
            versions = "; ".join(f"{value} on {join_names(on)}" for value, on in found.items())
            wanted = "one version: faults of a single machine are hard to find"
            yield advice("metal", what, versions, wanted)


def hostnames(site: Site) -> Iterator[Problem]:
    """Every machine has a unique hostname."""
    found = _grouped(site, lambda facts: facts.get("identity", {}).get("hostname", ""))
    for name, machines in found.items():
        if len(machines) > 1:
            yield Problem(
                machines[1],
                "hostname",
                f"{name}, also the hostname of {machines[0]}",
                "a unique name; or are these two inventory names of the same machine?",
            )


def machine_ids(site: Site) -> Iterator[Problem]:
    """Every machine has a unique machine id, even if it was cloned from an image."""
    found = _grouped(site, lambda facts: facts.get("identity", {}).get("machine_id", ""))
    for machines in found.values():
        if len(machines) > 1:
            yield advice(
                join_names(machines),
                "/etc/machine-id",
                "the same id, as clones of one image have",
                "unique ids (systemd-machine-id-setup): DHCP may give both one address",
            )


def _used_interfaces(site: Site) -> dict[str, Interface]:
    """The interface through which other machines reach each machine, where it is known."""
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
    """Hardware and IP addresses in the service network are unique."""
    seen: dict[str, str] = {}
    for machine, interface in _used_interfaces(site).items():
        for what, value in (("hardware", interface["mac"]), ("IP", interface["address"])):
            other = seen.setdefault(f"{what} {value}", machine)
            if other != machine and value.strip("0:"):
                yield Problem(
                    machine,
                    interface["name"],
                    f"the {what} address {value}, which {other} also has",
                    "a unique address: switches send frames to only one of the two",
                )


def mtu(site: Site) -> Iterator[Problem]:
    """All machines have the same MTU."""
    sizes: dict[int, list[str]] = {}
    for machine, interface in _used_interfaces(site).items():
        sizes.setdefault(interface["mtu"], []).append(f"{machine} ({interface['name']})")
    if len(sizes) > 1:
        found = "; ".join(f"{size} on {join_names(on)}" for size, on in sorted(sizes.items()))
        yield advice("metal", "MTU", found, "one MTU: otherwise large fetches hang")
