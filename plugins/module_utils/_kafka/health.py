# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Report the state of a cluster, and its problems as messages; no I/O."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .._problems import kafka_problems
from .._problems.platform_problem import Problem
from .snapshot import NO_BROKER, Cluster
from .stop_gate import Decision


def cluster_state(cluster: Cluster) -> dict[str, Any]:
    """Return the state of the cluster in plain types."""
    return {
        "cluster_id": cluster.id,
        "controller_id": cluster.controller,
        "brokers": [
            {"id": broker.id, "host": broker.host, "port": broker.port, "rack": broker.rack}
            for broker in sorted(cluster.brokers, key=lambda broker: broker.id)
        ],
        "topics": len({partition.topic for partition in cluster.partitions}),
        "partitions": len(cluster.partitions),
        "under_replicated": [part.name for part in cluster.partitions if part.missing],
        "under_min_isr": [p.name for p in cluster.partitions if cluster.under_min_isr(p)],
        "offline": [part.name for part in cluster.partitions if part.offline],
        "not_preferred": sum(not part.preferred for part in cluster.partitions),
        "offline_log_dirs": [
            {"broker": failed.broker, "path": failed.path, "error": failed.error}
            for failed in cluster.failed_log_dirs
        ],
        "views": [
            {"broker": broker, "partitions": list(names)}
            for broker, names in sorted(cluster.views.items())
        ],
        "unresponsive": {str(broker): why for broker, why in cluster.unresponsive.items()},
        "unread": list(cluster.unread),
        "reassignments": list(cluster.reassignments),
        "healthy_brokers": sorted(healthy_brokers(cluster)),
    }


def healthy_brokers(cluster: Cluster) -> set[int]:
    """Return registered, responding brokers with all log dirs online and replicas in sync."""
    lagging = {broker for partition in cluster.partitions for broker in partition.missing}
    failed = {each.broker for each in cluster.failed_log_dirs}
    return cluster.broker_ids() - set(cluster.unresponsive) - failed - lagging


def report(
    cluster: Cluster,
    expected: Iterable[int] = (),
    decision: Decision | None = None,
    content: Iterable[Problem] = (),
) -> dict[str, Any]:
    """Return the result of the module cluster_info for a reachable cluster.

    ``content`` are problems of declared topics and quotas.
    """
    facts = {**cluster_state(cluster), "content": [each.as_dict() for each in content]}
    found = [each.text for each in kafka_problems.problems(facts, expected)]
    return {
        "reachable": True,
        "healthy": not found,
        "problems": found,
        **facts,
        **({"stop": stop_decision(decision)} if decision else {}),
    }


def stop_decision(decision: Decision) -> dict[str, Any]:
    """Return the decision of the stop gate in plain types."""
    return {
        "brokers": list(decision.brokers),
        "safe": decision.safe,
        "blockers": list(decision.blockers),
        "unprotected": list(decision.unprotected),
    }


def unreachable_result(reason: str, before_stop: Sequence[int] = ()) -> dict[str, Any]:
    """Return the result of cluster_info if no broker responds; keys as in ``report``."""
    status = {"reachable": False, "healthy": False, "problems": [reason]}
    facts = {**cluster_state(Cluster(id="", controller=NO_BROKER, brokers=())), "content": []}
    if not before_stop:
        return {**status, **facts}
    return {**status, **facts, "stop": stop_decision(Decision(tuple(before_stop), (reason,), ()))}
