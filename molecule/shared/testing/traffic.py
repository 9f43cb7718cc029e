"""Records that are sent during a fault; every acknowledged record is looked up afterwards.

A client sends numbered records to every partition of a topic with acks=all and idempotence.
Afterwards each acknowledged record must be at its acknowledged offset.
"""

import itertools
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from testing import topic_records
from testing.producer import Producer

TOPIC = "drill"


@dataclass
class Result:
    """Counts of sent, acknowledged, failed, lost and duplicate records."""

    sent: int = 0
    acknowledged: int = 0
    # Failed sends by partition and error.
    errors: dict[tuple[int | None, str], int] = field(default_factory=dict)
    # Acknowledged records that are not at their offset: partition, offset, value.
    lost: list[tuple[int, int | None, str]] = field(default_factory=list)
    # Additional copies of records in the log.
    duplicates: int = 0
    # Longest time between two acknowledgements, in seconds, by partition.
    gaps: dict[int, float] = field(default_factory=dict)

    @property
    def longest_gap(self) -> float:
        """Return the longest gap of all partitions, in seconds."""
        return max(self.gaps.values())


class Traffic:
    """A stream of ``rate`` records a second to all partitions, within a context.

    A negative control sends with ``acks=1``: only the leader acknowledges a record.
    """

    def __init__(self, bootstrap: str, rate: int = 600, topic: str = TOPIC, acks: int = -1) -> None:
        self._bootstrap, self._topic = bootstrap, topic
        with topic_records.reader(bootstrap) as consumer:
            self._partitions = topic_records.partitions(consumer, topic)
        # Partition, offset and value of each acknowledged record.
        self._acknowledgements: list[tuple[int, int | None, str]] = []
        # Times of acknowledgements, in seconds since the epoch.
        self._moments: dict[int, list[float]] = defaultdict(list)
        self._errors: Counter[tuple[int | None, str]] = Counter()
        self._partition_of: dict[str, int] = {}
        self._sent = 0
        self._producer = Producer(bootstrap, topic, rate, acks, self._received)
        self._ended = False

    def __enter__(self) -> "Traffic":
        self._producer.__enter__()
        # Gaps are measured from the first acknowledgement of each partition.
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

    def _received(self, name: str, **fields: Any) -> None:
        """Record one line of the producer's output; ``name`` is its kind."""
        if name == "producer_send_success":
            partition, offset = fields["partition"], fields["offset"]
            self._partition_of[fields["key"]] = partition
            # A retry of a record that the broker already had is acknowledged without an offset.
            known = offset if offset >= 0 else None
            self._acknowledgements.append((partition, known, fields["value"]))
            self._moments[partition].append(fields["timestamp"] / 1000)
        elif name == "producer_send_error":
            kind = fields["exception"].rpartition(".")[2]
            self._errors[self._partition_of.get(fields["key"]), kind] += 1
        elif name == "tool_data":
            self._sent = fields["sent"]

    def acknowledged(self) -> int:
        """Return the number of records acknowledged so far."""
        return len(self._acknowledgements)

    def gaps(self) -> dict[int, float]:
        """Return the longest gap between acknowledgements by partition, including a current one."""
        now = [] if self._ended else [time.time()]
        return {
            partition: max(later - earlier for earlier, later in itertools.pairwise(moments + now))
            for partition, moments in self._moments.items()
        }

    def verify(self, seconds: float = 120) -> Result:
        """Stop sending, read the whole topic and look up each acknowledged record."""
        self.__exit__()
        found = {
            (record.partition(), record.offset()): record.value().decode()
            for record in topic_records.records(self._bootstrap, self._topic, seconds=seconds)
        }
        own = f"{self._producer.run}."
        # The topic also has records of other runs.
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
        """Return the acknowledged records that are not at their offset.

        A record that was acknowledged without an offset may be anywhere in its partition.
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
