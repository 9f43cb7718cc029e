"""What acks=1 loses when a disk dies: the control of the drill that loses nothing."""

import time

from testing import disk_faults
from testing.cluster import Cluster
from testing.disk_faults import LEADER_SECONDS, Victim
from testing.traffic import Traffic
from testing.waiting import wait_for


def test_the_account_reports_what_a_dead_disk_takes_from_careless_writers(
    cluster: Cluster, victim: Victim
):
    """The control: with acks=1 a leader answers alone; what followers lack dies with its disk."""
    followers = [
        cluster.machine(instance)
        for broker, instance in cluster.topology.brokers.items()
        if broker != victim.broker
    ]
    with Traffic(cluster.topology.bootstrap, rate=300, acks=1) as traffic:
        # Well within replica.lag.time.max.ms: they stay in sync in name.
        for machine in followers:
            machine.check_output("pkill -STOP -f kafka[.]Kafka")
        try:
            # The leader alone acknowledges 900 records, on the disk that fails then.
            time.sleep(3)
            victim.disk.fail()
            # It notices before the followers could fetch again.
            time.sleep(1)
        finally:
            for machine in followers:
                machine.check_output("pkill -CONT -f kafka[.]Kafka")
        wait_for(
            "the broker has given up the log dir",
            lambda: disk_faults.offline(cluster, victim.broker),
            LEADER_SECONDS,
        )
        # Records that the next leaders acknowledge.
        time.sleep(5)
    result = traffic.verify()
    assert result.lost, "records acknowledged by a dead disk alone were all found: nothing is shown"
