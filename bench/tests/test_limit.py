import pytest
from kafka_metal_bench.limit import Broker, shared, x_max

MB = 1e6


@pytest.mark.parametrize(
    ("broker", "brokers", "replicas", "readers", "limit", "bound"),
    [
        # N = r: one broker's disk is the cluster's limit, however many there are.
        (Broker(800 * MB, 1250 * MB, 1250 * MB), 3, 3, 0, 800 * MB, "disk"),
        # Without replication every disk counts.
        (Broker(800 * MB, 1250 * MB, 1250 * MB), 3, 1, 0, 2400 * MB, "disk"),
        # The published table: 1 Gbit/s, six disks of 137 MB/s, three replicas.
        (Broker(822 * MB, 125 * MB, 125 * MB), 3, 3, 0, 125 * MB, "network in"),
        # Five readers: each record leaves r-1+f = 7 times.
        (Broker(800 * MB, 1250 * MB, 1250 * MB), 3, 3, 5, 3 * 1250 * MB / 7, "network out"),
        # Only readers: nothing is written.
        (Broker(800 * MB, 1250 * MB, 1250 * MB), 3, 0, 1, 3750 * MB, "network out"),
    ],
)
def test_the_first_resource_that_is_full_bounds_the_rate(
    broker, brokers, replicas, readers, limit, bound
):
    assert x_max(broker, brokers, replicas, readers) == (pytest.approx(limit), bound)


def test_without_replication_and_readers_nothing_goes_out():
    # A division by r-1+f = 0 would be the bug.
    assert x_max(Broker(100, 300, 1), 1, 1, 0) == (100, "disk")


def test_brokers_on_one_machine_share_what_it_has():
    assert shared(900.0, 3000.0, 3) == Broker(300, 1000, 1000)
    assert x_max(shared(900.0, 3000.0, 3), 3, 3, 0) == (300, "disk")
    assert x_max(shared(900.0, None, 3), 3, 1, 0) == (900, "disk")


def test_nothing_written_and_nothing_read_has_no_limit():
    with pytest.raises(ValueError, match="nothing is written"):
        x_max(Broker(1, 1, 1), 3, 0, 0)
