"""Records that are sent while something happens, each acknowledgement written down and looked up.

A client sends numbered records to every partition of a topic, with acks=all and idempotence as any
careful one does. Afterwards each acknowledged record must stand at its acknowledged offset.
"""

import itertools
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, TopicPartition

from testing import access
from testing.producer import Producer

TOPIC = "drill"


@dataclass
class Result:
    """What became of the records that were sent."""

    sent: int = 0
    acknowledged: int = 0
    # Refused sends by partition and error: each one is a record that a client was told is lost.
    errors: dict[tuple[int | None, str], int] = field(default_factory=dict)
    # Acknowledged records that are not where they were said to be: partition, offset, value.
    lost: list[tuple[int, int | None, str]] = field(default_factory=list)
    # Records that stand in the log more than once.
    duplicates: int = 0
    # Longest time between two acknowledgements, in seconds, by partition.
    gaps: dict[int, float] = field(default_factory=dict)

    @property
    def longest_gap(self) -> float:
        """The longest gap of all partitions."""
        return max(self.gaps.values())


class Traffic:
    """A stream of ``rate`` records a second to all partitions; use it as a context.

    A negative control sends with ``acks=1``: its leader answers alone, and nothing is repeated.
    """

    def __init__(self, bootstrap: str, rate: int = 600, topic: str = TOPIC, acks: int = -1) -> None:
        self._bootstrap, self._topic = bootstrap, topic
        with closing(self._reader()) as reader:
            metadata = reader.list_topics(topic, timeout=10)
        self._partitions = sorted(metadata.topics[topic].partitions)
        # Partition, offset and value of each acknowledged record.
        self._acknowledgements: list[tuple[int, int | None, str]] = []
        # Times of acknowledgements, in seconds since the epoch.
        self._moments: dict[int, list[float]] = defaultdict(list)
        self._errors: Counter[tuple[int | None, str]] = Counter()
        self._partition_of: dict[str, int] = {}
        self._sent = 0
        self._producer = Producer(bootstrap, topic, rate, acks, self._heard)
        self._ended = False

    def __enter__(self) -> "Traffic":
        self._producer.__enter__()
        # Only now do all partitions have a first acknowledgement: gaps are measured from there.
        deadline = time.monotonic() + 60
        while set(self._moments) != set(self._partitions):
            self._producer.check()
            assert time.monotonic() < deadline, f"no acknowledgement: {dict(self._errors)}"
            time.sleep(0.1)
        return self

    def __exit__(self, *_: object) -> None:
        if not self._ended:
            self._ended = True
            self._producer.__exit__()

    def _heard(self, name: str, **fields: Any) -> None:
        """One line of the producer, by its kind."""
        if name == "producer_send_success":
            partition, offset = fields["partition"], fields["offset"]
            self._partition_of[fields["key"]] = partition
            # A repeated send that the broker already had is acknowledged without an offset.
            place = offset if offset >= 0 else None
            self._acknowledgements.append((partition, place, fields["value"]))
            self._moments[partition].append(fields["timestamp"] / 1000)
        elif name == "producer_send_error":
            kind = fields["exception"].rpartition(".")[2]
            self._errors[self._partition_of.get(fields["key"]), kind] += 1
        elif name == "tool_data":
            self._sent = fields["sent"]

    def acknowledged(self) -> int:
        """Records acknowledged so far."""
        return len(self._acknowledgements)

    def gaps(self) -> dict[int, float]:
        """Longest time without an acknowledgement by partition; one that still lasts counts too."""
        now = [] if self._ended else [time.time()]
        return {
            partition: max(later - earlier for earlier, later in itertools.pairwise(moments + now))
            for partition, moments in self._moments.items()
        }

    def verify(self, seconds: float = 120) -> Result:
        """Stop sending, read the whole topic and look up each acknowledged record."""
        self.__exit__()
        found = dict(self._read(seconds))
        own = f"{self._producer.run}."
        # Records of other runs stand in the topic too.
        copies = Counter(value for value in found.values() if value.startswith(own))
        return Result(
            sent=self._sent,
            acknowledged=len(self._acknowledgements),
            errors=dict(self._errors),
            lost=self._lost(found),
            duplicates=copies.total() - len(copies),
            gaps=self.gaps(),
        )

    def _lost(self, found: Mapping[tuple[int, int], str]) -> list[tuple[int, int | None, str]]:
        """Acknowledged records that are not at their offset.

        One that was acknowledged without an offset must stand anywhere in its partition.
        """
        anywhere = {(partition, value) for (partition, _), value in found.items()}
        return [
            (partition, offset, value)
            for partition, offset, value in self._acknowledgements
            if (
                (partition, value) not in anywhere
                if offset is None
                else found.get((partition, offset)) != value
            )
        ]

    def _read(self, seconds: float) -> Iterator[tuple[tuple[int, int], str]]:
        """Value of every record of the topic with its partition and offset."""
        deadline = time.monotonic() + seconds
        unread = set(self._partitions)
        with closing(self._reader()) as reader:
            reader.assign([TopicPartition(self._topic, p, OFFSET_BEGINNING) for p in unread])
            while unread:
                assert time.monotonic() < deadline, f"not read to the end: partitions {unread}"
                message = reader.poll(1)
                if message is None:
                    continue
                if error := message.error():
                    if error.code() == KafkaError._PARTITION_EOF:
                        unread.discard(message.partition())
                    continue
                yield (message.partition(), message.offset()), message.value().decode()

    def _reader(self) -> Consumer:
        return Consumer(
            {
                "bootstrap.servers": self._bootstrap,
                **access.librdkafka(),
                "group.id": "drill",
                "enable.auto.commit": "false",
                "enable.partition.eof": "true",
                # Brokers that a drill has just stopped are no news.
                "log_level": 0,
            }
        )
