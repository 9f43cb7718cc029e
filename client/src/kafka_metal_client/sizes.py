"""Record sizes: the limit of a topic, and the bytes that a broker compares with it."""

from collections.abc import Iterable
from dataclasses import dataclass

# Kafka's default of max.message.bytes.
DEFAULT_LIMIT = 1_048_588
# Bytes of a batch of one record: the batch header, and in the record attributes and two deltas.
BATCH_BYTES = 61
RECORD_BYTES = 3
# librdkafka's default batch.size, used for any topic with a larger limit.
LARGEST_BATCH = 1_000_000
# Bytes of batch header and varints that librdkafka does not count, but a broker does.
MARGIN = 512
# librdkafka's range of message.max.bytes.
SMALLEST_SETTING, LARGEST_SETTING = 1_000, 1_000_000_000

Headers = Iterable[tuple[str, bytes | None]]


@dataclass(frozen=True)
class Limit:
    """``size``: max. bytes of a batch; ``from_topic``: read from the topic, not Kafka's default."""

    size: int = DEFAULT_LIMIT
    from_topic: bool = False

    def settings(self) -> dict[str, object]:
        """Return producer settings whose batches stay within the limit."""
        return {
            "message.max.bytes": min(max(self.size, SMALLEST_SETTING), LARGEST_SETTING),
            # The first record of a batch may exceed this.
            "batch.size": max(1, min(self.size - MARGIN, LARGEST_BATCH)),
            # Room for at least two of the largest records.
            "queue.buffering.max.kbytes": max(262_144, 2 * self.size // 1024),
        }


def batch_bytes(key: bytes | None, value: bytes | None, headers: Headers = ()) -> int:
    """Return the uncompressed bytes of a batch with this record alone, as a broker counts them."""
    rows = list(headers)
    body = RECORD_BYTES + _field(key) + _field(value) + _varint(len(rows))
    body += sum(_field(name.encode()) + _field(content) for name, content in rows)
    return BATCH_BYTES + _varint(body) + body


def _field(content: bytes | None) -> int:
    """Return the bytes of a length and its content; None is encoded as length -1."""
    return 1 if content is None else _varint(len(content)) + len(content)


def _varint(number: int) -> int:
    """Return the bytes of a zigzag varint: seven bits per byte."""
    return max(1, ((number << 1).bit_length() + 6) // 7)
