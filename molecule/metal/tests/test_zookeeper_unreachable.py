"""A broker cannot reach ZooKeeper for a minute: writes go on in time, and no record is lost.

The broker keeps running and believes that it leads: clients have to switch by themselves.
"""

import time

from testing import faults
from testing.cluster import Cluster
from testing.traffic import TOPIC, Traffic

CUT_SECONDS = 60
# Until its session expires (18 s) the broker leads, and writes go on. After that a request waits
# for followers that have left: 15 s, the timeout in files of `make access`, and then its retry.
LONGEST_GAP_SECONDS = 30


def test_clients_switch_from_a_broker_without_zookeeper(cluster: Cluster):
    broker = cluster.brokers.leader_of(f"{TOPIC}-0")
    victim = cluster.topology.brokers[broker]
    ports = {instance.port for instance in cluster.topology.zookeepers.values()}
    rules = [f"OUTPUT -p tcp --dport {port} -j DROP" for port in ports]

    with Traffic(cluster.topology.bootstrap, rate=300) as traffic:
        with faults.filtered(cluster, victim, *rules):
            # The duration of the fault is part of the test.
            time.sleep(CUT_SECONDS)
            led_by = cluster.brokers.leader_of(f"{TOPIC}-0")
        cluster.wait_until_whole()
    result = traffic.verify()
    print(f"longest gap: {result.longest_gap:.1f} s")

    assert led_by != broker
    assert (result.lost, result.errors) == ([], {})
    assert result.longest_gap <= LONGEST_GAP_SECONDS
