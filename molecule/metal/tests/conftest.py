"""What only the drills need."""

import os

import pytest
from kafka import KafkaAdminClient
from kafka.admin import NewTopic
from kafka.errors import TopicAlreadyExistsError
from testing import access
from testing.cluster import Cluster
from testing.traffic import TOPIC


@pytest.fixture(scope="session", autouse=True)
def _clients_are_other_machines() -> None:
    """Clients and the control node take what hosts leave: elsewhere they have their own processors.

    While a leader moves, librdkafka's threads turn without a pause and take a core each.
    """
    os.nice(10)


@pytest.fixture(scope="session", autouse=True)
def _topic_of_the_drills(platform: Cluster) -> None:
    """Declared in this scenario; others that run a drill have content of their own.

    Twelve partitions put leaders on every broker and on both of its disks.
    """
    platform.wait_until_whole()
    admin = KafkaAdminClient(
        bootstrap_servers=platform.topology.bootstrap.split(","), **access.kafka_python()
    )
    try:
        admin.create_topics([NewTopic(TOPIC, num_partitions=12, replication_factor=3)])
    except TopicAlreadyExistsError:
        pass
    finally:
        admin.close()
