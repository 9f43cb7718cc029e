"""What drills ask of a roll: who restarted when, and whether it cost a client anything."""

from testing import access
from testing.cluster import Cluster
from testing.traffic import Result
from testing.waiting import NotYet, wait_for

# What a client may notice of a planned restart: one refresh of its metadata.
GAP_SECONDS = 2.0
# The same where a whole machine boots on the cores that brokers and clients use, and for brokers of
# two versions, of which each restart is a cold start (1.9 s was the longest of four on two cores):
# far below what a loss without notice costs, ten seconds until its session expires and more.
BUSY_GAP_SECONDS = 5.0


def starts(cluster: Cluster) -> dict[int, str]:
    """Time of the last start of each broker; those that do not run are left out."""
    states = {b: cluster.broker(b).inspect()["State"] for b in cluster.topology.brokers}
    return {b: state["StartedAt"] for b, state in states.items() if state["Running"]}


def restarted(before: dict[int, str], after: dict[int, str]) -> list[int]:
    """Brokers that have started since, first to last."""
    return sorted((b for b in after if after[b] != before.get(b)), key=lambda b: after[b])


def not_preferred(cluster: Cluster) -> list[str]:
    """Partitions that another than their first replica leads."""
    return [part.name for part in cluster.brokers.partitions() if part.leader != part.replicas[0]]


def preferred_lead(cluster: Cluster) -> None:
    """Wait until each partition is led by its first replica, which a test before may have moved."""

    def elected() -> None:
        with access.admin(cluster.topology.bootstrap) as admin:
            admin.elect_leaders(0)
        if others := not_preferred(cluster):
            raise NotYet(f"others lead {others}")

    wait_for("preferred replicas lead", elected, seconds=60)


def wait_for_missing_replicas(cluster: Cluster) -> None:
    """Wait until the cluster has noticed that a broker is gone."""

    def missing() -> None:
        if not cluster.brokers.under_replicated():
            raise NotYet("every replica is in sync")

    wait_for("replicas are missing", missing, seconds=60)


def assert_nothing_lost(result: Result) -> None:
    """No client was told of an error, and every acknowledged record stands where it was said to."""
    assert result.acknowledged == result.sent > 0
    assert (result.errors, result.lost, result.duplicates) == ({}, [], 0)
