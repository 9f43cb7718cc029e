# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The number of hosts in words. Hosts of the inventory may be instances on one machine."""

from __future__ import annotations

from collections.abc import Mapping


def host_count(machines: Mapping[str, str]) -> str:
    """Return the number of hosts, given the machine of each; a machine is its own."""
    instances = [host for host, machine in machines.items() if host != machine]
    if not instances:
        return _count(len(machines), "host")
    shared = {machines[host] for host in instances}
    others = set(machines.values()) - shared
    more = f" and {_count(len(others), 'other machine')}" if others else ""
    return f"{_count(len(instances), 'instance')} on {_count(len(shared), 'machine')}{more}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
