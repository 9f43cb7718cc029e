"""A broker cannot reach ZooKeeper for a minute: how long writes wait, and every record counted.

It stays up and thinks that it leads: clients must leave it by themselves.
"""

import time

from testing import faults
from testing.cluster import Cluster
from testing.traffic import TOPIC, Traffic

CUT_SECONDS = 60
# Until its session has expired (18 s) it leads, and writes go on. From then on a request waits for
# followers that have left: 15 s by the files that `make access` hands out, and a request anew.
LONGEST_GAP_SECONDS = 30


def test_clients_leave_a_broker_that_zookeeper_has_given_up(cluster: Cluster):
    broker = cluster.brokers.leader_of(f"{TOPIC}-0")
    victim = cluster.topology.brokers[broker]
    ports = {instance.port for instance in cluster.topology.zookeepers.values()}
    rules = [f"OUTPUT -p tcp --dport {port} -j DROP" for port in ports]

    with Traffic(cluster.topology.bootstrap, rate=300) as traffic:
        with faults.filtered(cluster, victim, *rules):
            # The fault itself: what is asked is what happens in so long a time.
            time.sleep(CUT_SECONDS)
            led_by = cluster.brokers.leader_of(f"{TOPIC}-0")
        cluster.wait_until_whole()
    result = traffic.verify()
    print(f"longest gap: {result.longest_gap:.1f} s")

    assert led_by != broker
    assert (result.lost, result.errors) == ([], {})
    assert result.longest_gap <= LONGEST_GAP_SECONDS
