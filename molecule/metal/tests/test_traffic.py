"""The account of a drill finds what it must: without this, no loss would prove nothing."""

from testing.cluster import Cluster
from testing.traffic import Traffic


def test_every_acknowledged_record_is_found_where_it_was_acknowledged(cluster: Cluster):
    with Traffic(cluster.topology.bootstrap) as traffic:
        pass
    result = traffic.verify()

    assert result.acknowledged == result.sent > 0
    assert (result.lost, result.duplicates, result.errors) == ([], 0, {})
