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
    """``host:port`` of each record; keys may be paths such as ``listeners.CLIENTS.port``.

    Raises AnsibleFilterError with the missing key and the record's keys.
    """
    return [f"{_at(each, host)}:{_at(each, port)}" for each in records]


def _at(record: Mapping[str, Any], path: str) -> Any:
    """Value at a path in a record."""
    try:
        return reduce(lambda found, key: found[key], path.split("."), record)
    except (KeyError, TypeError) as error:
        keys = ", ".join(map(str, record))
        raise AnsibleFilterError(
            f"host_ports: a record has no {path}; found the keys {keys}"
        ) from error


class FilterModule:
    """Filters over variables of several hosts."""

    def filters(self) -> dict[str, Any]:
        """Return the functions by the filter names that templates use."""
        return {"collect_from_hosts": gather, "host_ports": host_ports}
