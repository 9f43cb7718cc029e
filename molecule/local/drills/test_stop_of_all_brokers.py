"""All brokers are killed at once under load: the producer waits, and no record is lost."""

from testing.cluster import Cluster
from testing.faults import dead

DEAD_SECONDS = 30


def test_a_producer_waits_for_killed_brokers(cluster: Cluster):
    fault = dead(cluster, *cluster.topology.brokers.values())
    ledger, result = cluster.stream_during_fault(fault, DEAD_SECONDS, finish_seconds=300)

    # The first broker that starts has no metadata yet; records that it refuses are sent again.
    assert (ledger["acknowledged"], ledger["failed"]) == (60_000, 0)
    assert result["lost_offsets"] == {}
    assert ledger["longest_gap_seconds"] > DEAD_SECONDS
