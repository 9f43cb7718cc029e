# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""What a Kafka cluster looks like at one moment, as plain values: no I/O, no client library."""

from __future__ import annotations

from dataclasses import dataclass, field

NOBODY = -1


@dataclass(frozen=True)
class Broker:
    """A registered broker and the address it gives to clients."""

    id: int
    host: str
    port: int
    rack: str | None = None


@dataclass(frozen=True)
class Partition:
    """One partition: its leader, NOBODY without one, and the broker ids of its replicas.

    The first of ``replicas`` is the preferred leader. ``adding`` are replicas that a reassignment
    is still filling: they are not missed yet; ``removing`` are those that it will take away.
    """

    topic: str
    id: int
    leader: int
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    adding: tuple[int, ...] = ()
    removing: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """The usual short name, ``topic-partition``."""
        return f"{self.topic}-{self.id}"

    @property
    def offline(self) -> bool:
        """Whether nobody can read or write it."""
        return self.leader == NOBODY

    @property
    def preferred(self) -> bool:
        """Whether its first replica leads, or cannot: what is offline has no leader to change."""
        return self.offline or self.leader == self.replicas[0]

    @property
    def established(self) -> tuple[int, ...]:
        """Replicas that should be in sync by now."""
        return tuple(broker for broker in self.replicas if broker not in self.adding)

    @property
    def missing(self) -> tuple[int, ...]:
        """Replicas that should be in sync and are not."""
        return tuple(broker for broker in self.established if broker not in self.isr)


@dataclass(frozen=True)
class LogDir:
    """A log dir that its broker reports as failed."""

    broker: int
    path: str
    error: str


@dataclass(frozen=True)
class Cluster:
    """A cluster at one moment.

    ``controller`` is NOBODY while there is none. ``min_isr`` has one entry for each topic.
    ``failed_log_dirs`` holds only what is broken, ``reassignments`` names of partitions.
    ``silent`` maps registered brokers that do not answer to the reason: a dead broker stays
    registered, and in every ISR, until its session ends. ``unread`` holds messages on what the
    cluster did not tell.
    """

    id: str
    controller: int
    brokers: tuple[Broker, ...]
    partitions: tuple[Partition, ...] = ()
    min_isr: dict[str, int] = field(default_factory=dict)
    failed_log_dirs: tuple[LogDir, ...] = ()
    reassignments: tuple[str, ...] = ()
    silent: dict[int, str] = field(default_factory=dict)
    unread: tuple[str, ...] = ()

    def broker_ids(self) -> set[int]:
        """Ids of the registered brokers."""
        return {broker.id for broker in self.brokers}

    def under_min_isr(self, partition: Partition) -> bool:
        """Whether writers that ask for all acknowledgements are refused on this partition."""
        return len(partition.isr) < self.min_isr[partition.topic]
