# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Filters for the configuration and status of ZooKeeper ensembles.

Functions import cryptography themselves, because `ansible-doc` loads this file without it.
"""

from typing import Any

from ..module_utils._problems.platform_problem import Problem
from ..module_utils._services import zookeeper_servers
from ..plugin_utils._declarations.service_data import to_builtin
from ..plugin_utils._operations.status_row import status_row
from ..plugin_utils._security import zookeeper_recovery


def server_entries(ensemble: list[dict[str, Any]], own_id: int, bind: str) -> dict[str, str]:
    """The ``server.N`` keys of zoo.cfg for server ``own_id``.

    Its own entry has its bind address, the other entries have names. A single server needs none.
    """
    if len(ensemble) == 1:
        return {}
    return {
        f"server.{s['id']}": ":".join(
            (bind if s["id"] == own_id else s["host"], str(s["peer_port"]), str(s["election_port"]))
        )
        for s in ensemble
    }


def endpoints(ensemble: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Id, host and client ports of each server, for M(metal.kafka.zookeeper_info)."""
    return [
        {key: s[key] for key in ("id", "host", "port", "other_ports") if key in s} for s in ensemble
    ]


def status(info: dict[str, Any]) -> dict[str, Any]:
    """Rows and problems for the status screen, from the result of M(metal.kafka.zookeeper_info).

    If the module failed, only the reason is a problem.
    """
    if "servers" not in info:
        reason = f"the state of ZooKeeper was not read: {info.get('msg') or 'unknown error'}"
        return {"problems": [Problem("ReadFailed", zookeeper_servers.GROUP, reason).as_dict()]}
    servers = [zookeeper_servers.Server(**each) for each in info["servers"]]
    return {
        "services": [
            status_row(
                f"zk{server.id}",
                "zookeeper",
                bool(server.mode),
                f"{server.host}:{server.port}",
                server.mode or "",
            )
            for server in servers
        ],
        "problems": [each.as_dict() for each in zookeeper_servers.problems(servers)],
    }


def recovery(servers: list[str], node: str, files: dict[str, str] | None = None) -> str:
    """JVM options of a Spark master that stores its state in the ensemble."""
    return zookeeper_recovery.recovery_options(
        to_builtin(servers), str(node), to_builtin(files or {})
    )


def connect(ensemble: list[dict[str, Any]]) -> list[str]:
    """Addresses of the ensemble for its clients, as host:port."""
    from ..plugin_utils._security import zookeeper_tls_migration

    return zookeeper_tls_migration.connect(to_builtin(ensemble))


def drift(servers: list[dict[str, Any]], open_nodes: list[str]) -> list[str]:
    """Messages on undeclared access to an ensemble, for `make verify`."""
    found = [
        f"zk{each['zookeeper_server_id']}: the quorum trusts {', '.join(trusted)}, which issues "
        "certificates of clients: every client can join as an observer and read all data"
        for each in servers
        if (trusted := each.get("zookeeper_shared_trust"))
    ]
    found += [f"znode {each}" for each in open_nodes]
    remedy = "make zookeeper-trust fixes it without downtime: docs/operate/guides/security.md"
    return [*found, remedy] if found else []


def shared_trust(quorum: str, clients: str) -> list[str]:
    """Subjects of CAs in both PEM texts: trusted by the quorum and issuing for clients."""
    from ..plugin_utils._security import zookeeper_tls

    return zookeeper_tls.shared_trust(quorum, clients)


class FilterModule:
    """Filters of the zookeeper role."""

    def filters(self) -> dict[str, Any]:
        """Return the functions by the filter names that templates use."""
        return {
            "ensemble_connect": connect,
            "ensemble_recovery": recovery,
            "ensemble_drift": drift,
            "ensemble_shared_trust": shared_trust,
            "zookeeper_server_entries": server_entries,
            "zookeeper_endpoints": endpoints,
            "zookeeper_status": status,
        }
