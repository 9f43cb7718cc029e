# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Connections between machines: required by the catalogue, tried by metal.kafka.port_probe."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._declarations.problem import Problem, join_names, note
from .._site.connections import Connection, remote_connections
from .._site.facts_of_machines import Facts
from .._site.services import Socket
from .._site.site_model import Site


def probes(site: Site) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """For each machine of the run, the endpoints to connect to and those to listen on."""
    wanted: dict[str, dict[str, dict[tuple[str, int], None]]] = {
        machine: {"connect": {}, "listen": {}} for machine in site.facts
    }
    for each in remote_connections(site):
        if each.client_machine not in wanted:
            continue
        wanted[each.client_machine]["connect"][each.address, each.port] = None
        target = site.facts.get(each.server_machine, {})
        if _is_fresh(site, each.server, target) and not _has_listener(each, target):
            wanted[each.server_machine]["listen"][each.bind, each.port] = None
    return {
        machine: {
            verb: [{"address": address, "port": port} for address, port in endpoints]
            for verb, endpoints in verbs.items()
        }
        for machine, verbs in wanted.items()
    }


def _has_listener(each: Connection, target: Facts) -> bool:
    """Whether a process listens on the server's address and port."""
    socket = Socket(each.server, each.where, each.bind, each.port)
    return any(
        socket.conflicts_with(at["address"], at["port"]) for at in target.get("listeners", ())
    )


def _is_fresh(site: Site, server: str, target: Facts) -> bool:
    """Whether no service of this cluster runs there, so that no client mistakes a probe for one."""
    ours = str(site.value(server, "cluster_name", ""))
    return "listeners" in target and all(at["cluster"] != ours for at in target["listeners"])


def reachable(site: Site) -> Iterator[Problem]:
    """Every machine can connect to the ports that its services need on other machines."""
    failed: dict[tuple[str, str, str, int, str, bool], dict[str, None]] = {}
    purposes: dict[tuple[str, int], dict[str, None]] = {}
    met = {
        machine: {(at["address"], at["port"]): at["state"] for at in facts.get("connections", ())}
        for machine, facts in site.facts.items()
    }
    stopped: dict[str, dict[str, None]] = {}
    for each in remote_connections(site):
        state = met.get(each.client_machine, {}).get((each.address, each.port))
        # names_resolve reports names that do not resolve.
        if state in (None, "connected", "unresolved"):
            continue
        target = site.facts.get(each.server_machine, {})
        served = _has_listener(each, target) or any(
            (at["address"], at["port"]) == (each.bind, each.port) for at in target.get("opened", ())
        )
        if state == "refused" and not served:
            stopped.setdefault(each.server, {})[str(each.port)] = None
            continue
        key = (each.server, each.where, each.address, each.port, str(state), served)
        failed.setdefault(key, {})[each.client_machine] = None
        purposes.setdefault((each.address, each.port), {})[each.purpose] = None
    for (server, where, address, port, state, served), clients in failed.items():
        yield Problem(
            server,
            where,
            f"{_MET.get(state, state)} at {address}:{port} from {join_names(clients)} "
            f"(needed for {join_names(purposes[address, port])})",
            f"a connection from {join_names(clients)}: {_remedy(state, served)}",
        )
    if stopped:
        where = "; ".join(f"{', '.join(ports)} of {server}" for server, ports in stopped.items())
        yield note(
            "all",
            "reachability",
            f"{where}: refused, since no process listens there now; the machines are connected",
        )


_MET = {
    "refused": "a refused connection",
    "timeout": "no response (timeout)",
    "no route": "no route",
}


def _remedy(state: str, served: bool) -> str:
    if state == "refused" and served:
        return "a process listens; check the address it binds, and firewalls that reject"
    if state == "no route":
        return "check the routes, and firewalls that reject"
    return "open the port in the firewalls between them"


def bindable(site: Site) -> Iterator[Problem]:
    """The probe could bind every port that other machines need."""
    reported = set()
    for each in remote_connections(site):
        for at in site.facts.get(each.server_machine, {}).get("unbound", ()):
            key = (each.server_machine, each.bind, each.port)
            if (at["address"], at["port"]) == key[1:] and key not in reported:
                reported.add(key)
                yield Problem(
                    each.server,
                    each.where,
                    f"{each.bind}:{each.port}, which {each.server_machine} cannot bind: "
                    f"{at['reason']}",
                    "an address of the machine and a port that it may bind",
                )
