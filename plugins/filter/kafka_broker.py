# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters for declarations and status of brokers."""

from typing import Any

from ..module_utils._host.disks import bind_mounts


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


def status_rows(info: dict[str, Any], brokers: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Rows of the status screen: declared brokers compared with the registered ones.

    ``info`` is the result of M(metal.kafka.cluster_info), ``brokers`` are the declared brokers with
    id and listeners.
    """
    registered = {broker["id"] for broker in info["brokers"]}
    broken = {entry["broker"] for entry in info["offline_log_dirs"]}
    rows = []
    for broker in brokers:
        at = broker["listeners"]["CLIENTS"]
        state, health = "running", "healthy"
        note = "controller" if broker["id"] == info["controller_id"] else ""
        if broker["id"] not in registered:
            state, health, note = "down", "", "not registered"
        elif broker["id"] in broken:
            health, note = "degraded", "a log dir is offline"
        rows.append(
            {
                "name": f"kafka{broker['id']}",
                "kind": "kafka",
                "state": state,
                "health": health,
                "endpoint": f"{at['advertise']}:{at['port']}",
                "note": note,
            }
        )
    return rows


class FilterModule:
    """Filters of the kafka_broker role."""

    def filters(self) -> dict[str, Any]:
        """Return the functions by the filter names that templates use."""
        return {
            "kafka_listeners": listeners,
            "identity_mounts": identity_mounts,
            "disk_binds": bind_mounts.disk_binds,
            "kafka_status_rows": status_rows,
        }
