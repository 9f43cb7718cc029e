# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The replicas of one broker: where they lie, moving them, and what they hold."""

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
except ImportError:  # connecting.MISSING tells.
    pass

from .._common.deadlines import Deadline
from .._kafka.client import PAUSE
from .._kafka.cluster import ClusterConnection
from .._kafka.endpoints import ClusterError
from .log_dir_model import Dir, Move, Replica

THROTTLE = "replica.alter.log.dirs.io.max.bytes.per.second"
CLEANUP = "cleanup.policy"
# Read at once from one partition, and in one request.
PARTITION_BYTES = 1 << 20
REQUEST_BYTES = 16 << 20
# The last version of Fetch that names topics instead of their ids; since 11 any replica answers.
FETCH_VERSION = 12

Key = tuple[str, int]


class ReplicaConnection(ClusterConnection):
    """A connection that moves and reads replicas."""

    def dirs(self, broker: int) -> list[Dir]:
        """The log dirs of a broker with their replicas; raises ClusterError."""
        answers = self.ask(
            f"log dirs of broker {broker}", self.admin.describe_log_dirs, None, [broker]
        )
        return [dir_of(found) for found in answers[0]["log_dirs"]]

    def move(self, broker: int, moves: Sequence[Move]) -> None:
        """Let the broker start these moves; raises ClusterError with the first refusal."""
        orders = {
            (move.replica.topic, move.replica.partition, broker): move.target for move in moves
        }
        answers = self.ask(f"moves on broker {broker}", self.admin.alter_replica_log_dirs, orders)
        for place, error in answers.items():
            if error.errno:
                raise ClusterError(
                    f"broker {broker} refuses to move {place.topic}-{place.partition}: "
                    f"{error.__name__}"
                )

    def throttle(self, broker: int) -> int | None:
        """Bytes per second that moves on a broker are limited to, None for no limit."""
        resource = ConfigResource("broker", str(broker), [THROTTLE])
        found = self.ask(
            f"limit of moves on broker {broker}", self.admin.describe_configs, [resource]
        )
        entry = found.get("broker", {}).get(str(broker), {}).get(THROTTLE)
        if not entry or entry["config_source"] != "DYNAMIC_BROKER_CONFIG":
            return None
        return int(entry["value"])

    def limit(self, broker: int, rate: int | None) -> bool:
        """Limit moves on a broker to bytes per second, None for no limit; whether changed."""
        if self.throttle(broker) == rate:
            return False
        change = self.admin.reset_configs if rate is None else self.admin.alter_configs
        keys: Any = [THROTTLE] if rate is None else {THROTTLE: str(rate)}
        answer = self.ask(
            f"limit of moves on broker {broker}",
            change,
            [ConfigResource("broker", str(broker), keys)],
            raise_on_unknown=False,
        )
        said = answer.get("broker", {}).get(str(broker), "OK")
        if said != "OK":
            raise ClusterError(f"limit of moves on broker {broker}: {said}")
        # A broker learns of it a little later: a limit that is lifted next must be seen first.
        deadline = Deadline(self.request_timeout)
        while self.throttle(broker) != rate:
            if deadline.passed():
                raise ClusterError(f"limit of moves on broker {broker} is not in force")
            time.sleep(PAUSE)
        return True

    def compacted(self, topics: Iterable[str]) -> set[str]:
        """Those of the topics that keep the last record of each key."""
        resources = [ConfigResource("topic", name, [CLEANUP]) for name in sorted(topics)]
        if not resources:
            return set()
        found = self.ask(
            f"{CLEANUP} of topics", self.admin.describe_configs, resources, config_filter="all"
        )
        return {
            name
            for name, keys in found.get("topic", {}).items()
            if "compact" in keys[CLEANUP]["value"]
        }

    def offsets(self, keys: Iterable[Key]) -> tuple[dict[Key, int], dict[Key, int]]:
        """First and next offset of partitions, as their leaders have them."""
        places = [TopicPartition(*key) for key in keys]
        both = []
        for spec in (OffsetSpec.EARLIEST, OffsetSpec.LATEST):
            wanted = dict.fromkeys(places, spec)
            found = self.ask("offsets", self.admin.list_partition_offsets, wanted) if places else {}
            both.append({(at.topic, at.partition): said.offset for at, said in found.items()})
        return both[0], both[1]

    def fetch(self, broker: int, offsets: Mapping[Key, int]) -> dict[Key, tuple[int, bytes]]:
        """Error code and records of partitions from their offsets on, as this broker has them."""
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
        answer = self.ask(f"records of broker {broker}", manager.run, manager.send, request, broker)
        # Not by to_dict, which makes text of bytes.
        return {
            (topic.topic, part.partition_index): (part.error_code, bytes(part.records or b""))
            for topic in answer.responses
            for part in topic.partitions
        }


def dir_of(found: Mapping[str, Any]) -> Dir:
    """A log dir as Kafka describes it."""
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
        error=for_code(code).__name__ if code else "",
    )


def by_key(dirs: Iterable[Dir]) -> dict[Key, int]:
    """Size of each complete replica of a broker."""
    return {(r.topic, r.partition): r.size for each in dirs for r in each.settled}
