# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Consumer groups, resets of their offsets and the steps to them; no I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from .._problems.messages import shorten_list

if TYPE_CHECKING:
    from typing import TypeAlias

EARLIEST, LATEST, OFFSET, TIME = "earliest", "latest", "offset", "time"
# Topic and partition number.
Key = tuple[str, int]


class GroupError(Exception):
    """Declarations that cannot be applied, one message for each."""

    def __init__(self, messages: Sequence[str]) -> None:
        """Store the messages as a list."""
        super().__init__("; ".join(messages))
        self.messages = list(messages)


@dataclass(frozen=True)
class Member:
    """A consumer in a group: client id and address."""

    client: str
    host: str


@dataclass(frozen=True)
class Group:
    """A group; ``offsets`` holds its committed offset by partition."""

    name: str
    state: str
    members: tuple[Member, ...] = ()
    offsets: Mapping[Key, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Target:
    """Target of a reset: earliest, latest, an offset, or the first record at or after a time (ms).

    ``number`` is the offset or the time.
    """

    kind: str
    number: int = 0

    def __str__(self) -> str:
        """Return the target as users write it."""
        return self.kind if self.kind in (EARLIEST, LATEST) else f"{self.kind} {self.number}"


@dataclass(frozen=True)
class Reset:
    """Reset the offsets of a group in ``topics``, or in all topics with committed offsets."""

    group: str
    target: Target
    topics: tuple[str, ...] = ()
    partitions: tuple[int, ...] = ()

    def covers(self, key: Key) -> bool:
        """Whether the reset applies to a partition."""
        of_topic = not self.topics or key[0] in self.topics
        return of_topic and (not self.partitions or key[1] in self.partitions)


@dataclass(frozen=True)
class Commit:
    """Set offsets of a group."""

    group: str
    before: Mapping[Key, int]
    after: Mapping[Key, int]

    def __str__(self) -> str:
        """Return the message for this step."""
        changes = [
            f"{topic}-{number} {self.before.get((topic, number), '(none)')}"
            f" -> {self.after[topic, number]}"
            for topic, number in sorted(self.after)
        ]
        return f"group {self.group}: {shorten_list(changes, 10)}"


@dataclass(frozen=True)
class Remove:
    """Delete a group with all its offsets."""

    group: str
    partitions: int

    def __str__(self) -> str:
        """Return the message for this step."""
        return f"delete group {self.group} with its offsets in {self.partitions} partitions"


# A string, because Python 3.9 on hosts does not support | between classes.
Step: TypeAlias = "Commit | Remove"


@dataclass(frozen=True)
class Bounds:
    """First and next offset by partition, and offsets by partition and time (ms)."""

    starts: Mapping[Key, int]
    ends: Mapping[Key, int]
    times: Mapping[tuple[Key, int], int] = field(default_factory=dict)


class Store(Protocol):
    """Target of the steps; methods that write return the blocker by group."""

    def read_groups(self, names: Sequence[str] | None) -> dict[str, Group]:
        """Return the existing groups of ``names``, or all."""

    def read_partitions(self, topics: Iterable[str]) -> dict[str, int]:
        """Return the partition counts of the existing topics."""

    def read_bounds(self, keys: Iterable[Key], times: Mapping[Key, int]) -> Bounds:
        """Return offsets of partitions, and of the first records at or after times."""

    def commit(self, steps: Sequence[Commit]) -> dict[str, str]:
        """Set offsets."""

    def delete_groups(self, names: Sequence[str]) -> dict[str, str]:
        """Delete consumer groups; return the errors by group."""
