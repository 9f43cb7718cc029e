"""The leader of the ZooKeeper ensemble is killed while records are sent."""

from testing import zookeeper
from testing.cluster import HEAL_SECONDS, Cluster
from testing.waiting import wait_for


def test_acknowledged_records_survive_and_another_server_leads(cluster: Cluster):
    servers = cluster.topology.zookeepers
    victim = cluster.container(servers[cluster.zookeeper_leader()])
    with cluster.stream(count=15_000, rate=750) as stream:
        before = victim.kill()
        assert stream.runs, "the stream was over before the server died"
        # Two of three are a quorum, without the killed server.
        wait_for(
            "the ZooKeeper ensemble has a leader",
            lambda: zookeeper.leader(servers, size=len(servers) // 2 + 1),
            seconds=30,
        )
        ledger = stream.finish(seconds=120)
        victim.wait_until_back(before, HEAL_SECONDS)
        cluster.wait_until_whole()
        result = stream.verify()

    assert ledger["acknowledged"] == 15_000
    assert result["found"] == 15_000
    assert result["lost_offsets"] == {}
