"""A connection to Kafka whose client returns prepared responses."""

from types import SimpleNamespace

from ansible_collections.metal.kafka.plugins.module_utils._common.deadlines import Deadline
from ansible_collections.metal.kafka.plugins.module_utils._content.topic_client import (
    TopicConnection,
)
from ansible_collections.metal.kafka.plugins.module_utils._kafka.cluster import ClusterConnection


class FakeConnection(TopicConnection, ClusterConnection):
    """A connection that reads topics and clusters."""


def connection(**responses):
    """A connection whose client has these methods; see ``in_sequence``."""
    made = FakeConnection.__new__(FakeConnection)
    made.admin = SimpleNamespace(**responses)
    made.timeout, made.batch, made.request_timeout = 1, 50, 0.25
    made.deadline = Deadline(1)
    return made


def in_sequence(*responses):
    left = list(responses)

    def request(*_args, **_keys):
        found = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(found, Exception):
            raise found
        return found

    return request


def described(name, *leaders, error=0):
    return {
        "name": name,
        "error_code": error,
        "partitions": [
            {
                "partition_index": number,
                "leader_id": leader,
                "replica_nodes": [2, 1],
                "isr_nodes": [1],
            }
            for number, leader in reversed(list(enumerate(leaders)))
        ],
    }
