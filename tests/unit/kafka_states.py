"""Short constructors of clusters for tests."""

from ansible_collections.metal.kafka.plugins.module_utils._kafka.snapshot import (
    Broker,
    Cluster,
    Partition,
)


def partition(name, isr, replicas=(1, 2, 3), leader=None, adding=()):
    """A partition by its short name; its leader is the first replica in sync, if any."""
    topic, _, number = name.rpartition("-")
    led_by = leader if leader is not None else (isr[0] if isr else -1)
    return Partition(topic, int(number), led_by, tuple(replicas), tuple(isr), tuple(adding))


def cluster(*partitions, brokers=(1, 2, 3), min_isr=2, controller=1, **more):
    """A cluster of these partitions, all with the same min.insync.replicas."""
    return Cluster(
        id="test",
        controller=controller,
        brokers=tuple(Broker(number, f"host{number}", 9092) for number in brokers),
        partitions=tuple(partitions),
        min_isr={part.topic: min_isr for part in partitions},
        **more,
    )
