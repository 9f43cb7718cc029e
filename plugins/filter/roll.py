# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters for rolling restarts and the operation lock."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from ..module_utils._host import operation_lock
from ..plugin_utils._operations import rolling_order


def variables(hosts: Iterable[str], hostvars: Mapping[str, Any]) -> list[Any]:
    """Variables of each host; empty before the first play, as in a syntax check."""
    return [hostvars[host] for host in hosts if host in hostvars]


def in_state(hosts: Sequence[str], hostvars: Mapping[str, Any], *states: Any) -> list[str]:
    """Hosts whose container is in one of the states."""
    return rolling_order.hosts_in_state(variables(hosts, hostvars), *states)


def roll_hosts(hosts: Sequence[str], hostvars: Mapping[str, Any]) -> list[str]:
    """Hosts in restart order, without those that restart last."""
    return list(
        chain.from_iterable(rolling_order.batches(rolling_order.read(variables(hosts, hostvars))))
    )


def roll_sizes(hosts: Sequence[str], hostvars: Mapping[str, Any]) -> list[int]:
    """Sizes of the batches of roll_hosts; never empty, because ``serial`` needs a number."""
    found = rolling_order.batches(rolling_order.read(variables(hosts, hostvars)))
    return [len(batch) for batch in found] or [1]


def roll_last(hosts: Sequence[str], hostvars: Mapping[str, Any]) -> list[str]:
    """Hosts that restart after all others."""
    return rolling_order.last_hosts(rolling_order.read(variables(hosts, hostvars)))


def roll_resumed(hosts: Sequence[str], hostvars: Mapping[str, Any]) -> bool:
    """Whether the operation resumes an interrupted one."""
    return any(float(found.get("roll_since") or 0) > 0 for found in variables(hosts, hostvars))


def roll_failure(
    host: Any, role: Any, reason: Any, stopped: Any, brought_back: Any, undone: Any, log: Any
) -> Any:
    """The message of a failed roll."""
    return rolling_order.failure_message(
        host, role, reason, stopped=stopped, brought_back=brought_back, undone=undone, log=log
    )


def lock_refusal(cluster: Any, refused: Any) -> str:
    """Message about the lock's holder, or a failure, from results of the module cluster_lock."""
    first = refused[0]
    if "lock" not in first:
        return f"Cluster {cluster} cannot be locked on {first['item']}: {first['msg']}"
    return operation_lock.refusal(cluster, first["item"], first["lock"])


def operation_interrupted(machines: Iterable[str], hostvars: Mapping[str, Any]) -> bool:
    """Whether preflight found the lock of a dead process on one of the machines."""
    me = operation_lock.lock_owner(os.getpid())
    results = [(each.get("preflight_machine") or {}) for each in variables(machines, hostvars)]
    operations = [(each.get("facts") or {}).get("operation") for each in results]
    locks = [each["lock"] for each in operations if each and each["lock"]]
    return any(
        operation_lock.has_ended(operation_lock.Owner(**held["owner"]), me) for held in locks
    )


class FilterModule:
    def filters(self) -> dict[str, Any]:
        return {
            "hosts_with_container_state": in_state,
            "lock_refusal": lock_refusal,
            "operation_interrupted": operation_interrupted,
            "roll_failure": roll_failure,
            "roll_hosts": roll_hosts,
            "roll_resumed": roll_resumed,
            "roll_sizes": roll_sizes,
            "roll_last": roll_last,
        }
