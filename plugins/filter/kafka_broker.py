# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters for declarations and status of brokers."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..module_utils._host.disks import bind_mounts
from ..module_utils._problems import kafka_problems
from ..module_utils._problems.platform_problem import Problem
from ..plugin_utils._operations.status_row import status_row


def listeners(
    declared: dict[str, dict[str, Any]], protocols: dict[str, str] | None = None
) -> dict[str, list[str]]:
    """The listener keys of server.properties, from listeners by name.

    Each listener has ``bind``, ``advertise``, ``port`` and, if it differs from the site's
    ``protocols``, ``protocol``.
    """
    defaults = protocols or {}
    return {
        "listeners": [f"{name}://{at['bind']}:{at['port']}" for name, at in declared.items()],
        "advertised.listeners": [
            f"{name}://{at['advertise']}:{at['port']}" for name, at in declared.items()
        ],
        "listener.security.protocol.map": [
            f"{name}:{at.get('protocol') or defaults.get(name, 'PLAINTEXT')}"
            for name, at in declared.items()
        ],
    }


def identity_mounts(paths: list[str]) -> list[dict[str, str]]:
    """Bind mounts with the same path on the host and in the container."""
    return [{"source": path, "target": path} for path in paths]


def status(info: dict[str, Any], brokers: list[dict[str, Any]], listener: str) -> dict[str, Any]:
    """Rows and problems of the declared brokers, and the state of the cluster.

    ``info`` is the result of M(metal.kafka.cluster_info), ``brokers`` are the declared brokers with
    id and listeners, ``listener`` is the one for clients. If the module failed, only the reason is
    a problem.
    """
    if "reachable" not in info:
        reason = f"the state of the brokers was not read: {info.get('msg') or 'unknown error'}"
        problem = Problem("ReadFailed", kafka_problems.SERVICE, reason)
        return {"problems": [problem.as_dict()]}
    expected = [int(each["id"]) for each in brokers]
    found = (
        kafka_problems.problems(info, expected)
        if info["reachable"]
        else kafka_problems.unreachable("; ".join(info["problems"]))
    )
    return {
        "services": [_row(info, each, listener) for each in brokers],
        "problems": [each.as_dict() for each in found],
        "cluster_info": info,
    }


def _row(info: dict[str, Any], broker: dict[str, Any], listener: str) -> dict[str, str]:
    """Row of the status screen; problems of the broker change its health."""
    at = broker["listeners"][listener]
    registered = broker["id"] in {each["id"] for each in info["brokers"]}
    controller = registered and broker["id"] == info["controller_id"]
    return status_row(
        kafka_problems.instance(broker["id"]),
        "kafka",
        registered,
        f"{at['advertise']}:{at['port']}",
        "controller" if controller else "",
    )


def log_dir_problems(states: list[dict[str, Any]], broker: int, host: str) -> dict[str, Any]:
    """Problems of a broker's log dirs that cannot be used, from M(metal.kafka.log_dir_state)."""
    found = [
        Problem(
            "DiskFailed",
            kafka_problems.instance(broker),
            f"{host}: log dir {each['path']}: {each['reason']}",
            each["next"],
        )
        for each in states
        if each["next"]
    ]
    return {"problems": [each.as_dict() for each in found]}


def with_offline_log_dirs(brokers: Sequence[str], hostvars: Mapping[str, Any]) -> list[str]:
    """Hosts of brokers that report offline log dirs; the pattern of no host if there are none."""
    known = {host: hostvars[host] for host in brokers if host in hostvars}
    read = [
        found["kafka_broker_platform_status"].get("cluster_info") or {}
        for found in known.values()
        if "kafka_broker_platform_status" in found
    ]
    broken = {each["broker"] for info in read for each in info.get("offline_log_dirs") or ()}
    return [
        host for host, found in known.items() if int(found.get("kafka_broker_id", -1)) in broken
    ] or ["none"]


class FilterModule:
    """Filters of the kafka_broker role."""

    def filters(self) -> dict[str, Any]:
        """Return the functions by the filter names that templates use."""
        return {
            "kafka_listeners": listeners,
            "identity_mounts": identity_mounts,
            "disk_binds": bind_mounts.disk_binds,
            "kafka_status": status,
            "log_dir_problems": log_dir_problems,
            "with_offline_log_dirs": with_offline_log_dirs,
        }
