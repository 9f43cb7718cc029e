"""A broker dies without a word while records arrive."""

from testing.cluster import HEAL_SECONDS, Cluster

TOPIC = "payments"


def test_acknowledged_records_survive_the_kill_of_the_leader_of_a_partition(cluster: Cluster):
    with cluster.stream(TOPIC, count=30_000, rate=750) as stream:
        victim = cluster.broker(cluster.brokers.leader_of(f"{TOPIC}-0"))
        before = victim.kill()
        assert stream.sending, "the stream was over before the broker died"
        ledger = stream.finish(seconds=180)
    victim.wait_until_back(before, HEAL_SECONDS)
    cluster.wait_until_whole()

    assert ledger["acknowledged"] == 30_000
    account = stream.account()
    assert account["found"] == 30_000
    assert account["lost_offsets"] == {}
    assert account["duplicates"] == 0
