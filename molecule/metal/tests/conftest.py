"""What only the drills need."""

import os
from contextlib import suppress

import pytest
from kafka.admin import NewTopic
from kafka.errors import TopicAlreadyExistsError
from testing import access
from testing.cluster import Cluster
from testing.traffic import TOPIC


@pytest.fixture(scope="session", autouse=True)
def _clients_are_other_machines() -> None:
    """The control node takes what hosts leave: elsewhere it has its own processors."""
    os.nice(10)


@pytest.fixture(scope="session", autouse=True)
def _topic_of_the_drills(platform: Cluster) -> None:
    """Declared in this scenario; others that run a drill have content of their own.

    Twelve partitions put leaders on every broker and on both of its disks.
    """
    platform.wait_until_whole()
    topic = NewTopic(TOPIC, num_partitions=12, replication_factor=3)
    with access.admin(platform.topology.bootstrap) as admin, suppress(TopicAlreadyExistsError):
        admin.create_topics([topic])
