"""Checks of rolling restarts: which brokers restarted, and effects on clients."""

from testing import access
from testing.cluster import Cluster
from testing.traffic import Result
from testing.waiting import NotYet, wait_for

# Longest gap in seconds of a planned restart: one refresh of a client's metadata.
GAP_SECONDS = 2.0
# The same if a machine boots on the cores of brokers and clients, and for an upgrade, in which each
# restart is a cold start (measured: up to 1.9 s on two cores). A crash costs more than ten seconds,
# until the broker's session expires.
BUSY_GAP_SECONDS = 5.0


def starts(cluster: Cluster) -> dict[int, str]:
    """Return the time of the last start of each running broker."""
    states = {b: cluster.broker(b).inspect()["State"] for b in cluster.topology.brokers}
    return {b: state["StartedAt"] for b, state in states.items() if state["Running"]}


def restarted(before: dict[int, str], after: dict[int, str]) -> list[int]:
    """Return the brokers that have started since ``before``, in order of their start."""
    return sorted((b for b in after if after[b] != before.get(b)), key=lambda b: after[b])


def not_preferred(cluster: Cluster) -> list[str]:
    """Return the partitions not led by their first replica."""
    return [part.name for part in cluster.brokers.partitions() if part.leader != part.replicas[0]]


def preferred_lead(cluster: Cluster) -> None:
    """Elect preferred leaders and wait until they lead; an earlier test may have moved them."""

    def elected() -> None:
        with access.admin(cluster.topology.bootstrap) as admin:
            admin.elect_leaders(0)
        if others := not_preferred(cluster):
            raise NotYet(f"not led by the preferred replica: {others}")

    wait_for("preferred replicas lead", elected, seconds=60)


def wait_for_missing_replicas(cluster: Cluster) -> None:
    """Wait until the cluster reports under-replicated partitions."""

    def missing() -> None:
        if not cluster.brokers.under_replicated():
            raise NotYet("every replica is in sync")

    wait_for("partitions are under-replicated", missing, seconds=60)


def assert_nothing_lost(result: Result) -> None:
    """Assert that no send failed and every acknowledged record is at its offset, once."""
    assert result.acknowledged == result.sent > 0
    assert (result.errors, result.lost, result.duplicates) == ({}, [], 0)
