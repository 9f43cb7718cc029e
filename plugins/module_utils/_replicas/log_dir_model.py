# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Replicas and log dirs of a broker, and moves between them; no I/O."""

from __future__ import annotations

from dataclasses import dataclass


class LogDirError(Exception):
    """Replicas cannot be moved as requested; the text names the log dir and the reason."""


@dataclass(frozen=True)
class Replica:
    """A replica in a log dir; ``future`` is Kafka's future replica, a copy from another dir."""

    topic: str
    partition: int
    size: int
    future: bool = False

    @property
    def name(self) -> str:
        """Return ``topic-partition``."""
        return f"{self.topic}-{self.partition}"


@dataclass(frozen=True)
class Dir:
    """A log dir of a broker. ``error`` is empty while it is online."""

    path: str
    replicas: tuple[Replica, ...] = ()
    total: int = 0
    usable: int = 0
    error: str = ""

    @property
    def complete(self) -> tuple[Replica, ...]:
        """Return the replicas that are not future replicas."""
        return tuple(replica for replica in self.replicas if not replica.future)


@dataclass(frozen=True)
class Move:
    """Move of a replica from one log dir of its broker to another."""

    replica: Replica
    source: str
    target: str


@dataclass(frozen=True)
class Plan:
    """Moves to start, and the replicas of moves that are under way."""

    moves: tuple[Move, ...] = ()
    future: tuple[Replica, ...] = ()

    @property
    def done(self) -> bool:
        """Whether there are no moves to start or under way."""
        return not self.moves and not self.future
