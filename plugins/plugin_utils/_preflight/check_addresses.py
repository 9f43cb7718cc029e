# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Addresses that instances bind and advertise, and how each machine resolves names."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from .._declarations.problem import Problem, advice, join_names
from .._site.connections import ANYWHERE, Connection, connections, remote_connections
from .._site.facts_of_machines import Lookup
from .._site.services import sockets
from .._site.site_instances import instances
from .._site.site_model import Site


def _ip(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def _is_loopback(text: str) -> bool:
    found = _ip(text)
    return text == "localhost" or (found is not None and found.is_loopback)


def names_to_resolve(site: Site) -> list[str]:
    """Return the names that metal.kafka.machine_info must resolve on each machine."""
    found = {name for each in connections(site) for name in (each.address, each.bind)}
    return sorted(n for n in found if _ip(n) is None and n not in {*ANYWHERE, "localhost"})


def _lookup(site: Site, machine: str, name: str) -> Lookup | None:
    return site.facts.get(machine, {}).get("names", {}).get(name)


def _resolved(site: Site, machine: str, name: str) -> list[str]:
    """Addresses that a machine resolves a name to; empty when it did not look the name up."""
    found = _lookup(site, machine, name)
    return found["addresses"] if found else []


def _owners(site: Site) -> dict[str, list[str]]:
    """Return the machines that have an address, by IP address."""
    found: dict[str, list[str]] = {}
    for machine, facts in site.facts.items():
        for address in facts.get("addresses", ()):
            if _ip(address) is not None:
                found.setdefault(address, []).append(machine)
    return found


def _pairs(site: Site) -> list[Connection]:
    """Remote connections, one for each client machine, server machine and address."""
    first: dict[tuple[str, str, str], Connection] = {}
    for each in remote_connections(site):
        first.setdefault((each.client_machine, each.server_machine, each.address), each)
    return list(first.values())


def _shared(site: Site) -> list[tuple[Connection, Connection]]:
    """Pairs of instances on different machines that have the same address and port."""
    owners: dict[tuple[str, int], Connection] = {}
    found: dict[str, tuple[Connection, Connection]] = {}
    for each in connections(site):
        other = owners.setdefault((each.address, each.port), each)
        if other.server_machine != each.server_machine:
            found.setdefault(each.server, (other, each))
    return list(found.values())


def advertised_unique(site: Site) -> Iterator[Problem]:
    """Instances on different machines have different addresses or ports."""
    for first, second in _shared(site):
        # If the machines' addresses are known, the instance whose machine has it is right.
        here = site.facts.get(second.server_machine, {}).get("addresses", ())
        right, wrong = (second, first) if second.address in here else (first, second)
        yield Problem(
            wrong.server,
            wrong.where,
            f"{wrong.address}:{wrong.port}, which {right.where} of {right.server} also uses",
            f"an address of its own machine, {wrong.server_machine}",
        )


def advertised_usable(site: Site) -> Iterator[Problem]:
    """Addresses for other machines are neither loopback nor wildcard addresses."""
    reported = set()
    for each in remote_connections(site):
        wildcard = each.address in ANYWHERE
        wrong = wildcard or _is_loopback(each.address)
        if wrong and (each.server, each.where) not in reported:
            reported.add((each.server, each.where))
            yield Problem(
                each.server,
                each.where,
                f"{each.address}, "
                + (
                    "a wildcard address to which no client can connect"
                    if wildcard
                    else f"with which {each.client} would connect to its own machine"
                ),
                f"a name or an address of {each.server_machine}",
            )


def names_resolve(site: Site) -> Iterator[Problem]:
    """Every machine resolves the names of the machines that it connects to."""
    unresolved: dict[tuple[str, str], dict[str, None]] = {}
    for each in _pairs(site):
        names = site.facts.get(each.client_machine, {}).get("names", {})
        if each.address in names and not _resolved(site, each.client_machine, each.address):
            key = (each.server_machine, each.address)
            unresolved.setdefault(key, {})[each.client_machine] = None
    for (machine, name), clients in unresolved.items():
        yield Problem(
            machine,
            name,
            f"a name that does not resolve on {join_names(clients)}",
            f"an address of {machine}, from DNS or /etc/hosts of {join_names(clients)}",
        )


def names_resolve_correctly(site: Site) -> Iterator[Problem]:
    """Names resolve to an address of the named machine; an address of no machine is a note."""
    owners = _owners(site)
    # advertised_unique and advertised_usable report these.
    elsewhere = {second.address for _, second in _shared(site)} | ANYWHERE
    found: dict[tuple[str, str, str, str], dict[str, None]] = {}
    for each in _pairs(site):
        here = site.facts.get(each.server_machine, {}).get("addresses")
        literal = _ip(each.address) is not None
        if here is None or each.address in elsewhere or (literal and _is_loopback(each.address)):
            continue
        found_at = [each.address] if literal else _resolved(site, each.client_machine, each.address)
        for address in found_at:
            if address not in here:
                host = each.server if literal else each.server_machine
                key = (host, each.server_machine, each.address, address)
                found.setdefault(key, {})[each.client_machine] = None
    for (host, machine, name, address), clients in found.items():
        wrong = owners.get(address, [])
        result = f"{address}, which is not an address of {machine}"
        if name != address:
            result = f"a name that {join_names(clients)} resolves to {result}"
        if _is_loopback(address) or wrong:
            of = f" but of {join_names(wrong)}" if wrong else " but a loopback address"
            yield Problem(host, name, result + of, f"an address of {machine}")
        else:
            yield advice(host, name, result, f"an address of {machine}, unless NAT translates it")


def own_name_not_loopback(site: Site) -> Iterator[Problem]:
    """A name that a service binds does not resolve to loopback on its own machine."""
    reported = set()
    for each in remote_connections(site):
        inside = [a for a in _resolved(site, each.server_machine, each.bind) if _is_loopback(a)]
        if inside and (each.server, each.where) not in reported:
            reported.add((each.server, each.where))
            yield Problem(
                each.server,
                each.where,
                f"{each.bind}, which is {inside[0]} on {each.server_machine} itself: "
                f"{each.client} cannot connect",
                f"an address of {each.server_machine}; check its /etc/hosts for 127.0.1.1",
            )


def bind_addresses(site: Site) -> Iterator[Problem]:
    """Every service binds an address of its own machine."""
    reported = set()
    for host, service in instances(site):
        machine = site.machine(host)
        here = site.facts.get(machine, {}).get("addresses")
        if here is None:
            continue
        for socket in sockets(site, host, service):
            at = socket.address
            foreign = _ip(at) is not None and not _is_loopback(at) and at not in here
            if at not in ANYWHERE and foreign and (host, at) not in reported:
                reported.add((host, at))
                yield Problem(
                    host,
                    socket.where,
                    f"{at} to bind, which is not an address of {machine}",
                    "0.0.0.0 or " + join_names(a for a in here if _ip(a)),
                )


def reverse_names(site: Site) -> Iterator[Problem]:
    """Reverse DNS exists, and resolves back to the same address."""
    missing: dict[str, None] = {}
    different: dict[str, None] = {}
    for each in _pairs(site):
        at = _lookup(site, each.client_machine, each.address)
        if at and at["addresses"]:
            if at["reverse"] is None:
                missing[at["addresses"][0]] = None
            elif not at["confirmed"]:
                different[f"{at['addresses'][0]} ({at['reverse']})"] = None
    if missing:
        yield advice(
            "all",
            "reverse lookup",
            f"no name for {join_names(missing)}",
            "a name in DNS or /etc/hosts: logs show addresses, and Kerberos needs names",
        )
    if different:
        yield advice(
            "all",
            "reverse lookup",
            f"names that do not resolve back to the address: {join_names(different)}",
            "names that resolve to the same address: logs and Kerberos rely on them",
        )
