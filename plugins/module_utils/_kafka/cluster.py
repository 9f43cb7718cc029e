# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The state of a cluster, and who leads in it; every answer is a plain value of ``snapshot``."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from .._common.deadlines import Deadline, side_by_side
from .client import Connection
from .endpoints import ClusterError, words_of
from .leader_batches import electable, next_batch, partitions_of, warm_up_first
from .snapshot import NOBODY, Broker, Cluster, LogDir, Partition

# ``client`` says that the library is missing.
with suppress(ImportError):
    from kafka.admin import ConfigResource, OffsetSpec
    from kafka.errors import KafkaError, for_code
    from kafka.structs import TopicPartition

MIN_ISR = "min.insync.replicas"
ELECTION_PAUSE = 1.0


class ClusterConnection(Connection):
    """A connection that reads the state of a cluster and gives leadership back."""

    def read_cluster(self) -> Cluster:
        """The cluster as it is now, also when some of its brokers do not answer."""
        known = self.known_brokers()
        # First every broker on its own: afterwards the client has connections to those that live,
        # and prefers them for the questions that any broker can answer.
        failed, silent = self.read_log_dirs(known)
        if known and len(silent) == len(known):
            reasons = "; ".join(f"broker {broker}: {silent[broker]}" for broker in sorted(silent))
            raise ClusterError(f"no broker answers: {reasons}")
        found = self.ask("description of the cluster", self.admin.describe_cluster)
        answers = side_by_side(
            {
                "topics": self.describe_topics,
                "reassignments": partial(self.read_reassignments, found["controller_id"], silent),
            },
            self.deadline,
        )
        if isinstance(answers["topics"], Exception):
            raise ClusterError(words_of(answers["topics"]))
        moving: Any = answers["reassignments"]
        unread = []
        if isinstance(moving, Exception):
            unread.append(f"partition reassignments are unknown: {words_of(moving)}")
            moving = {}
        partitions = [part for topic in answers["topics"] for part in partitions_of(topic, moving)]
        min_isr = self.read_min_isr(sorted({part.topic for part in partitions}))
        registered = {broker["broker_id"] for broker in found["brokers"]}
        return Cluster(
            id=found["cluster_id"] or "",
            controller=found["controller_id"],
            brokers=tuple(
                Broker(broker["broker_id"], broker["host"], broker["port"], broker["rack"])
                for broker in found["brokers"]
            ),
            partitions=tuple(part for part in partitions if part.topic in min_isr),
            min_isr=min_isr,
            failed_log_dirs=tuple(failed),
            reassignments=tuple(sorted(f"{topic}-{number}" for topic, number in moving)),
            silent={broker: silent[broker] for broker in sorted(silent) if broker in registered},
            unread=tuple(unread),
        )

    def read_log_dirs(self, brokers: Iterable[int]) -> tuple[list[LogDir], dict[int, str]]:
        """Failed log dirs, and the brokers that did not answer with the reason."""
        questions = {broker: partial(self.log_dirs_of, broker) for broker in brokers}
        answers = side_by_side(questions, Deadline(min(self.request_timeout, self.deadline.left())))
        failed, silent = [], {}
        for broker, answer in sorted(answers.items()):
            if isinstance(answer, Exception):
                silent[broker] = words_of(answer)
            else:
                failed += [
                    LogDir(broker, found["log_dir"], for_code(found["error_code"]).__name__)
                    for found in answer
                    if found["error_code"]
                ]
        return failed, silent

    def log_dirs_of(self, broker: int) -> list[dict[str, Any]]:
        """The log dirs of one broker without their partitions."""
        found: list[dict[str, Any]] = self.admin.describe_log_dirs({}, [broker])[0]["log_dirs"]
        return found

    def read_reassignments(
        self, controller: int, silent: Mapping[int, str]
    ) -> dict[tuple[str, int], dict[str, Any]]:
        """Partitions that are being reassigned, by topic and number; raises ClusterError."""
        if controller == NOBODY:
            return {}
        if controller in silent:
            raise ClusterError(f"the controller, broker {controller}, does not answer")
        return dict(self.ask("partition reassignments", self.admin.list_partition_reassignments))

    def read_min_isr(self, topics: Sequence[str]) -> dict[str, int]:
        """min.insync.replicas in force for each topic, in one request."""
        if not topics:
            return {}
        resources = [ConfigResource("topic", name, [MIN_ISR]) for name in topics]
        found = self.ask(
            f"{MIN_ISR} of topics", self.admin.describe_configs, resources, config_filter="all"
        )
        return {
            name: int(keys[MIN_ISR]["value"])
            for name, keys in found.get("topic", {}).items()
            if MIN_ISR in keys
        }

    def read_lag(self, cluster: Cluster) -> int | None:
        """Bytes that replicas out of sync still have to fetch; None when nobody can tell.

        The difference of what leader and follower hold on their disks, so deleted segments blur it.
        """
        behind = [part for part in cluster.partitions if part.missing and not part.offline]
        wanted: dict[str, list[int]] = {}
        for part in behind:
            wanted.setdefault(part.topic, []).append(part.id)
        if not behind:
            return 0
        brokers = {part.leader for part in behind}.union(*(part.missing for part in behind))
        answers = side_by_side(
            {
                broker: partial(self.sizes_of, broker, wanted)
                for broker in brokers & cluster.broker_ids()
            },
            Deadline(min(self.request_timeout, self.deadline.left())),
        )
        sizes = {b: found for b, found in answers.items() if not isinstance(found, Exception)}
        known = [
            max(0, sizes[part.leader][part.name] - sizes[broker][part.name])
            for part in behind
            for broker in part.missing
            if part.name in sizes.get(part.leader, {}) and part.name in sizes.get(broker, {})
        ]
        return sum(known) if known else None

    def sizes_of(self, broker: int, wanted: Mapping[str, list[int]]) -> dict[str, int]:
        """Bytes of partitions on one broker, by name."""
        answer = self.admin.describe_log_dirs(wanted, [broker])[0]
        return {
            f"{topic['name']}-{part['partition_index']}": part["partition_size"]
            for log_dir in answer["log_dirs"]
            for topic in log_dir["topics"]
            for part in topic["partitions"]
            if not part["is_future_key"]
        }

    def elect_preferred(self, cluster: Cluster) -> Cluster:
        """Give leadership back to first replicas that are in sync; the cluster once they lead.

        Waits until the deadline; what could not be elected by then is as it was.
        """
        if not (parts := electable(cluster)):
            return cluster
        self.elect(parts)
        while True:
            cluster = self.read_cluster()
            if not electable(cluster) or self.deadline.left() < self.request_timeout:
                return cluster
            # Clients follow the leaders meanwhile: brokers have better to do than to answer this.
            time.sleep(ELECTION_PAUSE)

    def elect(self, parts: list[Partition], unclean: bool = False) -> None:
        """Have leaders elected, in batches; whether they lead is told by the next look.

        The controller answers before a new leader has begun, and a leader begins with two synced
        writes for each partition, of which nobody is served meanwhile. So a batch is served before
        the next one is elected, and as large as the one before it allows: small for a broker that
        has just started, or has slow disks.
        """
        rest, size, served = warm_up_first(parts), 1, True
        while rest:
            batch, rest = rest[:size], rest[size:]
            began = time.monotonic()
            wanted: dict[str, list[int]] = {}
            for part in batch:
                wanted.setdefault(part.topic, []).append(part.id)
            self.ask(
                f"election of {'unclean' if unclean else 'preferred'} leaders",
                self.admin.elect_leaders,
                int(unclean),
                wanted,
                timeout_ms=self.server_timeout_ms(),
                raise_errors=False,
            )
            # A broker that does not come to lead is waited for once, not for each batch.
            served = served and self.await_leaders(batch)
            size = next_batch(size, time.monotonic() - began) if served else len(rest)

    def await_leaders(self, parts: list[Partition]) -> bool:
        """Whether new leaders serve ``parts`` within the timeout of one request."""
        wanted = {TopicPartition(part.topic, part.id): OffsetSpec.LATEST for part in parts}
        try:
            # Asks again while whom it asks does not lead.
            self.admin.list_partition_offsets(wanted, timeout_ms=self.server_timeout_ms())
        except (KafkaError, RuntimeError):
            return False
        return True

    # -- who uses it ---------------------------------------------------------------------------

    def read_end_offsets(self) -> dict[str, int]:
        """End offsets of every topic, summed over those partitions that have a leader."""
        specs = {
            TopicPartition(topic["name"], part["partition_index"]): OffsetSpec.LATEST
            for topic in self.describe_topics()
            for part in topic["partitions"]
            if part["leader_id"] != NOBODY
        }
        if not specs:
            return {}
        found = self.ask("end offsets", self.admin.list_partition_offsets, specs)
        totals: dict[str, int] = {}
        for partition, answer in found.items():
            totals[partition.topic] = totals.get(partition.topic, 0) + int(answer.offset)
        return totals

    def read_group_states(self) -> dict[str, str]:
        """State of every consumer group."""
        groups = self.ask("consumer groups", self.admin.list_groups)
        return {group["group_id"]: str(group["group_state"]) for group in groups}
