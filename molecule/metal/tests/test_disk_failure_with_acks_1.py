"""With acks=1 records are lost when a disk fails: the negative control of disk_failure."""

import time

from testing import disk_faults
from testing.cluster import Cluster
from testing.disk_faults import LEADER_SECONDS, Victim
from testing.traffic import Traffic
from testing.waiting import wait_for


def test_lost_records_of_acks_1_are_found(cluster: Cluster, victim: Victim):
    """With acks=1 only the leader acknowledges; records that followers lack are lost."""
    followers = [
        cluster.machine(instance)
        for broker, instance in cluster.topology.brokers.items()
        if broker != victim.broker
    ]
    with Traffic(cluster.topology.bootstrap, rate=300, acks=1) as traffic:
        # Shorter than replica.lag.time.max.ms: the followers remain in the ISR.
        for machine in followers:
            machine.check_output("pkill -STOP -f kafka[.]Kafka")
        try:
            # Only the leader acknowledges 900 records, on the disk that fails next.
            time.sleep(3)
            victim.disk.fail()
            # The leader notices the failure before the followers fetch again.
            time.sleep(1)
        finally:
            for machine in followers:
                machine.check_output("pkill -CONT -f kafka[.]Kafka")
        wait_for(
            "the log dir is offline",
            lambda: disk_faults.offline(cluster, victim.broker),
            LEADER_SECONDS,
        )
        # The new leaders acknowledge records, too.
        time.sleep(5)
    result = traffic.verify()
    assert result.lost, "no loss found although only the failed disk had acknowledged records"
