"""All brokers die at once under a producer: it waits for them, and every record counts."""

import time

from testing.cluster import HEAL_SECONDS, Cluster
from testing.faults import dead

COUNT, DEAD_SECONDS = 60_000, 30


def test_a_producer_outlives_the_stop_of_all_brokers(cluster: Cluster):
    with cluster.stream(count=COUNT, rate=500) as stream:
        time.sleep(10)
        with dead(cluster, *cluster.topology.brokers.values()):
            time.sleep(DEAD_SECONDS)
        assert stream.runs, "the stream was over before the brokers came back"
        ledger = stream.finish(seconds=300)
        cluster.wait_until_whole(HEAL_SECONDS)
        account = stream.account()

    print(f"longest gap: {ledger['longest_gap_seconds']:.1f} s")
    # The first broker that opens its port knows no topic yet: what it refuses is sent again.
    assert (ledger["acknowledged"], ledger["failed"]) == (COUNT, 0)
    assert account["lost_offsets"] == {}
    assert ledger["longest_gap_seconds"] > DEAD_SECONDS
