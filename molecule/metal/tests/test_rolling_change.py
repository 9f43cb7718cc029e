"""A changed setting of brokers is rolled out without an outage of clients."""

import pytest
from testing import playbooks
from testing.cluster import HEAL_SECONDS, Cluster
from testing.rolls import GAP_SECONDS, assert_nothing_lost, not_preferred, restarted, starts
from testing.traffic import Traffic

CHANGE = {"kafka_broker_properties": {"queued.max.requests": 600}}


@pytest.fixture
def restored_afterwards():
    yield
    playbooks.run("kafka")


def test_brokers_restart_one_by_one_with_the_controller_last_and_no_outage(
    cluster: Cluster, restored_afterwards
):
    before, controller = starts(cluster), cluster.brokers.controller()
    ensemble = cluster.topology.zookeepers.values()
    ensemble_before = [cluster.container(server).started() for server in ensemble]

    with Traffic(cluster.topology.bootstrap) as traffic:
        playbooks.run("kafka", extra=CHANGE)
        gaps = traffic.gaps()
    result = traffic.verify()
    order = restarted(before, starts(cluster))
    print(f"longest gap {max(gaps.values()):.2f} s in {result.acknowledged} records")

    assert sorted(order) == sorted(cluster.topology.brokers)
    assert order[-1] == controller
    assert [cluster.container(server).started() for server in ensemble] == ensemble_before
    assert not_preferred(cluster) == []
    assert_nothing_lost(result)
    assert max(gaps.values()) <= GAP_SECONDS, gaps
    assert playbooks.changes(playbooks.run("kafka", extra=CHANGE)) == 0


def test_without_gate_and_controlled_shutdown_the_same_traffic_has_a_gap(cluster: Cluster):
    """Negative control: two brokers die at once, as in a rolling restart without a gate."""
    two = [cluster.broker(b) for b in sorted(cluster.topology.brokers)[:2]]

    with Traffic(cluster.topology.bootstrap) as traffic:
        died = [(broker, broker.kill()) for broker in two]
        for broker, start in died:
            broker.wait_until_back(start, HEAL_SECONDS)
        cluster.wait_until_whole()
        gap = max(traffic.gaps().values())
    traffic.verify()

    assert gap > GAP_SECONDS
