"""A broker is killed while records are sent."""

from testing.cluster import HEAL_SECONDS, Cluster
from testing.streams import TOPIC


def test_acknowledged_records_survive_the_kill_of_the_leader_of_a_partition(cluster: Cluster):
    with cluster.stream(count=30_000, rate=750) as stream:
        victim = cluster.broker(cluster.brokers.leader_of(f"{TOPIC}-0"))
        before = victim.kill()
        assert stream.runs, "the stream was over before the broker died"
        ledger = stream.finish(seconds=180)
        victim.wait_until_back(before, HEAL_SECONDS)
        cluster.wait_until_whole()
        result = stream.verify()

    assert ledger["acknowledged"] == 30_000
    assert result["found"] == 30_000
    assert result["lost_offsets"] == {}
    assert result["duplicates"] == 0
