"""The leader of the ensemble dies without a word while records arrive."""

from testing import zookeeper
from testing.cluster import HEAL_SECONDS, Cluster
from testing.waiting import wait_for


def test_records_flow_and_another_server_leads(cluster: Cluster):
    servers = cluster.topology.zookeepers
    old = cluster.zookeeper_leader()
    victim = cluster.container(servers[old])
    with cluster.stream("payments", count=15_000, rate=750) as stream:
        before = victim.kill()
        assert stream.sending, "the stream was over before the server died"
        # Two of three are a quorum: the dead one need not be back.
        wait_for(
            "the ensemble has a leader",
            lambda: zookeeper.leader(servers, size=len(servers) // 2 + 1),
            seconds=30,
        )
        ledger = stream.finish(seconds=120)
    victim.wait_until_back(before, HEAL_SECONDS)
    wait_for("all servers take part", cluster.zookeeper_leader, seconds=60)

    assert ledger["acknowledged"] == 15_000
    account = stream.account()
    assert account["found"] == 15_000
    assert account["lost_offsets"] == {}
