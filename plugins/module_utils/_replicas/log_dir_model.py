# Copyright: the kafka-metal authors
# SPDX-License-Identifier: Apache-2.0
"""Replicas and log dirs of a broker, and the moves between them; no I/O."""

from __future__ import annotations

from dataclasses import dataclass


class LogDirError(Exception):
    """Replicas cannot be moved as asked; the text says from where, to where, and why not."""


@dataclass(frozen=True)
class Replica:
    """A replica in a log dir. ``arriving``: a copy that is still being filled from another dir."""

    topic: str
    partition: int
    size: int
    arriving: bool = False

    @property
    def name(self) -> str:
        """The usual short name, ``topic-partition``."""
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
    def settled(self) -> tuple[Replica, ...]:
        """Replicas that are complete."""
        return tuple(replica for replica in self.replicas if not replica.arriving)


@dataclass(frozen=True)
class Move:
    """One replica from one dir of its broker to another."""

    replica: Replica
    source: str
    target: str


@dataclass(frozen=True)
class Plan:
    """Moves to start, and what is under way already."""

    moves: tuple[Move, ...] = ()
    arriving: tuple[Replica, ...] = ()

    @property
    def done(self) -> bool:
        """Whether nothing is left to do or to wait for."""
        return not self.moves and not self.arriving
