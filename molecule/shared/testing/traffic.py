"""Records that are sent while something happens, each acknowledgement written down and looked up.

One thread sends numbered records to every partition of a topic, with acks=all and idempotence as
any careful client does. Afterwards each acknowledged record must stand at its acknowledged offset.
"""

import itertools
import threading
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)

from testing import access

TOPIC = "drill"
DELIVERY_SECONDS = 120


@dataclass
class Account:
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

    ``config`` overrides settings of the producer: a negative control sends with ``acks: 1``.
    """

    def __init__(self, bootstrap: str, rate: int = 600, topic: str = TOPIC, **config: Any) -> None:
        self._bootstrap, self._topic, self._rate = bootstrap, topic, rate
        # Records of other runs stand in the topic too.
        self._run = uuid.uuid4().hex[:8]
        self._producer = Producer(
            {
                "bootstrap.servers": bootstrap,
                **access.librdkafka(),
                "acks": "all",
                "enable.idempotence": str(config.get("acks", "all")) in ("all", "-1"),
                "linger.ms": 5,
                # As the Java client has it. The default of this library is 10 s: it would wait that
                # long before it looks again whether a restarted broker is back.
                "reconnect.backoff.max.ms": 1000,
                "delivery.timeout.ms": DELIVERY_SECONDS * 1000,
                # Brokers that a drill has just stopped are no news.
                "log_level": 0,
                **config,
            }
        )
        metadata = self._producer.list_topics(topic, timeout=10)
        self._partitions = sorted(metadata.topics[topic].partitions)
        # Partition, offset and value of each acknowledged record.
        self._acknowledgements: list[tuple[int, int | None, str]] = []
        self._moments: dict[int, list[float]] = defaultdict(list)
        self._errors: dict[tuple[int | None, str], int] = defaultdict(int)
        self._sent = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._send, daemon=True)

    def __enter__(self) -> "Traffic":
        self._thread.start()
        # Only now do all partitions have a first acknowledgement: gaps are measured from there.
        deadline = time.monotonic() + 30
        while set(self._moments) != set(self._partitions):
            assert time.monotonic() < deadline, f"no acknowledgement: {dict(self._errors)}"
            time.sleep(0.1)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _send(self) -> None:
        start = time.monotonic()
        for number, partition in enumerate(itertools.cycle(self._partitions)):
            if self._stop.is_set():
                break
            try:
                self._producer.produce(
                    self._topic,
                    f"{self._run}:{number}".encode(),
                    partition=partition,
                    on_delivery=self._delivered,
                )
                self._sent += 1
            except BufferError:
                pass  # A stalled partition: the next turn of the loop waits for it.
            except KafkaException as error:
                # Not even taken: a client without metadata is told so at once.
                self._errors[partition, error.args[0].str()] += 1
            self._producer.poll(max(0.0, start + number / self._rate - time.monotonic()))
        self._producer.flush(DELIVERY_SECONDS)

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        if error:
            self._errors[message.partition(), error.str()] += 1
            return
        self._acknowledgements.append(
            (message.partition(), message.offset(), message.value().decode())
        )
        self._moments[message.partition()].append(time.monotonic())

    def acknowledged(self) -> int:
        """Records acknowledged so far."""
        return len(self._acknowledgements)

    def gaps(self) -> dict[int, float]:
        """Longest time without an acknowledgement by partition; one that still lasts counts too."""
        now = [] if self._stop.is_set() else [time.monotonic()]
        return {
            partition: max(later - earlier for earlier, later in itertools.pairwise(moments + now))
            for partition, moments in self._moments.items()
        }

    def account(self, seconds: float = 120) -> Account:
        """Stop sending, read the whole topic and look up each acknowledged record."""
        self._stop.set()
        self._thread.join()
        found = dict(self._read(seconds))
        copies = Counter(value for value in found.values() if value.startswith(f"{self._run}:"))
        return Account(
            sent=self._sent,
            acknowledged=len(self._acknowledgements),
            errors=dict(self._errors),
            lost=self._lost(found),
            duplicates=copies.total() - len(copies),
            gaps=self.gaps(),
        )

    def _lost(self, found: Mapping[tuple[int, int], str]) -> list[tuple[int, int | None, str]]:
        """Acknowledged records that are not at their offset.

        A repeated send that the broker already had is acknowledged without an offset: such a record
        must stand anywhere in its partition.
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
        consumer = Consumer(
            {
                "bootstrap.servers": self._bootstrap,
                **access.librdkafka(),
                "group.id": f"drill-{self._run}",
                "enable.auto.commit": "false",
                "enable.partition.eof": "true",
                "log_level": 0,
            }
        )
        deadline = time.monotonic() + seconds
        unread = set(self._partitions)
        consumer.assign([TopicPartition(self._topic, p, OFFSET_BEGINNING) for p in unread])
        try:
            while unread:
                assert time.monotonic() < deadline, f"not read to the end: partitions {unread}"
                message = consumer.poll(1)
                if message is None:
                    continue
                if error := message.error():
                    if error.code() == KafkaError._PARTITION_EOF:
                        unread.discard(message.partition())
                    continue
                yield (message.partition(), message.offset()), message.value().decode()
        finally:
            consumer.close()
