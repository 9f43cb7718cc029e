# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What one host needs to know of others."""

from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Any

from ansible.errors import AnsibleFilterError


def gather(hosts: Mapping[str, Mapping[str, Any]], fact: str) -> list[Any]:
    """Items of the list ``fact`` of every host that has it, in the order of hosts."""
    return [item for host in hosts for item in hosts[host].get(fact) or []]


def host_ports(
    records: Iterable[Mapping[str, Any]], host: str = "host", port: str = "port"
) -> list[str]:
    """``host:port`` of each record; keys may be paths such as ``listeners.CLIENTS.port``.

    Raises AnsibleFilterError naming the key and the record that lacks it.
    """
    return [f"{_at(each, host)}:{_at(each, port)}" for each in records]


def _at(record: Mapping[str, Any], path: str) -> Any:
    """What a record has at the end of a path."""
    try:
        return reduce(lambda found, key: found[key], path.split("."), record)
    except (KeyError, TypeError) as error:
        raise AnsibleFilterError(f"no {path} in {dict(record)}") from error


class FilterModule:
    """Filters that read several hosts."""

    def filters(self) -> dict[str, Any]:
        """Names as templates use them."""
        return {"collect_from_hosts": gather, "host_ports": host_ports}
