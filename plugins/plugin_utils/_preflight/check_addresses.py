# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Addresses that instances bind and advertise, and where names lead on each machine."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from .._declarations.problem import Problem, advice, listed
from .._site.facts_of_machines import Lookup
from .._site.services import sockets
from .._site.site_instances import instances
from .._site.site_model import Site
from .check_connectivity import ANYWHERE, Connection, connections, remote_connections


def _ip(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def _is_loopback(text: str) -> bool:
    found = _ip(text)
    return text == "localhost" or (found is not None and found.is_loopback)


def wanted_names(site: Site) -> list[str]:
    """Names that machines call each other and themselves by, for metal.kafka.machine_info."""
    found = {name for each in connections(site) for name in (each.address, each.bind)}
    return sorted(n for n in found if _ip(n) is None and n not in {*ANYWHERE, "localhost"})


def _lookup(site: Site, machine: str, name: str) -> Lookup | None:
    return site.facts.get(machine, {}).get("names", {}).get(name)


def _led_to(site: Site, machine: str, name: str) -> list[str]:
    """Addresses that a name leads a machine to; none when it was not asked."""
    found = _lookup(site, machine, name)
    return found["addresses"] if found else []


def _owners(site: Site) -> dict[str, list[str]]:
    """Machines that have an address, by address; loopback and names are left out."""
    found: dict[str, list[str]] = {}
    for machine, facts in site.facts.items():
        for address in facts.get("addresses", ()):
            if _ip(address) is not None:
                found.setdefault(address, []).append(machine)
    return found


def _pairs(site: Site) -> list[Connection]:
    """Connections between machines, once for each machine, address and server's machine."""
    first: dict[tuple[str, str, str], Connection] = {}
    for each in remote_connections(site):
        first.setdefault((each.client_machine, each.server_machine, each.address), each)
    return list(first.values())


def _shared(site: Site) -> list[tuple[Connection, Connection]]:
    """Instances on different machines that are reached at one address and port, in pairs."""
    owners: dict[tuple[str, int], Connection] = {}
    found: dict[str, tuple[Connection, Connection]] = {}
    for each in connections(site):
        other = owners.setdefault((each.address, each.port), each)
        if other.server_machine != each.server_machine:
            found.setdefault(each.server, (other, each))
    return list(found.values())


def advertised_apart(site: Site) -> Iterator[Problem]:
    """No two instances on different machines are reached at the same address and port."""
    for first, second in _shared(site):
        # The one whose machine has the address is right, where that can be told.
        here = site.facts.get(second.server_machine, {}).get("addresses", ())
        right, wrong = (second, first) if second.address in here else (first, second)
        yield Problem(
            wrong.server,
            wrong.where,
            f"{wrong.address}:{wrong.port}, which {right.where} of {right.server} has too",
            f"an address of its own machine, {wrong.server_machine}",
        )


def advertised_afar(site: Site) -> Iterator[Problem]:
    """An address that other machines need leads to the machine, not to whoever asks."""
    told = set()
    for each in remote_connections(site):
        nowhere = each.address in ANYWHERE
        wrong = nowhere or _is_loopback(each.address)
        if wrong and (each.server, each.where) not in told:
            told.add((each.server, each.where))
            yield Problem(
                each.server,
                each.where,
                f"{each.address}, at which "
                + ("nobody can be reached" if nowhere else f"{each.client} would find itself"),
                f"a name or an address of {each.server_machine}",
            )


def names_resolve(site: Site) -> Iterator[Problem]:
    """Every machine resolves the names of all others that it needs."""
    lost: dict[tuple[str, str], dict[str, None]] = {}
    for each in _pairs(site):
        names = site.facts.get(each.client_machine, {}).get("names", {})
        if each.address in names and not _led_to(site, each.client_machine, each.address):
            lost.setdefault((each.server_machine, each.address), {})[each.client_machine] = None
    for (machine, name), clients in lost.items():
        yield Problem(
            machine,
            name,
            f"a name that does not resolve on {listed(clients)}",
            f"an address of {machine}, from DNS or /etc/hosts of {listed(clients)}",
        )


def names_lead_home(site: Site) -> Iterator[Problem]:
    """A name leads every other machine to the machine that it names; one of nobody is a note."""
    owners = _owners(site)
    # Told by other checks: an address of two, of nobody, of whoever asks.
    told = {second.address for _, second in _shared(site)} | ANYWHERE
    found: dict[tuple[str, str, str, str], dict[str, None]] = {}
    for each in _pairs(site):
        here = site.facts.get(each.server_machine, {}).get("addresses")
        literal = _ip(each.address) is not None
        if here is None or each.address in told or (literal and _is_loopback(each.address)):
            continue
        led = [each.address] if literal else _led_to(site, each.client_machine, each.address)
        for address in led:
            if address not in here:
                host = each.server if literal else each.server_machine
                key = (host, each.server_machine, each.address, address)
                found.setdefault(key, {})[each.client_machine] = None
    for (host, machine, name, address), clients in found.items():
        wrong = owners.get(address, [])
        leads = f"{address}, which is no address of {machine}"
        if name != address:
            leads = f"a name that leads {listed(clients)} to {leads}"
        if _is_loopback(address) or wrong:
            of = f" but of {listed(wrong)}" if wrong else " but of whoever asks"
            yield Problem(host, name, leads + of, f"an address of {machine}")
        else:
            yield advice(host, name, leads, f"an address of {machine}, unless it is translated")


def own_names(site: Site) -> Iterator[Problem]:
    """A name that a service binds does not lead to loopback on its own machine."""
    told = set()
    for each in remote_connections(site):
        inside = [a for a in _led_to(site, each.server_machine, each.bind) if _is_loopback(a)]
        if inside and (each.server, each.where) not in told:
            told.add((each.server, each.where))
            yield Problem(
                each.server,
                each.where,
                f"{each.bind}, which is {inside[0]} on {each.server_machine} itself: "
                f"{each.client} cannot connect",
                f"an address of {each.server_machine}; look for 127.0.1.1 in its /etc/hosts",
            )


def bound_here(site: Site) -> Iterator[Problem]:
    """Every address that a service binds is one of its machine."""
    told = set()
    for host, service in instances(site):
        machine = site.machine(host)
        here = site.facts.get(machine, {}).get("addresses")
        if here is None:
            continue
        for socket in sockets(site, host, service):
            at = socket.address
            strange = _ip(at) is not None and not _is_loopback(at) and at not in here
            if at not in ANYWHERE and strange and (host, at) not in told:
                told.add((host, at))
                yield Problem(
                    host,
                    socket.where,
                    f"{at} to bind, which is no address of {machine}",
                    "0.0.0.0 or " + listed(a for a in here if _ip(a)),
                )


def reverse_names(site: Site) -> Iterator[Problem]:
    """The name of an address leads back to it."""
    missing: dict[str, None] = {}
    strange: dict[str, None] = {}
    for each in _pairs(site):
        at = _lookup(site, each.client_machine, each.address)
        if at and at["addresses"]:
            if at["reverse"] is None:
                missing[at["addresses"][0]] = None
            elif not at["confirmed"]:
                strange[f"{at['addresses'][0]} ({at['reverse']})"] = None
    if missing:
        yield advice(
            "all",
            "reverse lookup",
            f"no name for {listed(missing)}",
            "a name in DNS or /etc/hosts: logs show addresses, and Kerberos needs names",
        )
    if strange:
        yield advice(
            "all",
            "reverse lookup",
            f"names that do not lead back: {listed(strange)}",
            "names that resolve to the same address: logs and Kerberos rely on them",
        )
