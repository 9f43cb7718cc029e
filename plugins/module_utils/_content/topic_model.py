# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Topics, specs of topics and the steps between; no I/O."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from .._common.errors import SpecError
from .._problems.config_values import Value

if TYPE_CHECKING:
    from typing import TypeAlias


class TopicError(SpecError):
    """Topics that cannot be applied as declared; ``unconfirmed`` are deletions to confirm."""

    def __init__(self, messages: Sequence[str], unconfirmed: Iterable[str] = ()) -> None:
        """Store the deletions, so that one confirmation can cover them and removals."""
        super().__init__(messages)
        self.unconfirmed = frozenset(unconfirmed)


# Broker ids of each partition, in the order of partitions; the first is the preferred replica.
Placement = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Topic:
    """A topic in the cluster. ``config`` holds only keys that are set on the topic itself.

    ``replicas`` are the distinct replica counts of its partitions, usually one; ``placement``
    holds the brokers of each partition, empty if unknown.
    """

    name: str
    partitions: int
    replicas: frozenset[int]
    config: Mapping[str, Value] = field(default_factory=dict)
    placement: Placement = ()


@dataclass(frozen=True)
class Spec:
    """A desired topic; a number of None is the cluster's default.

    A ``placement`` (brokers by partition) determines both numbers. Keys in ``defaults`` are reset
    to the cluster's value: they are declared as null, or no longer declared.
    """

    name: str
    partitions: int | None = None
    replication_factor: int | None = None
    config: Mapping[str, str] = field(default_factory=dict)
    placement: Placement = ()
    defaults: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Create:
    """Step that creates a topic."""

    spec: Spec

    @property
    def topic(self) -> str:
        """Return the name of the topic."""
        return self.spec.name

    def __str__(self) -> str:
        """Return the message for this step."""
        spec = self.spec
        partitions = spec.partitions or "default number of"
        replicas = spec.replication_factor or "default number of"
        config = "".join(f", {key}={spec.config[key]}" for key in sorted(spec.config))
        return f"create {spec.name}: {partitions} partitions, {replicas} replicas{config}"


@dataclass(frozen=True)
class Grow:
    """Add partitions to a topic; ``count`` is the new total."""

    topic: str
    before: int
    count: int
    # Brokers of the new partitions; if empty, the cluster chooses them.
    placement: Placement = ()

    def __str__(self) -> str:
        """Return the message for this step."""
        return f"{self.topic}: partitions {self.before} -> {self.count}"


@dataclass(frozen=True)
class Configure:
    """Set and reset keys of a topic; ``before`` holds the values set on the topic so far.

    ``reset`` are the keys that return to the cluster's default.
    """

    topic: str
    before: Mapping[str, str]
    config: Mapping[str, str]
    reset: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the message for this step."""
        changes = [
            f"{key} {self.before.get(key, '(default)')} -> {self.config[key]}"
            for key in sorted(self.config)
        ]
        changes += [f"{key} {self.before[key]} -> (default)" for key in self.reset]
        return f"{self.topic}: {', '.join(changes)}"


@dataclass(frozen=True)
class Delete:
    """Delete a topic with all its records."""

    topic: str
    partitions: int

    def __str__(self) -> str:
        """Return the message for this step."""
        noun = "partition" if self.partitions == 1 else "partitions"
        return f"delete {self.topic}: {self.partitions} {noun} with all records"


@dataclass(frozen=True)
class Move:
    """Move replicas of a topic to other brokers; module ``reassign`` applies it."""

    topic: str
    before: frozenset[int]
    spec: Spec

    def __str__(self) -> str:
        """Return the message for this step."""
        if self.spec.placement:
            return f"{self.topic}: replicas move to the declared brokers"
        desired = self.spec.replication_factor
        return f"{self.topic}: replication factor {format_alternatives(self.before)} -> {desired}"


# A string, because Python 3.9 on hosts does not support | between classes.
Step: TypeAlias = "Create | Grow | Configure | Delete | Move"


class Store(Protocol):
    """Target of the steps: a cluster, or a test double.

    Methods that write return the blocker by topic, empty on success. With ``dry`` the cluster
    only validates the steps.
    """

    def read_topics(self, names: Iterable[str], keys: Collection[str] | None) -> dict[str, Topic]:
        """Return the existing topics with the keys set on them, limited to ``keys`` if given."""

    def create_topics(self, steps: Sequence[Create], dry: bool) -> dict[str, str]:
        """Create topics and wait until every partition has a leader."""

    def grow_topics(self, steps: Sequence[Grow], dry: bool) -> dict[str, str]:
        """Add partitions and wait until every one has a leader."""

    def configure_topics(self, steps: Sequence[Configure], dry: bool) -> dict[str, str]:
        """Set and reset keys of topics and wait until they are effective."""

    def delete_topics(self, steps: Sequence[Delete], dry: bool) -> dict[str, str]:
        """Delete topics and wait until no broker lists them; ``dry`` does nothing."""


def format_alternatives(numbers: Iterable[int]) -> str:
    """Return numbers for a message: ``2 or 3``."""
    return " or ".join(str(number) for number in sorted(numbers))
