# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Shapes of a broker's declaration."""

from typing import Any

from ..module_utils._host.disks import bind_mounts


def listeners(
    declared: dict[str, dict[str, Any]], protocols: dict[str, str] | None = None
) -> dict[str, list[str]]:
    """The listener keys of server.properties, from listeners by name.

    Each listener has ``bind``, ``advertise``, ``port`` and, where it differs from ``protocols`` of
    the site, ``protocol``.
    """
    usual = protocols or {}
    return {
        "listeners": [f"{name}://{at['bind']}:{at['port']}" for name, at in declared.items()],
        "advertised.listeners": [
            f"{name}://{at['advertise']}:{at['port']}" for name, at in declared.items()
        ],
        "listener.security.protocol.map": [
            f"{name}:{at.get('protocol') or usual.get(name, 'PLAINTEXT')}"
            for name, at in declared.items()
        ],
    }


def identity_mounts(paths: list[str]) -> list[dict[str, str]]:
    """Directories of the host that are at the same place in the container."""
    return [{"source": path, "target": path} for path in paths]


def status_rows(info: dict[str, Any], brokers: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Rows of the status screen: each declared broker against the cluster's own list.

    ``info`` is what M(metal.kafka.cluster_info) returns, ``brokers`` the declared ones with id and
    listeners.
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
        """Names as templates use them."""
        return {
            "kafka_listeners": listeners,
            "identity_mounts": identity_mounts,
            "disk_binds": bind_mounts.disk_binds,
            "kafka_status_rows": status_rows,
        }
