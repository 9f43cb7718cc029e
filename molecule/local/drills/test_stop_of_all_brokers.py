"""All brokers die at once under a producer: it waits for them, and every record counts."""

from testing.cluster import Cluster
from testing.faults import dead

DEAD_SECONDS = 30


def test_a_producer_outlives_the_stop_of_all_brokers(cluster: Cluster):
    fault = dead(cluster, *cluster.topology.brokers.values())
    ledger, result = cluster.stream_during_fault(fault, DEAD_SECONDS, finish_seconds=300)

    # The first broker that opens its port knows no topic yet: what it refuses is sent again.
    assert (ledger["acknowledged"], ledger["failed"]) == (60_000, 0)
    assert result["lost_offsets"] == {}
    assert ledger["longest_gap_seconds"] > DEAD_SECONDS
