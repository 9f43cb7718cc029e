"""The verification of drills finds every acknowledged record when there is no fault."""

from testing.cluster import Cluster
from testing.traffic import Traffic


def test_every_acknowledged_record_is_found_at_its_offset(cluster: Cluster):
    with Traffic(cluster.topology.bootstrap) as traffic:
        pass
    result = traffic.verify()

    assert result.acknowledged == result.sent > 0
    assert (result.lost, result.duplicates, result.errors) == ([], 0, {})
