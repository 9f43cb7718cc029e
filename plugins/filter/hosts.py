# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters over variables of several hosts."""

from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Any

from ansible.errors import AnsibleFilterError


def gather(hosts: Mapping[str, Mapping[str, Any]], fact: str) -> list[Any]:
    """Items of the list ``fact`` of all hosts that have it, in the order of hosts."""
    return [item for host in hosts for item in hosts[host].get(fact) or []]


def host_ports(
    records: Iterable[Mapping[str, Any]], host: str = "host", port: str = "port"
) -> list[str]:
    """``host:port`` of each entry; keys may be paths such as ``listeners.CLIENTS.port``.

    Raises AnsibleFilterError with the missing key, and the number and keys of the entry.
    """
    return [
        f"{_at(number, each, host)}:{_at(number, each, port)}"
        for number, each in enumerate(records, 1)
    ]


def _at(number: int, record: Mapping[str, Any], path: str) -> Any:
    """Value at a path in an entry; ``number`` is its place in the list, from 1."""
    try:
        return reduce(lambda found, key: found[key], path.split("."), record)
    except (KeyError, TypeError):
        keys = ", ".join(map(str, record))
        raise AnsibleFilterError(
            f"host_ports: entry {number} has no {path}; found the keys {keys}"
        ) from None


class FilterModule:
    """Filters over variables of several hosts."""

    def filters(self) -> dict[str, Any]:
        """Return the functions by the filter names that templates use."""
        return {"collect_from_hosts": gather, "host_ports": host_ports}
