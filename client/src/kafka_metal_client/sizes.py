"""How large a record may be: the limit of its topic, and the bytes a broker counts for it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kafka_metal_client.errors import ClientError

# Kafka's default of max.message.bytes.
DEFAULT_LIMIT = 1_048_588
# A batch of one record: its header, and attributes and two differences of no value in the record.
BATCH_BYTES = 61
RECORD_BYTES = 3
# Batches of several records stay below librdkafka's own default, whatever a topic allows.
LARGEST_BATCH = 1_000_000
# librdkafka counts less than a broker does: header and varints of a batch.
MARGIN = 512
# What librdkafka takes as message.max.bytes.
SMALLEST_SETTING, LARGEST_SETTING = 1_000, 1_000_000_000
ASK_SECONDS = 20
NO_RIGHT = {"TOPIC_AUTHORIZATION_FAILED", "CLUSTER_AUTHORIZATION_FAILED"}

Headers = Iterable[tuple[str, bytes | None]]


@dataclass(frozen=True)
class Limit:
    """``size``: bytes of a batch that a topic takes; ``asked``: the cluster said so."""

    size: int = DEFAULT_LIMIT
    asked: bool = False

    def settings(self) -> dict[str, object]:
        """Settings of a producer whose batches the topic takes."""
        return {
            "message.max.bytes": min(max(self.size, SMALLEST_SETTING), LARGEST_SETTING),
            # The first record of a batch may be larger than this.
            "batch.size": max(1, min(self.size - MARGIN, LARGEST_BATCH)),
            # A large record waits for room, not for a number of others.
            "queue.buffering.max.kbytes": max(262_144, 2 * self.size // 1024),
        }


def batch_bytes(key: bytes | None, value: bytes | None, headers: Headers = ()) -> int:
    """Bytes of the batch that holds this record alone, uncompressed: what a broker compares."""
    rows = list(headers)
    body = RECORD_BYTES + _field(key) + _field(value) + _varint(len(rows))
    body += sum(_field(name.encode()) + _field(content) for name, content in rows)
    return BATCH_BYTES + _varint(body) + body


def limit_of(bootstrap: str, extra: Mapping[str, str], topic: str) -> Limit:
    """The limit of a topic; Kafka's default where the user may not read its configuration."""
    from confluent_kafka import KafkaException
    from confluent_kafka.admin import AdminClient, ConfigResource

    from kafka_metal_client import brokers

    admin = AdminClient(brokers.common_config(bootstrap, extra), logger=brokers.quiet())
    resource = ConfigResource(ConfigResource.Type.TOPIC, topic)
    (answer,) = admin.describe_configs([resource], request_timeout=ASK_SECONDS).values()
    try:
        entries: Mapping[str, Any] = answer.result(timeout=ASK_SECONDS + 5)
    except KafkaException as error:
        if error.args[0].name() in NO_RIGHT:
            return Limit()
        raise ClientError(
            f"the limit of topic {topic} cannot be read: {error.args[0].str()}; nothing was sent"
        ) from error
    return Limit(int(entries["max.message.bytes"].value), asked=True)


def _field(content: bytes | None) -> int:
    """Bytes of a length and its content; none has the length -1."""
    return 1 if content is None else _varint(len(content)) + len(content)


def _varint(number: int) -> int:
    """Bytes of a length of Kafka's: seven bits each, of the number doubled."""
    return max(1, ((number << 1).bit_length() + 6) // 7)
