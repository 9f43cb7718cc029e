# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""The state of a Kafka cluster at one moment, as plain values; no I/O, no client library."""

from __future__ import annotations

from dataclasses import dataclass, field

# Kafka's id for a missing leader or controller.
NO_BROKER = -1


@dataclass(frozen=True)
class Broker:
    """A registered broker and its advertised address."""

    id: int
    host: str
    port: int
    rack: str | None = None


@dataclass(frozen=True)
class Partition:
    """A partition: its leader (or NO_BROKER), and the broker ids of its replicas.

    The first of ``replicas`` is the preferred leader. ``adding`` are replicas that a reassignment
    is still copying, ``removing`` those that it will remove.
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
        """Return ``topic-partition``."""
        return f"{self.topic}-{self.id}"

    @property
    def offline(self) -> bool:
        """Whether the partition has no leader."""
        return self.leader == NO_BROKER

    @property
    def preferred(self) -> bool:
        """Whether the preferred replica leads; also true for offline partitions."""
        return self.offline or self.leader == self.replicas[0]

    @property
    def established(self) -> tuple[int, ...]:
        """Return the replicas that a reassignment is not adding."""
        return tuple(broker for broker in self.replicas if broker not in self.adding)

    @property
    def missing(self) -> tuple[int, ...]:
        """Return the established replicas that are not in sync."""
        return tuple(broker for broker in self.established if broker not in self.isr)


@dataclass(frozen=True)
class LogDir:
    """A failed log dir, as its broker reports it."""

    broker: int
    path: str
    error: str


@dataclass(frozen=True)
class Cluster:
    """A cluster at one moment.

    ``controller`` is NO_BROKER if there is none. ``min_isr`` has one entry per topic.
    ``reassignments`` are names of partitions. ``unresponsive`` holds the reasons of registered
    brokers that do not respond: a dead broker stays registered, and in every ISR, until its
    session expires. ``unread`` holds messages on requests that failed. ``views`` holds, for each
    broker whose metadata differs from the controller's, the names of these partitions.
    """

    id: str
    controller: int
    brokers: tuple[Broker, ...]
    partitions: tuple[Partition, ...] = ()
    min_isr: dict[str, int] = field(default_factory=dict)
    failed_log_dirs: tuple[LogDir, ...] = ()
    reassignments: tuple[str, ...] = ()
    unresponsive: dict[int, str] = field(default_factory=dict)
    unread: tuple[str, ...] = ()
    views: dict[int, tuple[str, ...]] = field(default_factory=dict)

    def broker_ids(self) -> set[int]:
        """Return the ids of the registered brokers."""
        return {broker.id for broker in self.brokers}

    def under_min_isr(self, partition: Partition) -> bool:
        """Whether the partition rejects producers with acks=all."""
        return len(partition.isr) < self.min_isr[partition.topic]
