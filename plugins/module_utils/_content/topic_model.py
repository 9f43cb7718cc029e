# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Topics as they are and as they should be, and the steps between; no I/O."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from .._common.errors import SpecError
from .._kafka.config_values import Value

if TYPE_CHECKING:
    from typing import TypeAlias


class TopicError(SpecError):
    """Topics that cannot be applied as declared."""


# Broker ids of each partition, in the order of partitions; the first of each leads if it can.
Placement = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Topic:
    """A topic as it is. ``config`` holds only keys that were set on the topic itself.

    ``replicas`` are the numbers of replicas that its partitions have, usually one number;
    ``placement`` are the brokers of each partition, where they are known.
    """

    name: str
    partitions: int
    replicas: frozenset[int]
    config: Mapping[str, Value] = field(default_factory=dict)
    placement: Placement = ()


@dataclass(frozen=True)
class Spec:
    """A topic as it should be; None leaves the number to the cluster's default.

    With a ``placement``, brokers by partition, the two numbers are those of it. Keys under
    ``defaults`` are to have the cluster's value: declared as null, or no longer declared.
    """

    name: str
    partitions: int | None = None
    replication_factor: int | None = None
    config: Mapping[str, str] = field(default_factory=dict)
    placement: Placement = ()
    defaults: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Create:
    """A topic is created."""

    spec: Spec

    @property
    def topic(self) -> str:
        """Name of the topic."""
        return self.spec.name

    def __str__(self) -> str:
        """One message."""
        spec = self.spec
        partitions = spec.partitions or "default number of"
        replicas = spec.replication_factor or "default number of"
        config = "".join(f", {key}={spec.config[key]}" for key in sorted(spec.config))
        return f"create {spec.name}: {partitions} partitions, {replicas} replicas{config}"


@dataclass(frozen=True)
class Grow:
    """Partitions are added to a topic; ``count`` is the new total."""

    topic: str
    before: int
    count: int
    # Brokers of the new ones; empty leaves them to the cluster.
    placement: Placement = ()

    def __str__(self) -> str:
        """One message."""
        return f"{self.topic}: partitions {self.before} -> {self.count}"


@dataclass(frozen=True)
class Configure:
    """Keys of a topic get values; ``before`` holds those that were set on the topic.

    ``reset`` are the keys that return to the cluster's default.
    """

    topic: str
    before: Mapping[str, str]
    config: Mapping[str, str]
    reset: tuple[str, ...] = ()

    def __str__(self) -> str:
        """One message."""
        changes = [
            f"{key} {self.before.get(key, '(default)')} -> {self.config[key]}"
            for key in sorted(self.config)
        ]
        changes += [f"{key} {self.before[key]} -> (default)" for key in self.reset]
        return f"{self.topic}: {', '.join(changes)}"


@dataclass(frozen=True)
class Delete:
    """A topic is deleted, with all its records."""

    topic: str
    partitions: int

    def __str__(self) -> str:
        """One message."""
        noun = "partition" if self.partitions == 1 else "partitions"
        return f"delete {self.topic}: {self.partitions} {noun} with all records"


@dataclass(frozen=True)
class Move:
    """Replicas of a topic are to be elsewhere: that moves data and is done by others."""

    topic: str
    before: frozenset[int]
    spec: Spec

    def __str__(self) -> str:
        """One message."""
        if self.spec.placement:
            return f"{self.topic}: replicas are to lie on the declared brokers"
        desired = self.spec.replication_factor
        return f"{self.topic}: replication factor {either(self.before)} -> {desired}"


# As text: Python 3.9 of a host has no | between classes.
Step: TypeAlias = "Create | Grow | Configure | Delete | Move"


class Store(Protocol):
    """What the steps are carried out on: a cluster, or a stand-in of a test.

    The three writing methods give the blocker by topic, empty when all went well. With ``dry``
    the cluster judges a step and does nothing.
    """

    def read_topics(self, names: Iterable[str], keys: Collection[str] | None) -> dict[str, Topic]:
        """Those of the topics that exist, with those of the keys, or all, that are set on them."""

    def create_topics(self, steps: Sequence[Create], dry: bool) -> dict[str, str]:
        """Create topics and wait until every partition has a leader."""

    def grow_topics(self, steps: Sequence[Grow], dry: bool) -> dict[str, str]:
        """Add partitions and wait until every one has a leader."""

    def configure_topics(self, steps: Sequence[Configure], dry: bool) -> dict[str, str]:
        """Set and reset keys of topics and wait until that is in force."""

    def delete_topics(self, steps: Sequence[Delete], dry: bool) -> dict[str, str]:
        """Delete topics and wait until no broker knows them; nobody judges it beforehand."""


def either(numbers: Iterable[int]) -> str:
    """Numbers for a sentence: 2 or 3."""
    return " or ".join(str(number) for number in sorted(numbers))
