# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Read the replicas of one broker, move them between log dirs, and fetch their records."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

try:
    from kafka import TopicPartition
    from kafka.admin import ConfigResource
    from kafka.errors import for_code
    from kafka.protocol.consumer import FetchRequest, OffsetSpec
except ImportError:  # ``client.MISSING`` reports it.
    pass

from .._common.deadlines import Deadline
from .._kafka.client import PAUSE
from .._kafka.cluster import ClusterConnection
from .._kafka.endpoints import ClusterError
from .log_dir_model import Dir, Move, Replica

THROTTLE = "replica.alter.log.dirs.io.max.bytes.per.second"
CLEANUP = "cleanup.policy"
# Limits of one fetch request: per partition, and in total.
PARTITION_BYTES = 1 << 20
REQUEST_BYTES = 16 << 20
# Last version of Fetch with topic names instead of ids; since 11 followers can serve it.
FETCH_VERSION = 12

Key = tuple[str, int]


class ReplicaConnection(ClusterConnection):
    """A connection that reads replicas and moves them between log dirs."""

    def dirs(self, broker: int) -> list[Dir]:
        """Return the log dirs of a broker with their replicas; raises ClusterError."""
        answers = self.call(
            f"reading log dirs of broker {broker}", self.admin.describe_log_dirs, None, [broker]
        )
        return [parse_log_dir(found) for found in answers[0]["log_dirs"]]

    def move(self, broker: int, moves: Sequence[Move]) -> None:
        """Start moves on a broker; raises ClusterError with the first error."""
        targets = {
            (move.replica.topic, move.replica.partition, broker): move.target for move in moves
        }
        answers = self.call(
            f"starting moves on broker {broker}", self.admin.alter_replica_log_dirs, targets
        )
        for place, error in answers.items():
            if error.errno:
                raise ClusterError(
                    f"broker {broker} rejects the move of {place.topic}-{place.partition}: "
                    f"{error.__name__}"
                )

    def read_throttle(self, broker: int) -> int | None:
        """Return the limit of moves on a broker in bytes per second, None for no limit."""
        resource = ConfigResource("broker", str(broker), [THROTTLE])
        found = self.call(
            f"reading the limit of moves on broker {broker}",
            self.admin.describe_configs,
            [resource],
        )
        entry = found.get("broker", {}).get(str(broker), {}).get(THROTTLE)
        if not entry or entry["config_source"] != "DYNAMIC_BROKER_CONFIG":
            return None
        return int(entry["value"])

    def limit(self, broker: int, rate: int | None) -> bool:
        """Limit moves on a broker to ``rate`` bytes per second, None for no limit.

        Return whether the limit changed.
        """
        if self.read_throttle(broker) == rate:
            return False
        change = self.admin.reset_configs if rate is None else self.admin.alter_configs
        keys: Any = [THROTTLE] if rate is None else {THROTTLE: str(rate)}
        answer = self.call(
            f"changing the limit of moves on broker {broker}",
            change,
            [ConfigResource("broker", str(broker), keys)],
            raise_on_unknown=False,
        )
        result = answer.get("broker", {}).get(str(broker), "OK")
        if result != "OK":
            raise ClusterError(f"changing the limit of moves on broker {broker}: {result}")
        # Brokers apply it with a delay; a later removal of the limit must not overtake it.
        deadline = Deadline(self.request_timeout)
        while self.read_throttle(broker) != rate:
            if deadline.passed():
                raise ClusterError(f"limit of moves on broker {broker} is not effective")
            time.sleep(PAUSE)
        return True

    def compacted(self, topics: Iterable[str]) -> set[str]:
        """Return those topics whose cleanup.policy includes compact."""
        resources = [ConfigResource("topic", name, [CLEANUP]) for name in sorted(topics)]
        if not resources:
            return set()
        found = self.call(
            f"reading {CLEANUP} of topics",
            self.admin.describe_configs,
            resources,
            config_filter="all",
        )
        return {
            name
            for name, keys in found.get("topic", {}).items()
            if "compact" in keys[CLEANUP]["value"]
        }

    def offsets(self, keys: Iterable[Key]) -> tuple[dict[Key, int], dict[Key, int]]:
        """Return first and next offset by partition, read from the leaders."""
        places = [TopicPartition(*key) for key in keys]
        both = []
        for spec in (OffsetSpec.EARLIEST, OffsetSpec.LATEST):
            wanted = dict.fromkeys(places, spec)
            found = (
                self.call("reading offsets", self.admin.list_partition_offsets, wanted)
                if places
                else {}
            )
            both.append({(at.topic, at.partition): each.offset for at, each in found.items()})
        return both[0], both[1]

    def fetch(self, broker: int, offsets: Mapping[Key, int]) -> dict[Key, tuple[int, bytes]]:
        """Return error code and records by partition, read from ``broker`` from ``offsets`` on."""
        topics: dict[str, list[Any]] = defaultdict(list)
        for (topic, partition), offset in offsets.items():
            topics[topic].append(
                FetchRequest.FetchTopic.FetchPartition(
                    partition=partition,
                    fetch_offset=offset,
                    partition_max_bytes=PARTITION_BYTES,
                )
            )
        request = FetchRequest(
            max_version=FETCH_VERSION,
            max_wait_ms=0,
            min_bytes=0,
            max_bytes=REQUEST_BYTES,
            topics=[
                FetchRequest.FetchTopic(topic=topic, partitions=parts)
                for topic, parts in topics.items()
            ],
        )
        manager = self.admin._manager
        answer = self.call(
            f"reading records of broker {broker}", manager.run, manager.send, request, broker
        )
        # Not to_dict(), which converts bytes to text.
        return {
            (topic.topic, part.partition_index): (part.error_code, bytes(part.records or b""))
            for topic in answer.responses
            for part in topic.partitions
        }


def error_name(code: int) -> str:
    """Return Kafka's name of an error code."""
    return str(for_code(code).__name__)


def parse_log_dir(found: Mapping[str, Any]) -> Dir:
    """Return the log dir of Kafka's description."""
    code = found["error_code"]
    return Dir(
        path=found["log_dir"],
        replicas=tuple(
            Replica(
                topic["name"],
                part["partition_index"],
                part["partition_size"],
                part["is_future_key"],
            )
            for topic in found.get("topics") or ()
            for part in topic["partitions"]
        ),
        total=max(0, found.get("total_bytes", 0)),
        usable=max(0, found.get("usable_bytes", 0)),
        error=error_name(code) if code else "",
    )


def sizes_by_partition(dirs: Iterable[Dir]) -> dict[Key, int]:
    """Return the size of each complete replica by partition."""
    return {(r.topic, r.partition): r.size for each in dirs for r in each.complete}
