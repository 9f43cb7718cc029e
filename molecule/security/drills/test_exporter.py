"""The exporter keeps reading when a group gets another coordinator, as in a broker's restart."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import reduce

import pytest
from kafka import KafkaAdminClient, KafkaConsumer
from kafka.structs import OffsetAndMetadata, TopicPartition
from testing import access
from testing.brokers import Partition
from testing.cluster import Cluster
from testing.streams import TOPIC
from testing.waiting import NotYet, wait_for

GROUP = "coordinator-test"
OFFSETS = "__consumer_offsets"
# Between two reads librdkafka drops its cached coordinator. The exporter's interval is 15 s.
PAUSE_SECONDS = 5
# Prints a group's committed offsets, as the exporter reads them, for each line of its input. It
# runs in its own process because librdkafka may crash.
EXPORTER = """
import json, sys
from kafka_metal_watch.cluster import Kafka
kafka, group = Kafka(json.loads(sys.argv[1])), sys.argv[2]
for _ in sys.stdin:
    read = kafka.committed([group])
    print(read.unread.get(group) or sum(read.found[group].values()), flush=True)
"""


@pytest.fixture
def admin(cluster: Cluster) -> Iterator[KafkaAdminClient]:
    with access.admin(cluster.topology.bootstrap) as client:
        yield client


@pytest.fixture
def committed(cluster: Cluster, admin: KafkaAdminClient) -> Iterator[int]:
    """Commit an offset of GROUP and return it."""
    with KafkaConsumer(
        bootstrap_servers=cluster.topology.bootstrap.split(","),
        group_id=GROUP,
        enable_auto_commit=False,
        **access.kafka_python(),
    ) as consumer:
        consumer.assign([TopicPartition(TOPIC, 0)])
        consumer.commit({TopicPartition(TOPIC, 0): OffsetAndMetadata(7, "", -1)})
    yield 7
    admin.delete_groups([GROUP])


def exporter(cluster: Cluster) -> subprocess.Popen[str]:
    """Start the process; it ends when its input is closed."""
    settings = {**access.librdkafka(), "bootstrap.servers": cluster.topology.bootstrap}
    return subprocess.Popen(
        [sys.executable, "-c", EXPORTER, json.dumps(settings), GROUP],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def partition_of(group: str, partitions: int) -> int:
    """Return the partition of a group's offsets: Java's hash of its name."""
    code = reduce(lambda found, sign: (31 * found + ord(sign)) & 0xFFFFFFFF, group, 0)
    return (code & 0x7FFFFFFF) % partitions


def test_the_exporter_reads_from_another_coordinator(
    cluster: Cluster, admin: KafkaAdminClient, committed: int
):
    count = sum(each.name.startswith(f"{OFFSETS}-") for each in cluster.brokers.partitions())
    where = TopicPartition(OFFSETS, partition_of(GROUP, count))

    def coordinated() -> Partition:
        name = f"{OFFSETS}-{where.partition}"
        return next(each for each in cluster.brokers.partitions() if each.name == name)

    with exporter(cluster) as process:
        assert process.stdin
        assert process.stdout

        def read() -> str:
            time.sleep(PAUSE_SECONDS)
            process.stdin.write("\n")
            process.stdin.flush()
            return process.stdout.readline().strip()

        def reads() -> None:
            if (found := read()) != str(committed):
                assert process.poll() is None, f"it ended with {process.returncode}"
                raise NotYet(found)

        wait_for("the offset is read", reads, seconds=20)
        first, *others = coordinated().replicas
        for order in ([*others, first], [first, *others]):
            admin.alter_partition_reassignments({where: order})
            wait_for("the order is changed", lambda: settled(admin, where), seconds=30)
            admin.elect_leaders(0, {where.topic: [where.partition]}, raise_errors=False)

            def led(wanted: int = order[0]) -> None:
                if (found := coordinated().leader) != wanted:
                    raise NotYet(f"broker {found} leads")

            wait_for("another broker is the coordinator", led, seconds=20)
            wait_for("the offset is read from it, too", reads, seconds=20)


def settled(admin: KafkaAdminClient, where: TopicPartition) -> None:
    if admin.list_partition_reassignments([where]):
        raise NotYet("the reassignment is in progress")
