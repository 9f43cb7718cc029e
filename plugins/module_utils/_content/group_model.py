# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Consumer groups as they are, and the steps to where they are to go on; no I/O."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from .._common.messages import some

if TYPE_CHECKING:
    from typing import TypeAlias

EARLIEST, LATEST, OFFSET, TIME = "earliest", "latest", "offset", "time"
# Topic and number of a partition.
Key = tuple[str, int]


class GroupError(Exception):
    """Declarations that cannot be applied, one message for each."""

    def __init__(self, messages: Sequence[str]) -> None:
        """Keep the messages apart, for a list of them."""
        super().__init__("; ".join(messages))
        self.messages = list(messages)


@dataclass(frozen=True)
class Member:
    """One who reads for a group."""

    client: str
    host: str


@dataclass(frozen=True)
class Group:
    """A group as it is; ``offsets`` is where it goes on in each partition that it has committed."""

    name: str
    state: str
    members: tuple[Member, ...] = ()
    offsets: Mapping[Key, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Target:
    """Where to go on: at an end, at an offset, or at the first record of a time (ms) or later."""

    kind: str
    number: int = 0

    def __str__(self) -> str:
        """As people write it."""
        return self.kind if self.kind in (EARLIEST, LATEST) else f"{self.kind} {self.number}"


@dataclass(frozen=True)
class Reset:
    """A group is to go on elsewhere, in some topics or in all that it reads."""

    group: str
    target: Target
    topics: tuple[str, ...] = ()
    partitions: tuple[int, ...] = ()

    def covers(self, key: Key) -> bool:
        """Whether it is about a partition."""
        of_topic = not self.topics or key[0] in self.topics
        return of_topic and (not self.partitions or key[1] in self.partitions)


@dataclass(frozen=True)
class Commit:
    """Offsets of a group are set."""

    group: str
    before: Mapping[Key, int]
    after: Mapping[Key, int]

    def __str__(self) -> str:
        """One message."""
        changes = [
            f"{topic}-{number} {self.before.get((topic, number), '(none)')}"
            f" -> {self.after[topic, number]}"
            for topic, number in sorted(self.after)
        ]
        return f"group {self.group}: {some(changes, 10)}"


@dataclass(frozen=True)
class Remove:
    """A group is deleted, with all its offsets."""

    group: str
    partitions: int

    def __str__(self) -> str:
        """One message."""
        return f"delete group {self.group} with its offsets in {self.partitions} partitions"


# As text: Python 3.9 of a host has no | between classes.
Step: TypeAlias = "Commit | Remove"


@dataclass(frozen=True)
class Bounds:
    """First and next offset of partitions, and what the targets of times are there."""

    starts: Mapping[Key, int]
    ends: Mapping[Key, int]
    times: Mapping[tuple[Key, int], int] = field(default_factory=dict)


class Store(Protocol):
    """What the steps are carried out on; the writing methods give the blocker by group."""

    def read_groups(self, names: Sequence[str] | None) -> dict[str, Group]:
        """Those of the groups that exist, or all."""

    def read_partitions(self, topics: Iterable[str]) -> dict[str, int]:
        """Numbers of partitions of those topics that exist."""

    def read_bounds(self, keys: Iterable[Key], times: Mapping[Key, int]) -> Bounds:
        """Offsets of partitions, and those of the first records at or after times."""

    def commit(self, steps: Sequence[Commit]) -> dict[str, str]:
        """Set offsets."""

    def delete_groups(self, names: Sequence[str]) -> dict[str, str]:
        """Delete groups."""
