# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters over the phases in which a cluster that runs is closed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible.errors import AnsibleFilterError

from ..plugin_utils._declarations.service_data import plain
from ..plugin_utils._security import tls_migration
from ..plugin_utils._security.security_modes import SecurityError


def refusing(name: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` over plain types, with its complaint as Ansible's."""

    def guarded(*args: Any) -> Any:
        try:
            return function(*map(plain, args))
        except SecurityError as error:
            raise AnsibleFilterError(f"metal.kafka.{name}: {error}") from error

    return guarded


def phase_words(phase: Any) -> dict[str, Any]:
    """What a phase means to what is derived from it, in plain types."""
    at = tls_migration.PHASES[phase]
    return {
        "doors": at.doors,
        "open": at.open,
        "asks": at.asks,
        "door": at.clients_door,
        "owned": at.owned,
    }


def way(brokers: Any, name: Any, step: int) -> list[str]:
    """Where listener ``name``, or the door of that name, of each broker is reached.

    ``brokers`` have ``listeners`` by name, the first ones.
    """
    first = name.removesuffix(tls_migration.DOOR)
    above = 0 if first == name else int(step)
    at = [broker["listeners"][first] for broker in brokers]
    return [f"{each['advertise']}:{int(each['port']) + above}" for each in at]


def shown(brokers: Any, mode: str, phase: Any, step: Any, names: Any) -> list[Any]:
    """Where brokers show a certificate, each as host and port.

    ``names`` are the first listeners of clients and among brokers.
    """
    found = []
    for broker in brokers:
        every = {**broker["listeners"], **tls_migration.doors(broker["listeners"], phase, step)}
        spoken = tls_migration.protocols(mode, phase, broker["listeners"], *names)
        found += [
            {"host": at["advertise"], "port": int(at["port"])}
            for name, at in every.items()
            if spoken[name].endswith("SSL")
        ]
    return found


def ports(listeners: Any, which: Any, step: Any) -> list[int]:
    """Numbers of the ports of ``listeners``, or of the doors beside them."""
    above = int(step) if which == "doors" else 0
    return [int(at["port"]) + above for at in listeners.values()]


FILTERS: dict[str, Callable[..., Any]] = {
    "closing_among_brokers": tls_migration.among_brokers,
    "closing_doors": tls_migration.doors,
    "closing_found": tls_migration.found,
    "closing_obstacle": tls_migration.obstacle,
    "closing_of_clients": tls_migration.of_clients,
    "closing_of_operator": tls_migration.of_operator,
    "closing_ports": ports,
    "closing_phase": tls_migration.phase_of_goal,
    "closing_phase_words": phase_words,
    "closing_protocols": tls_migration.protocols,
    "closing_shown": shown,
    "closing_super_users": tls_migration.further_super_users,
    "closing_to_do": tls_migration.to_do,
    "closing_way": way,
}


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {name: refusing(name, function) for name, function in FILTERS.items()}
