# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a cluster, in messages, and the figures behind them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .._common.messages import some
from .snapshot import NOBODY, Cluster
from .stop_gate import Decision


def count(names: list[str], one: str) -> str:
    """``names`` with their number, for example ``2 partitions are offline: a-0, b-1``."""
    noun, verb = ("partition", "is") if len(names) == 1 else ("partitions", "are")
    return f"{len(names)} {noun} {verb} {one}: {some(names)}"


def figures(cluster: Cluster) -> dict[str, Any]:
    """Everything the cluster says of itself, in plain types."""
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
        "reassignments": list(cluster.reassignments),
        "healthy_brokers": sorted(healthy_brokers(cluster)),
    }


def healthy_brokers(cluster: Cluster) -> set[int]:
    """Brokers that are registered and answer, with all log dirs online and all replicas in sync."""
    lagging = {broker for partition in cluster.partitions for broker in partition.missing}
    failed = {each.broker for each in cluster.failed_log_dirs}
    return cluster.broker_ids() - set(cluster.silent) - failed - lagging


def problems(cluster: Cluster, facts: dict[str, Any], expected: Iterable[int]) -> list[str]:
    """Messages on everything that a healthy cluster has not; empty when it is healthy.

    Reassignments in flight and leaders away from their preferred broker are work, not faults.
    """
    found = [
        f"broker {broker} is not registered"
        for broker in sorted(set(expected) - cluster.broker_ids())
    ]
    if cluster.controller == NOBODY:
        found.append("the cluster has no controller")
    found += [
        f"broker {broker} does not answer: {cluster.silent[broker]}"
        for broker in sorted(cluster.silent)
    ]
    found += cluster.unread
    found += [
        f"broker {failed.broker}: log dir {failed.path}: {failed.error}"
        for failed in cluster.failed_log_dirs
    ]
    for key, words in (
        ("offline", "offline"),
        ("under_min_isr", "under min.insync.replicas"),
        ("under_replicated", "under-replicated"),
    ):
        if facts[key]:
            found.append(count(facts[key], words))
    return found


def report(
    cluster: Cluster, expected: Iterable[int] = (), decision: Decision | None = None
) -> dict[str, Any]:
    """The result of the module cluster_info for a cluster that answered."""
    facts = figures(cluster)
    found = problems(cluster, facts, expected)
    return {
        "reachable": True,
        "healthy": not found,
        "problems": found,
        **facts,
        **({"stop": stop(decision)} if decision else {}),
    }


def stop(decision: Decision) -> dict[str, Any]:
    """The decision of the gate in plain types."""
    return {
        "brokers": list(decision.brokers),
        "safe": decision.safe,
        "blockers": list(decision.blockers),
        "unprotected": list(decision.unprotected),
    }


def unreachable(reason: str, before_stop: Sequence[int] = ()) -> dict[str, Any]:
    """The result of the module cluster_info when no broker answered; keys as in ``report``."""
    silent = {"reachable": False, "healthy": False, "problems": [reason]}
    facts = figures(Cluster(id="", controller=NOBODY, brokers=()))
    if not before_stop:
        return {**silent, **facts}
    return {**silent, **facts, "stop": stop(Decision(tuple(before_stop), (reason,), ()))}
