"""A broker hangs for a minute: writes go on in time, and no record is lost."""

import pytest
from testing.cluster import Cluster
from testing.faults import frozen
from testing.streams import TOPIC

FROZEN_SECONDS = 60
# The session of a broker (18 s), the client's timeout (15 s), and a retry.
LONGEST_GAP_SECONDS = 35


@pytest.mark.parametrize("partition", [f"{TOPIC}-0", f"{TOPIC}-1", f"{TOPIC}-2"])
def test_clients_switch_from_a_hung_broker(cluster: Cluster, partition: str):
    victim = cluster.topology.brokers[cluster.brokers.leader_of(partition)]
    ledger, result = cluster.stream_during_fault(
        frozen(cluster, victim), FROZEN_SECONDS, finish_seconds=180
    )

    assert ledger["acknowledged"] == 60_000
    assert result["lost_offsets"] == {}
    assert ledger["longest_gap_seconds"] <= LONGEST_GAP_SECONDS
