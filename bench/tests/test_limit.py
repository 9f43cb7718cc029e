import pytest
from kafka_metal_bench.limit import Broker, shared, x_max

MB = 1e6


@pytest.mark.parametrize(
    ("broker", "brokers", "replicas", "readers", "limit", "bound"),
    [
        # N = r: the limit is the disk of one broker, for any N.
        (Broker(800 * MB, 1250 * MB, 1250 * MB), 3, 3, 0, 800 * MB, "disk"),
        # Without replication the disks add up.
        (Broker(800 * MB, 1250 * MB, 1250 * MB), 3, 1, 0, 2400 * MB, "disk"),
        # The published table: 1 Gbit/s, six disks of 137 MB/s, three replicas.
        (Broker(822 * MB, 125 * MB, 125 * MB), 3, 3, 0, 125 * MB, "network in"),
        # Five consumers: each record leaves r-1+f = 7 times.
        (Broker(800 * MB, 1250 * MB, 1250 * MB), 3, 3, 5, 3 * 1250 * MB / 7, "network out"),
        # Only consumers: nothing is written.
        (Broker(800 * MB, 1250 * MB, 1250 * MB), 3, 0, 1, 3750 * MB, "network out"),
    ],
)
def test_the_first_saturated_resource_limits_the_rate(
    broker, brokers, replicas, readers, limit, bound
):
    assert x_max(broker, brokers, replicas, readers) == (pytest.approx(limit), bound)


def test_without_replication_and_consumers_nothing_is_sent():
    # r-1+f = 0 must not be a divisor.
    assert x_max(Broker(100, 300, 1), 1, 1, 0) == (100, "disk")


def test_brokers_on_one_machine_share_its_capacity():
    assert shared(900.0, 3000.0, 3) == Broker(300, 1000, 1000)
    assert x_max(shared(900.0, 3000.0, 3), 3, 3, 0) == (300, "disk")
    assert x_max(shared(900.0, None, 3), 3, 1, 0) == (900, "disk")


def test_no_writes_and_no_reads_are_an_error():
    with pytest.raises(ValueError, match="nothing is written or read"):
        x_max(Broker(1, 1, 1), 3, 0, 0)
